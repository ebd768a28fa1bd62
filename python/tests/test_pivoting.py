"""LU without interchanges, and the growth of its pivots."""

import numpy as np
import pytest
from conftest import near, random, well, wide

import warplu

SHAPES = [(5, 5), (1, 1), (2, 3, 4, 4), (3, 40, 40), (1, 150, 150)]
KINDS = ["none", "boosted:1e-6"]


def dominant(shape, dtype, seed=0):
    """Matrices whose diagonals dominate their rows."""
    return random(shape, dtype, seed) + np.asarray(2 * shape[-1] * np.eye(shape[-1]), dtype)


def product(lu):
    """What factors are of, without interchanges."""
    lu = wide(lu)
    return (np.tril(lu, -1) + np.eye(lu.shape[-1])) @ np.triu(lu)


#: The second has a zero for its second pivot, and is regular.
STACK = np.array([[[4.0, 1, 0], [1, 4, 1], [0, 1, 4]], [[2, 2, 1], [2, 2, 3], [1, 5, 1]]])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("pivoting", KINDS)
def test_dominant_matrices_need_no_interchanges(shape, pivoting, dtype):
    a, b = dominant(shape, dtype), random(shape[:-1] + (2,), dtype, 1)
    near(warplu.inv(a, pivoting=pivoting), np.linalg.inv(wide(a)), dtype)
    near(warplu.solve(a, b, pivoting=pivoting), np.linalg.solve(wide(a), wide(b)), dtype)
    lu, piv = warplu.lu_factor(a, pivoting=pivoting)
    near(product(lu), a, dtype)
    assert np.array_equal(piv, np.broadcast_to(np.arange(shape[-1]), shape[:-1]))
    near(warplu.lu_solve((lu, piv), b), np.linalg.solve(wide(a), wide(b)), dtype)
    sign, logabsdet = warplu.slogdet(a, pivoting=pivoting)
    near(sign, np.linalg.slogdet(wide(a))[0], dtype)
    near(logabsdet, np.linalg.slogdet(wide(a))[1], dtype)
    if shape[-1] < 10:
        near(warplu.det(a, pivoting=pivoting), np.linalg.det(wide(a)), dtype)


@pytest.mark.parametrize("pivoting", KINDS)
def test_one_matrix_and_many_right_hand_sides(pivoting, dtype):
    a, b = dominant((6, 6), dtype), random((4, 6, 2), dtype, 1)
    near(warplu.solve(a, b, pivoting=pivoting), np.linalg.solve(wide(a), wide(b)), dtype)


def test_a_zero_pivot_makes_a_matrix_bad():
    for call in [warplu.inv, warplu.lu_factor, lambda a, **more: warplu.solve(a, np.ones(3), **more)]:
        call(STACK)
        with pytest.raises(
            warplu.BadMatrixError, match=r"matrix 1 .* interchanges \(U\[1, 1\] is zero\): try"
        ) as caught:
            call(STACK, pivoting="none")
        assert caught.value.indices == [1] and caught.value.statuses == [2]
        with pytest.raises(
            warplu.BadMatrixError, match=r"the matrix is not factored without interchanges \(U\[0, 0\] is zero"
        ):
            call(np.eye(3)[::-1], pivoting="none")
    (lu, piv), status = warplu.lu_factor(STACK, pivoting="none", return_status=True)
    assert status.tolist() == [0, 2] and np.isnan(lu[1]).all() and piv.tolist() == [[0, 1, 2]] * 2
    near(lu[0], warplu.lu_factor(STACK[0])[0], "float64")
    x, status = warplu.solve(STACK[1], np.ones((2, 3, 1)), pivoting="none", return_status=True)
    assert status.tolist() == [2, 2] and np.isnan(x).all()
    det, status = warplu.det(STACK, pivoting="none", return_status=True)
    assert det[0] == pytest.approx(56) and np.isnan(det[1]) and status.tolist() == [0, 2]
    assert np.isnan(warplu.slogdet(STACK[1], pivoting="none").logabsdet)


def test_nothing_can_be_boosted_of_a_zero_matrix():
    with pytest.raises(warplu.BadMatrixError, match=r"the matrix is singular \(U\[0, 0\] is zero"):
        warplu.inv(np.zeros((3, 3)), pivoting="boosted:1e-6")


def test_boosted_factors_are_those_of_a_matrix_nearby():
    lu, piv = warplu.lu_factor(STACK, pivoting="boosted:0.01")
    assert piv.tolist() == [[0, 1, 2]] * 2
    changed = STACK.copy()
    changed[1, 1, 1] += 0.05  # a hundredth of the largest element
    near(product(lu), changed, "float64")
    b = np.ones((2, 3, 1))
    expected = np.linalg.solve(changed, b)
    near(warplu.solve(STACK, b, pivoting="boosted:0.01"), expected, "float64")
    near(warplu.lu_solve((lu, piv), b), expected, "float64")
    near(warplu.inv(STACK, pivoting="boosted:0.01"), np.linalg.inv(changed), "float64")
    near(warplu.det(STACK, pivoting="boosted:0.01"), np.linalg.det(changed), "float64")


