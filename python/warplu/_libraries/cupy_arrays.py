"""CuPy's arrays."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .._dtypes import BFLOAT16
from .._warplu import View
from .library import Library, Shape
from .numpy_arrays import NUMPY_DTYPES, in_elements, numpy_code


class CuPy(Library):
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.current = cupy.cuda.runtime.getDevice

    def floating(self, x: Any) -> Tuple[Any, int]:
        code, is_of_it = numpy_code(x.dtype)
        return (x if is_of_it else self.cast(x, code)), code

    def cast(self, x: Any, code: int) -> Any:
        return x.astype(NUMPY_DTYPES[code])

    def view(self, x: Any) -> Optional[View]:
        address = x.data.ptr
        if address % x.itemsize:
            return None
        if x.flags.c_contiguous:
            return View(address, x.shape, None)
        strides = in_elements(x.strides, x.itemsize)
        return None if strides is None else View(address, x.shape, strides)

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        dtype = like.dtype if code == BFLOAT16 else NUMPY_DTYPES[code]
        # To switch devices, even to the same, takes about as long as to make the array.
        if like.data.device_id == self.current():
            x = self.cupy.ndarray(shape, dtype)
        else:
            with like.device:
                x = self.cupy.ndarray(shape, dtype)
        return x, x.data.ptr

    def zeros(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        with like.device:
            x = self.cupy.zeros(shape, NUMPY_DTYPES[code])
        return x, x.data.ptr

    def ordinal(self, x: Any) -> Optional[int]:
        return x.data.device_id

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        stream = self.cupy.cuda.get_current_stream(ordinal)
        address = stream.ptr
        # The default stream cannot be captured, and streams of other libraries may not say.
        if not address or not hasattr(stream, "is_capturing"):
            return address, False
        return address, stream.is_capturing()

    def contiguous(self, x: Any) -> Any:
        with x.device:
            return self.cupy.array(x, order="C", copy=True)

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return self.cupy.broadcast_to(x, shape)

    def stack(self, arrays: list) -> Any:
        with arrays[0].device:
            return self.cupy.stack(arrays)

    def assign(self, to: Any, x: Any) -> None:
        with to.device:
            to[...] = x

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        with x.device:
            return (int(x.min()), int(x.max())) if x.size else (0, 0)

    def to_host(self, x: Any) -> np.ndarray:
        return self.cupy.asnumpy(x)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        with like.device:
            return self.cupy.asarray(x)
