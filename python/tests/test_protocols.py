"""Arrays of other libraries, in host memory, by DLPack."""

import ctypes
import gc
import struct

import numpy as np
import pytest
from conftest import definite, near, random, well

import warplu
from warplu import _warplu

strict = pytest.importorskip("array_api_strict", reason="array_api_strict is not installed")


def jax_numpy():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy


@pytest.fixture(params=["array_api_strict", "jax"])
def xp(request):
    return strict if request.param == "array_api_strict" else jax_numpy()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_results_are_of_the_same_library(xp, dtype):
    a, b = well((3, 5, 5), dtype), random((3, 5, 2), dtype, 1)
    own, sides = xp.asarray(a), xp.asarray(b)

    def same(found, expected):
        assert type(found) is type(own)
        assert np.array_equal(np.asarray(found), expected)

    same(warplu.inv(own), warplu.inv(a))
    same(warplu.solve(own, sides), warplu.solve(a, b))
    factors = warplu.lu_factor(own)
    for x, y in zip(factors, warplu.lu_factor(a)):
        same(x, y)
    same(warplu.lu_solve(factors, sides, 1), warplu.lu_solve(warplu.lu_factor(a), b, 1))
    same(warplu.det(own), warplu.det(a))
    for x, y in zip(warplu.slogdet(own), warplu.slogdet(a)):
        same(x, y)
    same(warplu.rcond(own), warplu.rcond(a))
    inverse, status = warplu.inv(own, return_status=True)
    same(status, np.zeros(3, np.int32))
    spd = definite((3, 5, 5), dtype)
    c = warplu.cho_factor(xp.asarray(spd))
    same(warplu.cho_solve(c, sides), warplu.cho_solve(warplu.cho_factor(spd), b))


def test_strides_and_broadcasts(xp):
    a, b = well((3, 5, 5), "float64"), random((2, 1, 5, 2), "float64")
    own, sides = xp.asarray(a), xp.asarray(b)
    near(np.asarray(warplu.inv(xp.permute_dims(own, (0, 2, 1)))), np.linalg.inv(a.swapaxes(1, 2)), "float64")
    near(np.asarray(warplu.inv(own[::-1, :, :])), np.linalg.inv(a[::-1]), "float64")
    near(np.asarray(warplu.solve(own, sides)), np.linalg.solve(a, b), "float64")
    near(np.asarray(warplu.solve(own[0, ...], xp.asarray(b[:, 0]))), np.linalg.solve(a[0], b[:, 0]), "float64")
    vector = random((5,), "float64")
    near(np.asarray(warplu.solve(own[0, ...], xp.asarray(vector))), np.linalg.solve(a[0], vector), "float64")


def test_lists(xp):
    a = [xp.asarray(well((n, n), "float64")) for n in (3, 2, 3)]
    b = [xp.asarray(random((n,), "float64")) for n in (3, 2, 3)]
    for x, y in zip(warplu.solve(a, b), [np.linalg.solve(np.asarray(m), np.asarray(v)) for m, v in zip(a, b)]):
        assert type(x) is type(a[0])
        near(np.asarray(x), y, "float64")
    for x, m in zip(warplu.lu_solve(warplu.lu_factor(a), b), a):
        assert type(x) is type(m)


def test_integers_become_the_default(xp):
    a = xp.asarray(np.array([[2, 1], [1, 1]]))
    assert str(warplu.inv(a).dtype).endswith("float64")
    assert np.asarray(warplu.inv(a)).tolist() == [[1, -1], [-1, 2]]


def test_16_bit_types_of_jax():
    jnp = jax_numpy()
    for dtype in (jnp.float16, jnp.bfloat16):
        a = jnp.asarray(well((2, 3, 3), "float32")).astype(dtype)
        x = warplu.inv(a)
        assert x.dtype == dtype
        assert np.abs(np.asarray(x, "f8") - np.linalg.inv(np.asarray(a, "f8"))).max() < 0.02


def test_arrays_that_cannot_be_written():
    jnp = jax_numpy()
    a = jnp.eye(3)
    with pytest.raises(TypeError, match="leave `out` out"):
        warplu.inv(a, out=jnp.zeros((3, 3)))
    with pytest.raises(TypeError, match="array of jax"):
        warplu.inv(a, out=np.zeros((3, 3)))
    assert np.array_equal(np.asarray(warplu.inv(a, overwrite_a=True)), np.eye(3))


def test_arrays_of_different_libraries():
    with pytest.raises(TypeError, match="convert one"):
        warplu.solve(np.eye(2), strict.ones(2))
    with pytest.raises(TypeError, match="convert one"):
        warplu.inv([np.eye(2), strict.eye(2)])


