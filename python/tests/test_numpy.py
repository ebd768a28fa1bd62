"""Results on NumPy arrays, beside NumPy's and SciPy's."""

import numpy as np
import pytest
from conftest import definite, near, random, well, wide

import warplu

scipy_linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
SHAPES = [(5, 5), (1, 1), (7, 3, 3), (2, 3, 4, 4), (3, 40, 40), (1, 150, 150)]


@pytest.mark.parametrize("shape", SHAPES)
def test_inv(shape, dtype):
    a = well(shape, dtype)
    kept = a.copy()
    x = warplu.inv(a)
    assert x.dtype == a.dtype and x.flags.c_contiguous and np.array_equal(a, kept)
    near(x, np.linalg.inv(wide(a)), dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rhs", [1, 3])
def test_solve(shape, rhs, dtype):
    a, b = well(shape, dtype), random(shape[:-1] + (rhs,), dtype, 1)
    x = warplu.solve(a, b)
    assert x.dtype == a.dtype
    near(x, np.linalg.solve(wide(a), wide(b)), dtype)


@pytest.mark.parametrize("shape", SHAPES)
def test_lu_factor_and_lu_solve(shape, dtype):
    a, b = well(shape, dtype), random(shape[:-1] + (2,), dtype, 1)
    lu, piv = warplu.lu_factor(a)
    expected = "float32" if dtype == "float16" else dtype
    assert lu.dtype == expected and piv.dtype == np.int32 and piv.shape == shape[:-1]
    for at in np.ndindex(shape[:-2]):
        own = a[at].astype(expected)
        factors, pivots = scipy_linalg.lu_factor(own)
        near(lu[at], factors, dtype)
        assert np.array_equal(piv[at], pivots)
    for trans, op in [(0, wide(a)), (1, wide(a).swapaxes(-1, -2)), (2, wide(a).conj().swapaxes(-1, -2))]:
        x = warplu.lu_solve((lu, piv), b, trans)
        near(x, np.linalg.solve(op, wide(b)), dtype)
        assert x.dtype == expected


def test_factors_are_scipys():
    a, b = well((6, 6), "float64"), random((6,), "float64")
    near(warplu.lu_solve(scipy_linalg.lu_factor(a), b, 1), scipy_linalg.solve(a.T, b), "float64")
    a = definite((6, 6), "complex128")
    near(warplu.cho_solve(scipy_linalg.cho_factor(a), b.astype("complex128")), np.linalg.solve(a, b), "complex128")
    near(scipy_linalg.lu_solve(warplu.lu_factor(a), b), np.linalg.solve(a, b), "complex128")
    near(scipy_linalg.cho_solve(warplu.cho_factor(a), b), np.linalg.solve(a, b), "complex128")


@pytest.mark.parametrize("shape", SHAPES)
def test_determinants(shape, dtype):
    a = well(shape, dtype) / np.asarray(2 * shape[-1] ** 0.5, dtype)
    expected = "float32" if dtype == "float16" else dtype
    assert warplu.det(a).dtype == expected
    near(warplu.det(a), np.linalg.det(wide(a)), dtype)
    sign, logabsdet = warplu.slogdet(a)
    signs, logs = np.linalg.slogdet(wide(a))
    near(sign, signs, dtype)
    assert np.abs(wide(logabsdet) - logs).max() < {"float16": 0.05, "float32": 1e-3, "complex64": 1e-3}.get(dtype, 1e-9)
    assert isinstance(warplu.slogdet(a), warplu.SlogdetResult)


@pytest.mark.parametrize("entries", [[1e38], [5.0], [1e-12] * 3, list(np.linspace(0.3, 1.7, 30))])
def test_determinants_are_rounded_once(entries):
    for dtype in ("float32", "complex64"):
        diagonal = np.asarray(entries, dtype)
        expected = np.prod(wide(diagonal))
        for found in (
            warplu.det(np.diag(diagonal)),
            warplu.det(np.diag(diagonal), assume_a="pos"),
            warplu.det([np.diag(diagonal)])[0],
        ):
            # Cholesky factors are roots, which are rounded.
            assert abs(found - expected) <= (1 + len(entries)) * 2.0**-24 * abs(expected)
        assert warplu.det(np.diag(diagonal)) == expected.astype(dtype)
    assert warplu.det(np.diag(entries[:1])) == entries[0]


def test_determinants_that_no_number_holds():
    assert warplu.det(np.eye(4) * 1e200) == np.inf
    assert warplu.slogdet(np.eye(4) * 1e200).logabsdet == pytest.approx(4 * 200 * np.log(10))
    assert type(warplu.det(np.eye(2))) is np.float64 and type(warplu.det(np.eye(2, dtype="c8"))) is np.complex64


@pytest.mark.parametrize("shape", SHAPES)
def test_triangular(shape, dtype):
    n = shape[-1]
    a = (random(shape, dtype) / max(n, 1) + np.asarray(2 * np.eye(n), dtype)).astype(dtype)
    b = random(shape[:-1] + (2,), dtype, 1)
    for lower in (True, False):
        half = np.tril(a) if lower else np.triu(a)
        name = "lower triangular" if lower else "upper triangular"
        near(warplu.inv(a, assume_a=name), np.linalg.inv(wide(half)), dtype)
        near(warplu.solve(a, b, assume_a=name), np.linalg.solve(wide(half), wide(b)), dtype)
        if n <= 40:  # larger ones are too large for float32
            near(warplu.det(a, assume_a=name), np.linalg.det(wide(half)), dtype)
        near(warplu.slogdet(a, assume_a=name).logabsdet, np.linalg.slogdet(wide(half))[1], dtype)
        for unit in (False, True):
            whole = wide(half)
            if unit:
                whole[..., range(n), range(n)] = 1
            # What is not read does not matter.
            given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, np.asarray(np.nan, dtype))
            if unit:
                given[..., range(n), range(n)] = np.nan
            relatives = {0: whole, "T": whole.swapaxes(-1, -2), 2: whole.conj().swapaxes(-1, -2)}
            for trans, matrix in relatives.items():
                options = {"trans": trans, "lower": lower, "unit_diagonal": unit}
                expected = np.linalg.solve(matrix, wide(b))
                near(warplu.solve_triangular(given, b, **options), expected, dtype)
                own = b.copy()
                assert warplu.solve_triangular(given, own, overwrite_b=True, **options) is own
                near(own, expected, dtype)


