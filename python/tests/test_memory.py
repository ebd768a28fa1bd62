"""Where elements lie: strides, `out`, and what may be overwritten."""

import numpy as np
import pytest
from conftest import definite, near, random, well

import warplu

N = 6


def layouts(a):
    """The same matrices in many layouts."""
    batch = a.shape[:-2]
    yield "C order", a.copy()
    yield "Fortran order", np.asfortranarray(a)
    yield "transposed", np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    padded = np.zeros(batch + (2 * N, 3 * N), a.dtype)
    padded[..., ::2, 1::3] = a
    yield "every other row", padded[..., ::2, 1::3]
    yield "rows backwards", np.ascontiguousarray(a[..., ::-1, :])[..., ::-1, :]
    yield "columns backwards", np.ascontiguousarray(a[..., ::-1])[..., ::-1]
    yield "stack backwards", np.ascontiguousarray(a[::-1])[::-1]
    yield "stack last", np.ascontiguousarray(np.moveaxis(a, 0, -1)).transpose(-1, *range(a.ndim - 1))
    outer = np.zeros((2 * batch[0],) + a.shape[1:], a.dtype)
    outer[::2] = a
    yield "every other matrix", outer[::2]
    record = np.zeros(a.shape, [("pad", "i1"), ("x", a.dtype)])
    record["x"] = a
    yield "not aligned", record["x"]


@pytest.mark.parametrize("shape", [(3, N, N), (3, 2, N, N)])
def test_strides(shape, dtype):
    a, b = well(shape, dtype), random(shape, dtype, 1)
    inverse, solution = warplu.inv(a), warplu.solve(a, b)
    lu, piv = warplu.lu_factor(a)
    for (name, own), (_, sides) in zip(layouts(a), layouts(b)):
        assert np.array_equal(own, a), name
        near(warplu.inv(own), inverse, dtype)
        near(warplu.solve(own, sides), solution, dtype)
        near(warplu.lu_factor(own)[0], lu, dtype)
        assert np.array_equal(warplu.lu_factor(own)[1], piv)
        near(warplu.det(own), warplu.det(a), dtype)
        near(warplu.solve(own, sides[..., :1]), solution[..., :1], dtype)


def test_broadcast_stacks():
    a = np.broadcast_to(well((1, N, N), "float64"), (4, N, N))
    near(warplu.inv(a), np.linalg.inv(a), "float64")
    a = np.broadcast_to(well((2, 1, N, N), "float64"), (2, 3, N, N))
    near(warplu.inv(a), np.linalg.inv(a), "float64")


def test_out_in_many_layouts(dtype):
    a, b = well((3, N, N), dtype), random((3, N, N), dtype, 1)
    for name, out in layouts(np.zeros((3, N, N), dtype)):
        assert warplu.inv(a, out=out) is out, name
        near(out, warplu.inv(a), dtype)
        assert warplu.solve(a, b, out=out) is out
        near(out, warplu.solve(a, b), dtype)


def test_out_that_is_an_input(dtype):
    for name, a in layouts(well((3, N, N), dtype)):
        expected = warplu.inv(a)
        assert warplu.inv(a, out=a) is a, name
        near(a, expected, dtype)
    a, b = well((3, N, N), dtype), random((3, N, N), dtype, 1)
    expected = warplu.solve(a, b)
    warplu.solve(a, b, out=a)
    near(a, expected, dtype)


def test_out_that_overlaps_an_input():
    a = well((4, N, N), "float64")
    expected = warplu.inv(a[:3])
    warplu.inv(a[:3], out=a[1:])
    assert np.array_equal(a[1:], expected)
    a = well((3, N, N), "float64")
    expected = warplu.inv(a.swapaxes(-1, -2))
    warplu.inv(a.swapaxes(-1, -2), out=a)
    near(a, expected, "float64")
    both = np.zeros((3, N, 2 * N))
    both[..., ::2] = well((3, N, N), "float64")
    expected = warplu.inv(both[..., ::2])
    warplu.inv(both[..., ::2], out=both[..., 1::2])
    near(both[..., 1::2], expected, "float64")


def test_vectors_out():
    a, b = well((3, N, N), "float64"), random((N,), "float64")
    out = np.zeros((2, 3, N))[1]
    assert warplu.solve(a, b, out=out) is out
    assert np.array_equal(out, warplu.solve(a, b))
    one = b.copy()
    assert warplu.solve(a[0], one, out=one) is one
    assert np.array_equal(one, warplu.solve(a[0], b))