def test_bad_matrices(xp):
    with pytest.raises(warplu.BadMatrixError, match="matrix 0 is singular"):
        warplu.inv(xp.zeros((2, 2, 2)))


def test_blocks_outlive_their_owner():
    block = _warplu.Block([2, 3], 3, None)
    array = np.from_dlpack(block)
    array[...] = 7
    del block
    gc.collect()
    other = [np.ones(100) for _ in range(100)]
    assert array.tolist() == [[7, 7, 7], [7, 7, 7]] and other


def test_capsules_are_taken_once():
    block = _warplu.Block([2], 2, None)
    assert block.__dlpack_device__() == (1, 0) and not hasattr(block, "__cuda_array_interface__")
    capsule = block.__dlpack__()
    tensor = _warplu.from_dlpack(capsule)
    assert tensor.address == block.address and tensor.shape == [2] and tensor.strides == [1]
    assert tensor.dtype == (2, 32, 1) and tensor.device == (1, 0) and not tensor.read_only
    with pytest.raises(TypeError, match="taken before"):
        _warplu.from_dlpack(capsule)
    block.__dlpack__()  # and one that nobody takes


def test_tensors_of_numpy_are_read():
    x = np.arange(6.0).reshape(2, 3)[:, ::2]
    tensor = _warplu.from_dlpack(x.__dlpack__())
    assert tensor.shape == [2, 2] and tensor.strides == [3, 2] and tensor.address == x.__array_interface__["data"][0]


class Claims:
    """An array that says something else of itself than the capsule that it hands over."""

    size = 4
    device = "cpu"

    def __init__(self, make, shape=(2, 2), dtype="float64", device=(1, 0)):
        self.make, self.shape, self.dtype, self.place = make, shape, dtype, device

    def __dlpack__(self, **_):
        return self.make()

    def __dlpack_device__(self):
        return self.place

    def __array_namespace__(self):
        return strict


def capsule(offset=0, ndim=2, shape=(2, 2), lanes=1):
    """A capsule of host memory that nobody need give back."""
    numbers = np.eye(4)
    sizes = (ctypes.c_int64 * 2)(*shape)
    device, dtype = struct.pack("ii", 1, 0), struct.pack("BBH", 2, 64, lanes)
    head = struct.pack("P", numbers.ctypes.data) + device + struct.pack("i", ndim) + dtype
    tensor = head + struct.pack("PPQ", ctypes.addressof(sizes), 0, offset) + struct.pack("PP", 0, 0)
    held = ctypes.create_string_buffer(tensor)
    capsule.kept += [numbers, sizes, held]
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(held), b"dltensor", None)


capsule.kept = []


def test_capsules_are_compared_with_their_arrays():
    well_made = Claims(lambda: np.eye(2).__dlpack__())
    assert np.array_equal(np.asarray(warplu.inv(well_made)), np.eye(2))
    for array in [
        Claims(lambda: np.ones((1, 1)).__dlpack__()),
        Claims(lambda: np.ones((1, 2, 2)).__dlpack__()),
        Claims(lambda: np.ones((2, 2), "f4").__dlpack__()),
        Claims(lambda: np.ones((2, 2), "i8").__dlpack__()),
        Claims(lambda: np.ones((2, 2)).__dlpack__(), device=(2, 0)),
        Claims(lambda: capsule(lanes=2)),
        Claims(lambda: capsule(offset=2**64 - 8)),
        Claims(lambda: capsule(offset=2**63)),
        Claims(lambda: capsule(ndim=-1)),
        Claims(lambda: capsule(shape=(-2, -2)), shape=(-2, -2)),
    ]:
        with pytest.raises((BufferError, RuntimeError, ValueError)):
            warplu.inv(array)


def test_tracers_and_deleted_arrays_say_what_to_do():
    jnp = jax_numpy()
    import jax

    a = jnp.eye(3)
    for transform in [jax.jit, jax.grad, lambda f: jax.vmap(f)]:
        with pytest.raises(TypeError, match="jax.pure_callback"):
            transform(warplu.inv)(a[None])
    a.delete()
    with pytest.raises(ValueError, match="deleted"):
        warplu.inv(a)


def test_right_hand_sides_of_numpy(xp):
    a = well((3, 3), "float64")
    for b in [np.ones(3), [1.0, 1.0, 1.0]]:
        x = warplu.solve(xp.asarray(a), b)
        assert type(x) is type(xp.asarray(a))
        near(np.asarray(x), np.linalg.solve(a, np.ones(3)), "float64")
