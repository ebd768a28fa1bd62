"""Array libraries: what each array is of."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .cupy_arrays import CuPy
from .library import Library, Shape
from .numpy_arrays import NumPy
from .protocols import ArrayApi, CudaArray, CudaArrays
from .torch_arrays import Torch

__all__ = ["CudaArray", "Library", "NUMPY", "Shape", "adopt", "scalar"]

NUMPY = NumPy()
_LIBRARIES: Dict[type, Library] = {np.ndarray: NUMPY}
_BY_NAME: Dict[str, Library] = {}


def adopt(x: Any) -> Tuple[Library, Any]:
    """The library of an array, and the array; what is none becomes one of NumPy's."""
    library = _LIBRARIES.get(type(x))
    if library is None:
        library = _find(type(x))
        if library is None:
            return NUMPY, np.asarray(x)
        _LIBRARIES[type(x)] = library
    if isinstance(library, CudaArrays):
        x = CudaArray(x)
    return library, x


def scalar(library: Library, x: Any) -> Any:
    """A number of NumPy's for an array of no dimensions, as NumPy returns it."""
    return x[()] if library is NUMPY else x


def _named(name: str, make: Any) -> Library:
    if name not in _BY_NAME:
        _BY_NAME[name] = make()
    return _BY_NAME[name]


def _find(kind: type) -> Optional[Library]:
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root == "torch" and base.__name__ == "Tensor":
            return _named("torch", Torch)
        if root == "cupy" and base.__name__ == "ndarray":
            return _named("cupy", CuPy)
        if root == "jax" and base.__name__ == "Tracer":
            raise TypeError(
                "inside jit, vmap, grad and the like JAX has no arrays, only tracers: call warplu outside of them, or by "
                "jax.pure_callback"
            )
        if base is np.ndarray:
            return None  # a matrix, or one with a mask: as plain arrays
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__array_namespace__"):
        return _named(kind.__module__, lambda: ArrayApi(kind))
    if hasattr(kind, "__cuda_array_interface__"):
        return _named(kind.__module__, lambda: CudaArrays(kind))
    return None