def test_triangular_corners():
    a, b = np.array([[2.0, 0.0], [4.0, 5.0]]), np.array([2.0, 14.0])
    assert warplu.solve_triangular(a, b, lower=True).tolist() == [1.0, 2.0]
    # A matrix with a stack of sides, and a stack with a vector.
    stack = np.stack([np.eye(2), np.eye(2) * 2])
    assert warplu.solve_triangular(a, stack, lower=True).shape == (2, 2, 2)
    assert warplu.solve_triangular(stack, b).tolist() == [[2.0, 14.0], [1.0, 7.0]]
    found = warplu.solve_triangular([a, np.eye(1) * 4], [b, np.ones((1, 3))], lower=True)
    assert found[0].tolist() == [1.0, 2.0] and found[1].tolist() == [[0.25] * 3]
    assert [x.tolist() for x in warplu.inv([np.eye(1) * 4, a], assume_a="lower triangular")][0] == [[0.25]]
    x, status = warplu.solve_triangular(np.diag([1.0, 0.0]), b, return_status=True)
    assert np.isnan(x).all() and status == 2
    with pytest.raises(warplu.BadMatrixError):
        warplu.solve_triangular(np.diag([1.0, 0.0]), b)
    with pytest.raises(ValueError, match="trans is 3: use 0"):
        warplu.solve_triangular(a, b, 3)
    with pytest.raises(ValueError, match="triangular matrices have no pivots to choose"):
        warplu.inv(a, assume_a="lower triangular", pivoting="none")
    with pytest.raises(warplu.ShapeError):
        warplu.solve_triangular(a, np.ones(3))