def test_overwrite():
    a, b = well((3, N, N), "float64"), random((3, N, 2), "float64", 1)
    expected = warplu.inv(a), warplu.solve(a, b), warplu.lu_factor(a)
    own = a.copy()
    assert warplu.inv(own, overwrite_a=True) is own and np.array_equal(own, expected[0])
    own = b.copy()
    assert warplu.solve(a, own, overwrite_b=True) is own and np.array_equal(own, expected[1])
    own = b.copy()
    assert warplu.lu_solve(expected[2], own, overwrite_b=True) is own
    near(own, expected[1], "float64")
    own = a.copy()
    lu, piv = warplu.lu_factor(own, overwrite_a=True)
    assert lu is own and np.array_equal(lu, expected[2][0]) and np.array_equal(piv, expected[2][1])
    spd = definite((3, N, N), "float64")
    own = spd.copy()
    factor = warplu.cholesky(own, overwrite_a=True)
    assert factor is own and np.array_equal(factor, warplu.cholesky(spd))
    own = b.copy()
    assert warplu.cho_solve(warplu.cho_factor(spd), own, overwrite_b=True) is own


def test_overwrite_is_a_permission_only():
    a = well((N, N), "float64")
    a.setflags(write=False)
    assert np.array_equal(warplu.inv(a, overwrite_a=True), warplu.inv(a))
    integers = np.array([[2, 1], [1, 1]])
    assert warplu.inv(integers, overwrite_a=True).tolist() == [[1, -1], [-1, 2]]
    assert integers.tolist() == [[2, 1], [1, 1]]
    same = np.broadcast_to(well((N, N), "float64"), (3, N, N))
    assert warplu.inv(same, overwrite_a=True).shape == (3, N, N)
    half = well((N, N), "float16")
    assert warplu.lu_factor(half, overwrite_a=True)[0].dtype == np.float32
    a, b = well((3, N, N), "float64"), random((N, 2), "float64")
    kept = b.copy()
    warplu.solve(a, b, overwrite_b=True)
    assert np.array_equal(b, kept)


def test_outputs_that_are_none():
    a = well((3, N, N), "float64")
    for out, error, words in [
        (np.zeros((3, N, N), "f4"), TypeError, "float64"),
        (np.zeros((3, N, N), ">f8"), TypeError, "float64"),
        (np.zeros((2, N, N)), ValueError, "shape"),
        (np.zeros((3, N * N)), ValueError, "shape"),
        ([[0.0]], TypeError, "numpy"),
        (np.broadcast_to(np.zeros(()), (3, N, N)), ValueError, "written"),
    ]:
        with pytest.raises(error, match=words):
            warplu.inv(a, out=out)


def test_overwriting_what_shares_elements():
    """Results would be written over each other."""
    strided = np.lib.stride_tricks.as_strided
    a = strided(np.array([4.0, 1, 3, 5, 2, 7]), (3, 2, 2), (8, 16, 8))
    near(warplu.inv(a.copy()), np.linalg.inv(a), np.float64)
    near(warplu.inv(a, overwrite_a=True), np.linalg.inv(a), np.float64)
    diagonals = np.stack([np.eye(2) * k for k in (1.0, 2.0, 3.0)])
    for solve in (warplu.solve, lambda a, b, **how: warplu.lu_solve(warplu.lu_factor(a), b, **how)):
        b = strided(np.array([4.0, 1.0]), (3, 2, 1), (0, 8, 8))
        near(solve(diagonals, b, overwrite_b=True), np.linalg.solve(diagonals, b), np.float64)


def test_nothing_at_odd_addresses():
    packed = np.dtype([("before", "u1"), ("x", "f8")])
    none, sides = np.zeros((0, 0), packed)["x"], np.zeros((3, 2, 0), packed)["x"]
    assert warplu.lu_solve((none, np.zeros(0, np.int32)), np.zeros((0, 2))).shape == (0, 2)
    assert warplu.cho_solve((none, True), np.zeros((0, 2))).shape == (0, 2)
    assert warplu.solve(np.eye(2), sides).shape == (3, 2, 0)
    memory = np.zeros(16, np.uint8)[:0]
    halves, out = memory.view(np.float16).reshape(0, 2, 2), memory.view(np.float32).reshape(0, 2, 2)
    assert warplu.cholesky(halves, out=out) is out
    assert warplu.lu_factor(halves)[0].dtype == np.float32


def test_unaligned_output_that_cannot_be_written_to():
    out = np.zeros(73, np.uint8)[1:].view(np.float64).reshape(3, 3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="cannot be written to"):
        warplu.inv(np.eye(3), out=out)


def test_bfloat16_of_another_byte_order():
    bfloat16 = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    with pytest.raises(TypeError, match="byte order"):
        warplu.inv(np.eye(2).astype(bfloat16.newbyteorder("S")))
