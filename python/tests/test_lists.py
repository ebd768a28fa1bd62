"""Lists of matrices of many sizes."""

import numpy as np
import pytest
from conftest import definite, random, well

import warplu

SIZES = [3, 1, 7, 3, 0, 40, 7, 3]


def matrices(dtype, make=well):
    return [make((n, n), dtype, seed) for seed, n in enumerate(SIZES)]


def same(found, expected):
    assert isinstance(found, list) and len(found) == len(expected)
    for x, y in zip(found, expected):
        assert x.dtype == y.dtype and np.array_equal(x, y, equal_nan=True)


def test_each_is_as_it_would_be_alone(dtype):
    a = matrices(dtype)
    sides = [random((n,) if seed % 3 else (n, seed % 2 + 1), dtype, seed) for seed, n in enumerate(SIZES)]
    same(warplu.inv(a), [warplu.inv(x) for x in a])
    same(warplu.solve(a, sides), [warplu.solve(x, b) for x, b in zip(a, sides)])
    lu, piv = factors = warplu.lu_factor(a)
    same(lu, [warplu.lu_factor(x)[0] for x in a])
    same(piv, [warplu.lu_factor(x)[1] for x in a])
    same(warplu.lu_solve(factors, sides, 2), [warplu.lu_solve(warplu.lu_factor(x), b, 2) for x, b in zip(a, sides)])
    assert np.array_equal(warplu.det(a), [warplu.det(x) for x in a])
    assert np.array_equal(warplu.slogdet(a).logabsdet, [warplu.slogdet(x).logabsdet for x in a])
    assert np.array_equal(warplu.rcond(a), [warplu.rcond(x) for x in a])


def test_positive_definite(dtype):
    a = matrices(dtype, definite)
    sides = [random((n, 2), dtype) for n in SIZES]
    same(warplu.cholesky(a), [warplu.cholesky(x) for x in a])
    c = warplu.cho_factor(a)
    same(warplu.cho_solve(c, sides), [warplu.cho_solve(warplu.cho_factor(x), b) for x, b in zip(a, sides)])
    same(warplu.inv(a, assume_a="pos"), [warplu.inv(x, assume_a="pos") for x in a])
    same(warplu.solve(a, sides, assume_a="pos"), [warplu.solve(x, b, assume_a="pos") for x, b in zip(a, sides)])


def test_strides_and_types_may_differ():
    a = [np.asfortranarray(well((3, 3), "f4")), well((4, 4), "f8")[::-1, ::-1], np.array([[2]])]
    found = warplu.inv(a)
    for x, own in zip(found, a):
        assert x.dtype == np.float64
        assert np.allclose(x, np.linalg.inv(own.astype("f8")))


def test_out():
    a = [well((n, n), "float64") for n in (2, 3, 3)]
    out = [np.zeros((2, 2)), np.zeros((3, 3), order="F"), np.zeros((3, 6))[:, ::2]]
    expected = warplu.inv(a)
    result = warplu.inv(a, out=out)
    assert all(x is y for x, y in zip(result, out))
    same([np.array(x) for x in out], expected)
    own = [x.copy() for x in a]
    warplu.inv(own, out=own)
    same(own, expected)
    b = [np.ones((n, 1)) for n in (2, 3, 3)]
    expected = warplu.solve(a, b)
    warplu.solve(a, b, out=b)
    same(b, expected)
    with pytest.raises(ValueError, match="list of 3"):
        warplu.inv(a, out=out[:2])


def test_bad_matrices():
    a = [np.eye(2), np.ones((2, 2)), np.eye(1), np.full((3, 3), np.nan)]
    for call in [warplu.inv, warplu.lu_factor, lambda a: warplu.solve(a, [np.ones(len(x)) for x in a])]:
        with pytest.raises(warplu.BadMatrixError) as caught:
            call(a)
        assert caught.value.indices == [1, 3] and caught.value.statuses == [2, -1]
    inverse, status = warplu.inv(a, return_status=True)
    assert status.tolist() == [0, 2, 0, -1] and np.isnan(inverse[1]).all() and inverse[0].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(warplu.BadMatrixError) as caught:
        warplu.cholesky(a)
    assert caught.value.indices == [1, 3]
    assert np.array_equal(warplu.det(a), [1, 0, 1, np.nan], equal_nan=True)


def test_nothing_to_do():
    assert warplu.inv([]) == [] and warplu.solve([], []) == [] and warplu.lu_factor([]) == ([], [])
    assert warplu.det([]).shape == (0,) and warplu.rcond([]).shape == (0,)


def test_numbers_in_lists_are_an_array():
    assert warplu.inv([[[2.0]], [[4.0]]]).tolist() == [[[0.5]], [[0.25]]]
    assert isinstance(warplu.inv([[2.0]]), np.ndarray)


def test_what_does_not_fit():
    with pytest.raises(ValueError, match="matrix 1 is 2 x 3"):
        warplu.inv([np.eye(2), np.ones((2, 3))])
    with pytest.raises(ValueError, match="list of 1"):
        warplu.solve([np.eye(2)], np.ones(2))
    with pytest.raises(ValueError, match=r"b\[1\]"):
        warplu.solve([np.eye(2), np.eye(3)], [np.ones(2), np.ones(2)])
    with pytest.raises(ValueError, match="piv"):
        warplu.lu_solve(([np.eye(2)], []), [np.ones(2)])
    with pytest.raises(TypeError, match="not supported"):
        warplu.inv([np.array([["a"]])])