@pytest.mark.parametrize("shape", SHAPES)
def test_positive_definite(shape, dtype):
    a, b = definite(shape, dtype), random(shape[:-1] + (2,), dtype, 1)
    below, above = np.tril(a), np.triu(a)
    expected = "float32" if dtype == "float16" else dtype
    factor = np.linalg.cholesky(wide(a))
    near(warplu.cholesky(below), factor, dtype)
    near(warplu.cholesky(above, upper=True), factor.conj().swapaxes(-1, -2), dtype)
    assert warplu.cholesky(a).dtype == expected
    for lower, half in [(True, below), (False, above)]:
        c = warplu.cho_factor(half, lower)
        assert c[1] is lower
        near(warplu.cho_solve(c, b), np.linalg.solve(wide(a), wide(b)), dtype)
        options = {"assume_a": "pos", "lower": lower}
        near(warplu.solve(half, b, **options), np.linalg.solve(wide(a), wide(b)), dtype)
        near(warplu.inv(half, **options), np.linalg.inv(wide(a)), dtype)
        near(warplu.slogdet(half, **options).logabsdet, np.linalg.slogdet(wide(a))[1], dtype)


@pytest.mark.parametrize("p", [1, np.inf])
@pytest.mark.parametrize("n", [1, 8, 32])
def test_rcond_is_exact_up_to_order_32(n, p):
    a = random((4, n, n), "float64")
    expected = [1 / np.linalg.cond(x, p) for x in a]
    assert np.allclose(warplu.rcond(a, p), expected, rtol=1e-8)
    assert warplu.rcond(a.astype("c8"), p).dtype == np.float32


def test_rcond_of_larger_ones_is_lapacks_estimate():
    a = random((2, 60, 60), "float64")
    found, exact = warplu.rcond(a), [1 / np.linalg.cond(x, 1) for x in a]
    assert (found >= 0.99 * np.array(exact)).all() and (found <= 10 * np.array(exact)).all()
    with pytest.raises(ValueError, match="use 1 or inf"):
        warplu.rcond(a, 2)


def test_integers_are_promoted_as_numpy_does():
    a = [[2, 1], [1, 1]]
    assert warplu.inv(a).dtype == np.float64 and warplu.inv(a).tolist() == [[1, -1], [-1, 2]]
    assert warplu.solve(np.array(a, "i1"), np.array([3, 2], "f4")).dtype == np.float64
    assert warplu.solve(np.array(a, "f4"), np.array([3, 2], "c8")).dtype == np.complex64
    assert warplu.solve(np.array(a, "f2"), np.array([3, 2], "f4")).dtype == np.float32
    assert warplu.det(np.array([[True, False], [False, True]])) == 1


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_other_byte_orders_and_subclasses():
    a = well((3, 3), "float64")
    assert np.array_equal(warplu.inv(a.astype(">f8")), warplu.inv(a))
    assert np.array_equal(warplu.inv(np.matrix(a)), warplu.inv(a))
    assert type(warplu.inv(np.matrix(a))) is np.ndarray


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    a = well((2, 3, 3), "float32").astype(ml_dtypes.bfloat16)
    x = warplu.inv(a)
    assert x.dtype == a.dtype
    assert np.abs(x.astype("f8") - np.linalg.inv(a.astype("f8"))).max() < 0.02
    assert warplu.lu_factor(a)[0].dtype == np.float32


def test_stacks_broadcast_as_in_numpy_2():
    a, b = well((4, 1, 3, 3), "float64"), random((5, 3, 2), "float64")
    near(warplu.solve(a, b), np.linalg.solve(a, b), "float64")
    vector = random((3,), "float64")
    x = warplu.solve(a, vector)
    assert x.shape == (4, 1, 3)
    near(x[..., None], np.linalg.solve(a, vector[:, None]), "float64")
    # A stack of vectors is a matrix, as there.
    near(warplu.solve(np.eye(3), random((3, 3), "float64")), random((3, 3), "float64"), "float64")


