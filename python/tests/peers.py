"""NumPy's and SciPy's own tests of what warplu does, too, with its functions in the place of theirs.

    python python/tests/peers.py

prints how many pass, and each failure that is not among those that are meant, which are below with their reasons.
"""

import contextlib
import io
import sys
import warnings

import numpy as np
import pytest
import warplu

SUBCLASS = "results are plain arrays, not of the subclass"
TYPES = "results are of the type given, float32 for float16; there are no long doubles"
PRECISION = "complex64 is computed in its own precision"
OVERWRITTEN = "C order is overwritten where SciPy overwrites Fortran order"
RECTANGULAR = "factors are of square matrices"
WORDS = "an error has other words, or is another one"
STRUCTURE = "structures are not looked for, and there are positive definite and triangular ones"
SCALARS = "a and b are no scalars"

#: The structures that there are.
KNOWN = ("pos", "positive definite", "lower triangular", "upper triangular")

#: Parts of the names of tests that fail as they should, and why.
MEANT = {
    "numpy": {
        "TestSolve::test_0_size": SUBCLASS,
        "TestInv::test_0_size": SUBCLASS,
        "TestDet::test_generalized_sq_cases": PRECISION,
        "test_unsupported_commontype": TYPES,
    },
    "scipy": {
        "TestSolve::test_structure_detection": STRUCTURE,
        "TestSolve::test_symmetric_hermitian": STRUCTURE,
        "TestSolve::test_pos_and_sym": STRUCTURE,
        "TestInv::test_sym_her": STRUCTURE,
        "TestInv::test_wrong_assume_a": STRUCTURE,
        "TestInv::test_triangular": STRUCTURE,
        "TestSolve::test_overwrite_args": OVERWRITTEN,
        "TestInv::test_overwrite_a": OVERWRITTEN,
        "TestInv::test_batch_zero_stride": OVERWRITTEN,
        "TestDet::test_overwrite_a": OVERWRITTEN,
        "TestSolve::test_ill_condition_warning": WORDS,
        "TestSolve::test_exactly_singular_gh22263": WORDS,
        "TestDet::test_incompatible_dtype_input": WORDS,
        "TestDet::test_empty_edge_cases": WORDS,
        "TestSolve::test_scalar_a_and_1D_b": SCALARS,
        "TestLUFactor::test_shape_dtype": RECTANGULAR,
        "TestLUFactor::test_vrectangular": RECTANGULAR,
        "TestLUFactor::test_hrectangular": RECTANGULAR,
        "TestLUFactor::test_medium1": RECTANGULAR,
        "TestLUFactor::test_empty": RECTANGULAR,
        "TestInv::test_dtypes": TYPES,
        "TestDet::test_sample_compatible_dtype_input": TYPES,
        "TestDet::test_1x1_all_singleton_dims": TYPES,
        "TestDet::test_1by1_stacked_input_output": TYPES,
    },
}


def of_numpy():
    """What replaces NumPy's functions, in the module that uses them, too."""
    names = ("inv", "solve", "det", "slogdet", "cholesky")
    for module in (np.linalg, np.linalg._linalg):
        for name in names:
            setattr(module, name, getattr(warplu, name))
    return ["numpy.linalg.tests.test_linalg", "numpy.linalg.tests.test_regression"], ""


def of_scipy():
    """Adapters with SciPy's keywords replace its functions."""
    import scipy.linalg as theirs

    def given(*arrays, check_finite=True):
        return [np.asarray_chkfinite(x) if check_finite else np.asarray(x) for x in arrays]

    @contextlib.contextmanager
    def warned():
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield
        for one in found:
            kind = theirs.LinAlgWarning if one.category is warplu.IllConditionedWarning else one.category
            warnings.warn(str(one.message), kind, stacklevel=3)

    def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
        (a,) = given(a, check_finite=check_finite)
        if assume_a in KNOWN:
            return warplu.inv(a, assume_a=assume_a, lower=lower)
        with warned():
            return warplu.inv(a, overwrite_a=overwrite_a, return_rcond=True)[0]

    def solve(
        a,
        b,
        lower=False,
        overwrite_a=False,
        overwrite_b=False,
        check_finite=True,
        assume_a=None,
        transposed=False,
    ):
        a, b = given(a, b, check_finite=check_finite)
        if assume_a in KNOWN and not transposed:
            return warplu.solve(a, b, assume_a=assume_a, lower=lower, overwrite_b=overwrite_b)
        with warned():
            a = a.swapaxes(-1, -2) if transposed else a
            return warplu.solve(a, b, overwrite_b=overwrite_b, return_rcond=True)[0]

    def solve_triangular(
        a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True
    ):
        return warplu.solve_triangular(
            *given(a, b, check_finite=check_finite), trans, lower, unit_diagonal, overwrite_b=overwrite_b
        )

    def det(a, overwrite_a=False, check_finite=True):
        return warplu.det(*given(a, check_finite=check_finite))

    def lu_factor(a, overwrite_a=False, check_finite=True):
        factors, _ = warplu.lu_factor(
            *given(a, check_finite=check_finite), overwrite_a=overwrite_a, check=False, return_status=True
        )
        return factors

    def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
        lu, piv = lu_and_piv
        lu, b = given(lu, b, check_finite=check_finite)
        return warplu.lu_solve((lu, piv), b, trans, overwrite_b=overwrite_b)

    def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
        return warplu.cholesky(*given(a, check_finite=check_finite), upper=not lower, overwrite_a=overwrite_a)

    def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
        return warplu.cho_factor(*given(a, check_finite=check_finite), lower, overwrite_a=overwrite_a)

    def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
        c, b = given(c_and_lower[0], b, check_finite=check_finite)
        return warplu.cho_solve((c, bool(np.all(c_and_lower[1]))), b, overwrite_b=overwrite_b)

    ours = (inv, solve, solve_triangular, det, lu_factor, lu_solve, cholesky, cho_factor, cho_solve)
    for function in ours:
        setattr(theirs, function.__name__, function)
    tests = "TestSolve or TestInv or TestDet or TestLUFactor or TestLUSolve or TestCholesky or TestChoFactor"
    modules = ("test_basic", "test_decomp_lu", "test_decomp_cholesky")
    return [f"scipy.linalg.tests.{module}" for module in modules], f"({tests}) and not Banded and not Solveh"


class Results:
    """Counts what passes, and collects what fails."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed += 1
        elif report.failed:
            self.failed.append((report.nodeid.rpartition("/")[2], str(report.longrepr).splitlines()[-1]))


def run(name, modules, chosen):
    """Runs a suite, tells of it, and returns whether all failures are meant."""
    results = Results()
    with contextlib.redirect_stdout(io.StringIO()):
        options = ["--pyargs", *modules, "-q", "-p", "no:cacheprovider", "--tb=short", "-W", "default"]
        pytest.main(options + (["-k", chosen] if chosen else []), plugins=[results])
    meant = [fault for fault in results.failed if any(part in fault[0] for part in MEANT[name])]
    others = [fault for fault in results.failed if fault not in meant]
    print(f"{name}: {results.passed} tests pass, {len(meant)} fail as is meant, {len(others)} fail")
    for node, words in others:
        print(f"  {node}: {words}")
    return results.passed > 0 and not others


if __name__ == "__main__":
    import numpy.linalg.tests  # noqa: F401  before functions are replaced

    wrong = [name for name, suite in (("numpy", of_numpy), ("scipy", of_scipy)) if not run(name, *suite())]
    sys.exit(bool(wrong))
