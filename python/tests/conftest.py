"""What tests share: matrices, and how near results must be."""

import numpy as np
import pytest
from kits import CuPyKit, TorchKit

DTYPES = ["float16", "float32", "float64", "complex64", "complex128"]
#: Of results in each type, relative to the largest element.
NEAR = {"float16": 2e-2, "float32": 2e-4, "float64": 1e-10, "complex64": 2e-4, "complex128": 1e-10}


def random(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * generator.uniform(-1, 1, shape)
    return x.astype(dtype)


def well(shape, dtype, seed=0):
    """Matrices that are well conditioned, in the type's precision."""
    a = random(shape, dtype, seed)
    return a + np.asarray(2 * shape[-1] ** 0.5 * np.eye(shape[-1]), dtype)


def definite(shape, dtype, seed=0):
    a = random(shape, dtype, seed)
    product = a @ a.conj().swapaxes(-1, -2)
    return (product + np.asarray(shape[-1] * np.eye(shape[-1]), dtype)).astype(dtype)


def wide(x):
    """In double precision."""
    return np.asarray(x).astype("complex128" if np.asarray(x).dtype.kind == "c" else "float64")


def near(x, expected, dtype):
    x, expected = wide(x), wide(expected)
    assert x.shape == expected.shape
    size = np.abs(expected).max() if expected.size else 1
    assert np.abs(x - expected).max(initial=0) <= NEAR[str(np.dtype(dtype))] * max(size, 1e-30)


@pytest.fixture(params=DTYPES)
def dtype(request):
    return request.param


@pytest.fixture(params=[TorchKit, CuPyKit])
def kit(request):
    return request.param()