@pytest.mark.parametrize("pivoting", KINDS)
def test_lists(pivoting):
    a = [dominant((n, n), "float64", n) for n in (3, 1, 7, 3, 0)]
    b = [random((len(x), 2), "float64") for x in a]
    options = {"pivoting": pivoting}
    for found, expected in [
        (warplu.inv(a, **options), [warplu.inv(x, **options) for x in a]),
        (warplu.solve(a, b, **options), [warplu.solve(x, y, **options) for x, y in zip(a, b)]),
        (warplu.lu_factor(a, **options)[0], [warplu.lu_factor(x, **options)[0] for x in a]),
    ]:
        assert all(np.array_equal(x, y) for x, y in zip(found, expected))
    assert np.array_equal(warplu.det(a, **options), [warplu.det(x, **options) for x in a])
    lu, _ = warplu.lu_factor(a, **options)
    assert warplu.growth(a, lu).tolist() == [warplu.growth(x, y) for x, y in zip(a, lu)]
    with pytest.raises(warplu.BadMatrixError, match="matrix 1 is not factored without interchanges"):
        warplu.inv([np.eye(2), np.eye(2)[::-1]], pivoting="none")


FUNCTIONS = [warplu.inv, warplu.lu_factor, warplu.det, warplu.slogdet, lambda a, **more: warplu.solve(a, a, **more)]


@pytest.mark.parametrize("call", FUNCTIONS)
def test_pivotings_that_there_are_none_of(call):
    for a in (np.eye(2), [np.eye(2), np.eye(3)]):
        for pivoting in ["full", "", "boosted", "None", None, 1e-8]:
            with pytest.raises(ValueError, match="use partial, none or boosted:THRESHOLD"):
                call(a, pivoting=pivoting)
        for pivoting in ["boosted:0", "boosted:-1", "boosted:2", "boosted:nan", "boosted:x"]:
            with pytest.raises(ValueError, match="above 0 and at most 1"):
                call(a, pivoting=pivoting)


@pytest.mark.parametrize("call", [call for call in FUNCTIONS if call is not warplu.lu_factor])
def test_positive_definite_matrices_have_no_pivots_to_choose(call):
    for a in (np.eye(2), [np.eye(2), np.eye(3)]):
        call(a, pivoting="partial", assume_a="pos")
        with pytest.raises(ValueError, match="no pivots to choose: leave `pivoting` out"):
            call(a, pivoting="none", assume_a="pos")


def test_growth(dtype):
    a = well((2, 3, 6, 6), dtype)
    lu, _ = warplu.lu_factor(a, pivoting="none")
    size = abs if wide(a).dtype.kind == "f" else lambda x: abs(x.real) + abs(x.imag)
    expected = size(np.triu(wide(lu))).max((-2, -1)) / size(wide(a)).max((-2, -1))
    found = warplu.growth(a, lu)
    assert found.dtype == lu.real.dtype and found.shape == (2, 3)
    assert np.allclose(found, expected, rtol=1e-6)
    assert np.array_equal(warplu.growth(np.asfortranarray(a), lu[..., ::-1, :][..., ::-1, :]), found)


def test_growth_tells_whether_it_was_right_to_do_without():
    a = np.array([[1e-6, 1.0], [1.0, 1.0]])
    assert warplu.growth(a, warplu.lu_factor(a, pivoting="none")[0]) == pytest.approx(1e6)
    assert warplu.growth(a, warplu.lu_factor(a)[0]) == 1
    assert type(warplu.growth(a, warplu.lu_factor(a)[0])) is np.float64
    (lu, _), _ = warplu.lu_factor(STACK, pivoting="none", return_status=True)
    assert np.isnan(warplu.growth(STACK, lu)).tolist() == [False, True]


def test_growth_of_nothing():
    assert warplu.growth(np.empty((0, 3, 3)), np.empty((0, 3, 3))).shape == (0,)
    assert warplu.growth(np.empty((2, 0, 0)), np.empty((2, 0, 0))).tolist() == [1, 1]
    assert warplu.growth([], []).shape == (0,)


def test_growth_of_what_does_not_fit():
    with pytest.raises(ValueError, match="`lu` must have the shape"):
        warplu.growth(np.eye(3), np.eye(2))
    with pytest.raises(ValueError, match="list of 2"):
        warplu.growth([np.eye(3), np.eye(2)], [np.eye(3)])
    with pytest.raises(TypeError, match="not supported"):
        warplu.growth(np.eye(2), np.array([["a", "b"], ["c", "d"]]))
