"""Bad matrices, and bad arguments."""

import copy
import pickle

import numpy as np
import pytest
from conftest import random, well

import warplu


def stack():
    a = well((2, 3, 4, 4), "float64")
    a[0, 1, :, 2] = 0
    a[1, 2, 0, 0] = np.nan
    return a


def test_bad_matrices_are_an_error_that_names_them():
    for call in [warplu.inv, warplu.lu_factor, lambda a: warplu.solve(a, np.ones(4))]:
        with pytest.raises(warplu.BadMatrixError) as caught:
            call(stack())
        error = caught.value
        assert isinstance(error, np.linalg.LinAlgError) and isinstance(error, ValueError)
        assert error.count == 2 and error.indices == [(0, 1), (1, 2)] and error.statuses == [3, -1]
        assert "matrix (0, 1) is singular (U[2, 2] is zero)" in str(error) and "check=False" in str(error)
    with pytest.raises(warplu.BadMatrixError, match=r"the matrix is singular \(U\[1, 1\] is zero\)"):
        warplu.inv(np.ones((2, 2)))
    with pytest.raises(warplu.BadMatrixError, match="20 of 20 matrices .* and 12 more"):
        warplu.inv(np.zeros((20, 2, 2)))


def test_bad_matrices_spoil_nothing_else():
    a, good = stack(), well((2, 3, 4, 4), "float64")
    x, status = warplu.inv(a, return_status=True)
    assert status.dtype == np.int32 and status.tolist() == [[0, 3, 0], [0, 0, -1]]
    assert np.isnan(x[0, 1]).all() and np.isnan(x[1, 2]).all()
    assert np.array_equal(x[status == 0], warplu.inv(good)[status == 0])
    assert np.array_equal(warplu.inv(a, check=False), x, equal_nan=True)
    with pytest.raises(warplu.BadMatrixError):
        warplu.inv(a, check=True, return_status=True)


@pytest.mark.parametrize("n", [1, 3, 7, 40, 150])
def test_bad_right_hand_sides_spoil_themselves_only(n):
    a, b = well((3, n, n), "float64"), random((3, n, 5), "float64", 1)
    expected = warplu.solve(a, b)
    b[1, 0, 2], b[2, -1, 4] = np.nan, np.inf
    spd = a @ a.swapaxes(-1, -2)
    solves = [
        (warplu.solve, a, expected),
        (lambda _, b, **o: warplu.lu_solve(warplu.lu_factor(a), b, **o), a, None),
        (lambda m, b, **o: warplu.solve(m, b, assume_a="pos", **o), spd, None),
        (lambda m, b, **o: warplu.cho_solve(warplu.cho_factor(m), b, **o), spd, None),
    ]
    for solve, matrices, known in solves:
        x, status = solve(matrices, b, return_status=True)
        assert status.tolist() == [0, 2 - 2**31, 4 - 2**31]
        bad = np.zeros(x.shape, bool)
        bad[1, :, 2] = bad[2, :, 4] = True
        assert np.array_equal(np.isnan(x), bad)
        if known is not None:
            assert np.array_equal(x[~bad], known[~bad])
        with pytest.raises(warplu.BadMatrixError, match="matrix 1 is good, but right-hand side 2, or its solution"):
            solve(matrices, b)


def test_exceptions_survive_copies():
    with pytest.raises(warplu.BadMatrixError) as caught:
        warplu.inv(stack())
    error = caught.value
    for other in [pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)]:
        assert type(other) is warplu.BadMatrixError and str(other) == str(error)
        assert (other.count, other.indices, other.statuses) == (error.count, error.indices, error.statuses)
    with pytest.raises(warplu.ShapeError) as caught:
        warplu.inv(np.ones((2, 3)))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_wrong_shapes_are_linalg_errors():
    for call in [
        lambda: warplu.inv(np.ones((2, 3))),
        lambda: warplu.det(np.ones(3)),
        lambda: warplu.solve(np.eye(3), np.ones(2)),
        lambda: warplu.inv([np.ones((2, 3)), np.eye(2)]),
        lambda: warplu.lu_solve((np.eye(2), np.zeros(3, np.int32)), np.ones(2)),
    ]:
        with pytest.raises(np.linalg.LinAlgError) as caught:
            call()
        assert isinstance(caught.value, ValueError)


def test_factors_of_singular_matrices():
    (lu, piv), status = warplu.lu_factor(np.ones((2, 2)), return_status=True)
    assert status == 2 and lu.tolist() == [[1, 1], [1, 0]] and piv.tolist() == [0, 1]
    x, status = warplu.lu_solve((lu, piv), np.ones(2), return_status=True)
    assert status == 2 and np.isnan(x).all()