@pytest.mark.parametrize("rhs", [1, 2])
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_one_matrix_and_many_right_hand_sides(rhs, assume_a, dtype):
    a, b = definite((6, 6), dtype), random((4, 5, 6, rhs), dtype)
    b[1, 2, 0] = np.nan
    x, status = warplu.solve(a, b, assume_a=assume_a, return_status=True)
    assert status.shape == (4, 5) and status[1, 2] == -(2**31) and np.count_nonzero(status) == 1
    assert np.isnan(x[1, 2]).all()
    b[1, 2, 0] = x[1, 2] = 0
    expected = np.linalg.solve(wide(a), wide(b))
    expected[1, 2] = 0
    near(x, expected, dtype)
    x, status = warplu.solve(np.ones((1, 2, 2)), np.ones((3, 2, 1)), return_status=True, assume_a=assume_a)
    assert status.tolist() == ([2, 2, 2] if assume_a == "gen" else [-3, -3, -3]) and np.isnan(x).all()


@pytest.mark.parametrize("batch", [(), (0,), (3, 0), (2,)])
@pytest.mark.parametrize("n", [0, 3])
def test_nothing_to_do(batch, n, dtype):
    a = np.broadcast_to(np.eye(n, dtype=dtype), batch + (n, n))
    assert warplu.inv(a).shape == a.shape
    for b in [np.ones(batch + (n, 2), dtype), np.ones(batch + (n, 0), dtype), np.ones((n,), dtype)]:
        expected = batch + (n,) if b.ndim == 1 else b.shape
        assert warplu.solve(a, b).shape == expected
        factors = warplu.lu_factor(a)
        assert warplu.lu_solve(factors, b).shape == expected
        assert warplu.cho_solve(warplu.cho_factor(a), b).shape == expected
    assert np.array_equal(warplu.det(a), np.ones(batch))
    assert np.array_equal(warplu.slogdet(a).logabsdet, np.zeros(batch))
    assert np.array_equal(warplu.rcond(a), np.ones(batch))


def test_each_matrix_is_as_it_would_be_alone(dtype):
    a = well((9, 20, 20), dtype)
    all_at_once = warplu.inv(a)
    for at in range(9):
        assert np.array_equal(warplu.inv(a[at]), all_at_once[at])
    a[4] = 0
    assert np.array_equal(np.delete(warplu.inv(a, check=False), 4, 0), np.delete(all_at_once, 4, 0))


def test_out_of_factors():
    a = well((5, 4, 4), "float64")
    lu, piv = np.empty_like(a), np.empty((5, 4), np.int32)
    expected = warplu.lu_factor(a)
    found = warplu.lu_factor(a, out=(lu, piv))
    assert found[0] is lu and found[1] is piv and all(map(np.array_equal, found, expected))
    wide_piv, own = np.zeros((5, 8), np.int32), a.copy()
    warplu.lu_factor(own, out=(own, wide_piv[:, ::2]))
    assert np.array_equal(own, expected[0]) and np.array_equal(wide_piv[:, ::2], expected[1])
    matrices = [a[0], a[1, :3, :3].copy()]
    outs = [np.empty_like(x) for x in matrices], [np.empty(len(x), np.int32) for x in matrices]
    found = warplu.lu_factor(matrices, out=outs)
    assert found[0][1] is outs[0][1] and found[1][1] is outs[1][1]
    assert np.array_equal(outs[0][1], warplu.lu_factor(matrices[1])[0])
    assert np.array_equal(outs[1][1], warplu.lu_factor(matrices[1])[1])
    read_only = piv.copy()
    read_only.flags.writeable = False
    for out in [lu, (lu,), (lu, piv.astype("i8")), (lu, piv[:4]), (lu[:4], piv), (lu.astype("f4"), piv), (lu, read_only)]:
        before = lu.copy()
        with pytest.raises((TypeError, ValueError), match="`out`"):
            warplu.lu_factor(a + 1, out=out)
        assert np.array_equal(lu, before)
    for out in [(outs[0], outs[1][:1]), (outs[0], piv), (outs[0], [x.astype("i8") for x in outs[1]])]:
        with pytest.raises((TypeError, ValueError), match="`out`"):
            warplu.lu_factor(matrices, out=out)

    for n, dtype in [(4, "float64"), (140, "float32"), (140, "complex128")]:
        c = definite((3, n, n), dtype)
        for upper in (False, True):
            expected, out = warplu.cholesky(c, upper=upper), np.empty_like(c)
            assert warplu.cholesky(c, upper=upper, out=out) is out and np.array_equal(out, expected)
            assert warplu.cho_factor(c, not upper, out=out)[0] is out and np.array_equal(out, expected)
            near(out.conj().swapaxes(1, 2) @ out if upper else out @ out.conj().swapaxes(1, 2), c, dtype)
            own = c.copy()
            assert np.array_equal(warplu.cholesky(own, upper=upper, out=own), expected)
    outs = [np.empty_like(x) for x in (c[0], c[1])]
    assert warplu.cholesky([c[0], c[1]], out=outs)[1] is outs[1]


