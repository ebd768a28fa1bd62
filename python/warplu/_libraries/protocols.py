"""Arrays of other libraries, by the protocols that they share."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .. import _dtypes, _warplu
from .._dtypes import CODES, FLOAT64, INT32, NAMES
from .._warplu import View
from .library import Library, Shape
from .numpy_arrays import NUMPY_CODES, in_elements


#: How DLPack names types: code, bits, lanes.
_DLPACK = {
    **{f"float{bits}": (2, bits, 1) for bits in (16, 32, 64)},
    **{f"complex{bits}": (5, bits, 1) for bits in (64, 128)},
    **{f"int{bits}": (0, bits, 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (1, bits, 1) for bits in (8, 16, 32, 64)},
    "bfloat16": (4, 16, 1),
}


class _Blocks(Library):
    """A library whose arrays are read by a protocol, and made of memory of warplu's."""

    writes = False
    waits = True

    def zeros(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        return self.empty(shape, code, like)  # blocks of int32 are of zeros

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        block = _warplu.Block(list(shape), None if code == INT32 else code, self.ordinal(like))
        return block, block.address


class ArrayApi(_Blocks):
    """Arrays of the array API standard, such as JAX's, by DLPack."""

    def __init__(self, kind: type) -> None:
        self.name = kind.__module__.partition(".")[0].replace("jaxlib", "jax")

    def floating(self, x: Any) -> Tuple[Any, int]:
        name = str(x.dtype).rpartition(".")[2]
        code = CODES.get(name)
        if code is not None:
            return x, code
        if name.startswith(("int", "uint", "bool")):
            xp = x.__array_namespace__()
            # Some have no float64, or only on request.
            default = str(xp.empty(0).dtype).rpartition(".")[2]
            code = CODES.get(default, FLOAT64)
            return self.cast(x, code), code
        raise _dtypes.unsupported(x.dtype)

    def cast(self, x: Any, code: int) -> Any:
        xp = x.__array_namespace__()
        return xp.astype(x, getattr(xp, NAMES[code]))

    def view(self, x: Any) -> Optional[View]:
        # For work in the legacy default stream, where there is one.
        stream = {} if self.ordinal(x) is None else {"stream": 1}
        try:
            capsule = x.__dlpack__(max_version=(1, 0), **stream)
        except TypeError:  # from before that argument was
            capsule = x.__dlpack__(**stream)
        tensor = _warplu.from_dlpack(capsule)
        told = _DLPACK.get(str(x.dtype).rpartition(".")[2]), tuple(x.shape), tuple(map(int, x.__dlpack_device__()))
        held = tensor.dtype, tuple(tensor.shape), tensor.device
        if told[0] is not None and held != told:
            raise BufferError(
                f"an array of {self.name} and its DLPack capsule differ: (type, shape, device) are {told} and {held}"
            )
        if tensor.address % max(tensor.dtype[1] // 8, 1):
            return None
        return View(tensor.address, tuple(tensor.shape), tuple(tensor.strides), tensor.read_only, tensor)

    def ordinal(self, x: Any) -> Optional[int]:
        if hasattr(x, "is_deleted") and x.is_deleted():
            raise ValueError(f"the array of {self.name} has been deleted, or donated: its elements are gone")
        kind, number = x.__dlpack_device__()
        if kind == 1:
            return None
        if kind == 2:
            return int(number)
        raise TypeError(
            f"arrays on DLPack devices of type {int(kind)} are not supported: move them to an NVIDIA GPU or the CPU"
        )

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        return 0, False

    def finish(self, x: Any, like: Any) -> Any:
        return like.__array_namespace__().from_dlpack(x) if isinstance(x, _warplu.Block) else x

    def contiguous(self, x: Any) -> Any:
        xp = x.__array_namespace__()
        copy = xp.asarray(x, copy=True)
        # Whichever order that kept.
        return xp.reshape(xp.reshape(copy, (-1,)), x.shape) if x.size else copy

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return x.__array_namespace__().broadcast_to(x, shape)

    def stack(self, arrays: list) -> Any:
        return arrays[0].__array_namespace__().stack(arrays)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        return like.__array_namespace__().asarray(x, device=like.device)

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(x)


class CudaArray:
    """An array that has only `__cuda_array_interface__`, and what that says."""

    __slots__ = ("source", "interface", "shape", "dtype")

    def __init__(self, source: Any) -> None:
        self.source = source
        self.interface = source.__cuda_array_interface__
        self.shape = tuple(self.interface["shape"])
        self.dtype = np.dtype(self.interface["typestr"])


class CudaArrays(_Blocks):
    """Arrays that have only `__cuda_array_interface__`, such as Numba's; calls get them as `CudaArray`."""

    writes = True

    def __init__(self, kind: type) -> None:
        self.name = kind.__module__.partition(".")[0]

    def floating(self, x: CudaArray) -> Tuple[CudaArray, int]:
        code = NUMPY_CODES.get(x.dtype)
        if code is None:
            raise _dtypes.unsupported(x.dtype)
        return x, code

    def cast(self, x: CudaArray, code: int) -> Any:
        raise TypeError(f"convert the array of {x.dtype} to {NAMES[code]} first")

    def view(self, x: CudaArray) -> Optional[View]:
        address, read_only = x.interface["data"]
        if address % x.dtype.itemsize:
            return None
        strides = x.interface.get("strides")
        if strides is not None:
            strides = in_elements(tuple(strides), x.dtype.itemsize)
            if strides is None:
                return None
        return View(address, x.shape, strides, read_only)

    def ordinal(self, x: CudaArray) -> Optional[int]:
        if hasattr(x.source, "__dlpack_device__"):
            return int(x.source.__dlpack_device__()[1])
        if self.name == "numba":
            from numba import cuda

            return cuda.get_current_device().id
        return 0

    def stream(self, x: CudaArray, ordinal: int) -> Tuple[int, bool]:
        return x.interface.get("stream") or 0, False

    def finish(self, x: Any, like: Any) -> Any:
        if isinstance(x, CudaArray):
            return x.source
        if self.name == "numba" and isinstance(x, _warplu.Block):
            from numba import cuda

            return cuda.as_cuda_array(x)
        return x

    def contiguous(self, x: CudaArray) -> Any:
        raise ValueError("an array with such strides cannot be worked on, or not broadcast: give a compact copy")

    def broadcast(self, x: CudaArray, shape: Shape) -> Any:
        return x

    def stack(self, arrays: list) -> Any:
        raise TypeError("lists of arrays that have only __cuda_array_interface__ are not supported: give CuPy's")

    def assign(self, to: Any, x: Any) -> None:
        raise ValueError("`out` has strides that cannot be written to, or overlaps an input: give another")

    def to_host(self, x: CudaArray) -> np.ndarray:
        raise TypeError("arrays that have only __cuda_array_interface__ cannot be copied to the host: give CuPy's")