def test_not_positive_definite():
    a = np.array([[1.0, 2.0], [2.0, 1.0]])
    for call in [warplu.cholesky, warplu.cho_factor, lambda a: warplu.inv(a, assume_a="pos")]:
        with pytest.raises(warplu.BadMatrixError, match="leading minor of order 2"):
            call(a)
    factor, status = warplu.cholesky(a, return_status=True)
    assert status == -3 and np.isnan(factor).all()
    assert np.isnan(warplu.det(a, assume_a="pos"))
    (c, lower), status = warplu.cho_factor(a, return_status=True)
    x, status = warplu.cho_solve((c, lower), np.ones(2), return_status=True)
    assert status == -1 and np.isnan(x).all()


def test_determinants_of_bad_matrices_are_no_errors():
    a = np.array([np.ones((2, 2)), np.full((2, 2), np.nan), np.eye(2)])
    det, status = warplu.det(a, return_status=True)
    assert np.array_equal(det, [0, np.nan, 1], equal_nan=True) and status.tolist() == [2, -1, 0]
    sign, logabsdet = warplu.slogdet(a)
    assert np.array_equal(sign, [0, np.nan, 1], equal_nan=True)
    assert np.array_equal(logabsdet, [-np.inf, np.nan, 0], equal_nan=True)
    assert np.array_equal(warplu.rcond(a), [0, np.nan, 1], equal_nan=True)


@pytest.mark.parametrize(
    "call", [warplu.inv, warplu.lu_factor, warplu.det, warplu.slogdet, warplu.cholesky, warplu.rcond]
)
def test_shapes_that_are_none_of_square_matrices(call):
    for shape in [(), (4,), (2, 3), (5, 2, 3)]:
        with pytest.raises(ValueError, match="dimensions|square"):
            call(np.ones(shape))


def test_shapes_that_do_not_fit():
    a, factors = np.eye(3), warplu.lu_factor(np.eye(3))
    for b in [np.ones(2), np.ones((2, 1)), np.ones(()), np.ones((4, 2, 3))]:
        for call in [lambda b: warplu.solve(a, b), lambda b: warplu.lu_solve(factors, b)]:
            with pytest.raises(ValueError, match="does not fit"):
                call(b)
    with pytest.raises(ValueError, match="do not broadcast"):
        warplu.solve(np.ones((2, 3, 3)), np.ones((4, 3, 1)))
    with pytest.raises(ValueError, match="piv"):
        warplu.lu_solve((factors[0], np.zeros(2, np.int32)), np.ones(3))


def test_types_that_there_are_none_of():
    for a in [np.eye(2, dtype="longdouble"), np.eye(2, dtype="clongdouble"), np.array([["a"]]), np.array([[None]])]:
        with pytest.raises(TypeError, match="not supported: convert to one of float16"):
            warplu.inv(a)
    with pytest.raises(TypeError, match="int32"):
        warplu.lu_solve((np.eye(2), np.zeros(2)), np.ones(2))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
@pytest.mark.parametrize("pivot", [2, -1, 2**31, 2**32])
def test_pivots_that_are_no_rows(dtype, pivot):
    if not np.iinfo(dtype).min <= pivot <= np.iinfo(dtype).max:
        pytest.skip("no number of the type")
    with pytest.raises(ValueError, match="rows .*counted from 0|counted from 0 to 1"):
        warplu.lu_solve((np.eye(2), np.array([0, pivot], dtype)), np.ones(2))


def test_pivots_of_other_integers_and_strides():
    lu, piv = warplu.lu_factor(random((3, 5, 5), "float64"))
    b = np.ones((3, 5, 1))
    for own in [piv.astype("i8"), piv.astype("u4"), np.repeat(piv, 2, axis=1)[:, ::2], np.asfortranarray(piv)]:
        assert np.array_equal(warplu.lu_solve((lu, own), b), warplu.lu_solve((lu, piv), b))


def test_arguments_that_there_are_none_of():
    with pytest.raises(ValueError, match="tpu"):
        warplu.inv(np.eye(2), device="tpu")
    with pytest.raises(ValueError, match="'lower triangular' or 'upper triangular'"):
        warplu.inv(np.eye(2), assume_a="sym")
    with pytest.raises(ValueError, match="trans"):
        warplu.lu_solve(warplu.lu_factor(np.eye(2)), np.ones(2), 3)
    with pytest.raises(RuntimeError, match="emulator"):
        warplu.inv(np.eye(2), device="sim")


def test_devices():
    first = warplu.devices()[0]
    assert first.name == "cpu" and first.description.startswith("CPU")
    assert warplu.inv(np.eye(2), device="auto").tolist() == [[1, 0], [0, 1]]
    if len(warplu.devices()) == 1:
        with pytest.raises(RuntimeError, match="driver|GPU"):
            warplu.inv(np.eye(2), device="cuda")


def test_the_version_is_a_version():
    assert all(part.isdigit() for part in warplu.__version__.split(".")[:2])