def test_lists_are_not_half_written():
    eyes, sides = [np.eye(2), np.eye(3)], [np.ones((2, 1)), np.ones((3, 1))]
    factors = eyes, [np.arange(2, dtype=np.int32), np.arange(3, dtype=np.int32)]
    read_only = np.zeros((3, 3))
    read_only.flags.writeable = False
    for bad in [np.zeros((3, 4)), np.zeros((3, 3), "f4"), read_only, [0.0]]:
        for call in (
            lambda out: warplu.cholesky(eyes, out=out),
            lambda out: warplu.cho_factor(eyes, out=out),
            lambda out: warplu.inv(eyes, out=out),
            lambda out: warplu.lu_factor(eyes, out=(out, factors[1])),
        ):
            first = np.full((2, 2), 7.0)
            with pytest.raises((TypeError, ValueError), match="`out`"):
                call([first, bad])
            assert (first == 7).all()
    for call in (
        lambda out: warplu.lu_solve(factors, sides, out=out),
        lambda out: warplu.cho_solve((eyes, True), sides, out=out),
        lambda out: warplu.solve(eyes, sides, out=out),
    ):
        first = np.full((2, 1), 7.0)
        with pytest.raises((TypeError, ValueError), match="`out`"):
            call([first, np.zeros((3, 2))])
        assert (first == 7).all()


@pytest.mark.parametrize("a", [[[2.0, 4.0], [3.0, 6.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]])
def test_nearly_singular_matrices_are_told(a, dtype):
    a = np.asarray(a, dtype)
    with pytest.warns(warplu.IllConditionedWarning, match="the matrix is singular but for rounding"):
        _, rcond = warplu.inv(a, return_rcond=True)
    assert rcond == warplu.rcond(a) and 0 < rcond < 1e-7
    stack = np.stack([a, np.eye(len(a), dtype=dtype), np.zeros_like(a)])
    with pytest.warns(warplu.IllConditionedWarning, match="1 of 3 matrices is"):
        x, status, conditions = warplu.solve(stack, stack, return_status=True, return_rcond=True)
    assert x.shape == stack.shape and status.tolist() == [0, 0, 1] and conditions[1:].tolist() == [1, 0]
    with pytest.warns(warplu.IllConditionedWarning, match="2 of 3 matrices are"):
        warplu.solve([a, a, np.eye(2, dtype=dtype)], [a[0], a[0], np.ones(2, dtype)], return_rcond=True)


@pytest.mark.parametrize("assume_a, lower", [("pos", True), ("pos", False), ("lower triangular", 0), ("upper triangular", 0)])
@pytest.mark.parametrize("n", [2, 20, 45])
def test_conditions_of_what_is_known_of_matrices(assume_a, lower, n, dtype):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((3, n, n)).astype(dtype)
    if np.iscomplexobj(a):
        a += (1j * rng.standard_normal(a.shape)).astype(dtype)
    if assume_a == "pos":
        whole = a @ a.conj().swapaxes(1, 2) + np.eye(n, dtype=dtype)
        given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, whole, np.nan)
    else:
        a += n * np.eye(n, dtype=dtype)
        keep = np.tri(n, dtype=bool) if assume_a[:5] == "lower" else np.tri(n, dtype=bool).T
        whole, given = np.where(keep, a, 0), np.where(keep, a, np.nan)
    given = given.astype(dtype)
    for p in (1, np.inf):
        exact = 1 / np.linalg.cond(whole.astype("c16"), p)
        found = warplu.rcond(given, p, assume_a=assume_a, lower=bool(lower))
        assert np.all(found > 0.99 * exact) and np.all(found < 10 * exact)
        assert n > 32 or np.allclose(found, exact, rtol=1e-3)
        assert np.array_equal(warplu.rcond(list(given), p, assume_a=assume_a, lower=bool(lower)), found)
    x, conditions = warplu.solve(given, a, assume_a=assume_a, lower=bool(lower), return_rcond=True)
    assert np.array_equal(x, warplu.solve(given, a, assume_a=assume_a, lower=bool(lower)))
    assert np.array_equal(conditions, warplu.rcond(given, assume_a=assume_a, lower=bool(lower)))


@pytest.mark.parametrize("assume_a, lower", [("gen", False), ("pos", True), ("pos", False)])
@pytest.mark.parametrize("shape, sides", [((3, 3), (3,)), ((40, 40), (40, 2)), ((2, 5, 5), (5,)), ((2, 5, 5), (2, 5, 3))])
def test_solutions_are_refined(assume_a, lower, shape, sides, dtype):
    a, b = definite(shape, dtype), random(sides, dtype, 1)
    x = warplu.solve(a, b, assume_a=assume_a, lower=lower)
    worse = x * np.asarray(1 + 1e-3, dtype)
    kept = worse.copy()
    better, ferr, berr = warplu.refine(a, b, worse, assume_a=assume_a, lower=lower)
    kind = np.dtype("float32" if dtype == "float16" else dtype)
    unit = np.finfo(kind).eps
    assert np.array_equal(worse, kept) and better.dtype == kind and better.shape == x.shape
    exact = warplu.solve(wide(a), wide(b))
    assert np.allclose(better, exact, rtol=100 * unit, atol=100 * unit)
    bounds = x.shape[:-1] if len(sides) == 1 else x.shape[:-2] + x.shape[-1:]
    assert ferr.shape == berr.shape == bounds and ferr.dtype == np.zeros(0, kind).real.dtype
    assert np.all(berr <= 2 * unit) and np.all((0 < ferr) & (ferr < 1e3 * unit))


def test_what_cannot_be_refined_is_said():
    a, b = np.eye(2), np.ones(2)
    with pytest.raises(ValueError, match="no error bounds"):
        warplu.refine(a, b, b, assume_a="lower triangular")
    with pytest.raises(ValueError, match="`x` must have the shape"):
        warplu.refine(a, b, np.ones(3))
    with pytest.raises(TypeError, match="not lists"):
        warplu.refine([a], [b], [b])
    with pytest.raises(warplu.BadMatrixError):
        warplu.refine(np.zeros((2, 2)), b, b)
    x, status = warplu.refine(np.stack([np.eye(2), np.zeros((2, 2))]), b, np.ones((2, 2)), return_status=True)
    assert status.tolist() == [0, 1] and x.ferr[0] < 1e-14 and np.isnan(x.ferr[1])
    assert warplu.refine(np.zeros((0, 2, 2)), np.zeros((0, 2, 1)), np.zeros((0, 2, 1))).x.shape == (0, 2, 1)


def test_good_matrices_are_not_warned_of(recwarn):
    x, rcond = warplu.inv(np.diag([4.0, 0.5]), return_rcond=True)
    assert x.tolist() == [[0.25, 0], [0, 2]] and rcond == 0.125 and not recwarn
    assert warplu.inv(np.zeros((0, 3, 3)), return_rcond=True)[1].shape == (0,)
