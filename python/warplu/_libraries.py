"""What warplu asks of array libraries: where an array's elements are, and room for results."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from . import _dtypes, _warplu
from ._dtypes import BFLOAT16, BYTES, CODES, FLOAT64, INT32, NAMES

Shape = Tuple[int, ...]
#: A device that works on host memory, by name, or a GPU's number, a stream's handle, and whether that is captured.
Place = Union[str, Tuple[int, int, bool]]


class View:
    """Where an array's elements are: strides count elements, and None says compact in C order."""

    __slots__ = ("address", "shape", "strides", "read_only", "owner")

    def __init__(
        self, address: int, shape: Shape, strides: Optional[Shape], read_only: bool = False, owner: Any = None
    ) -> None:
        self.address = address
        self.shape = shape
        self.strides = strides
        self.read_only = read_only
        self.owner = owner


class Library:
    """An array library. Methods that most libraries share are here in the words of most of them."""

    name = "an array library"
    #: Whether its arrays can be written to.
    writes = True
    #: Whether what is enqueued on a GPU must be done when a call returns.
    waits = False

    def floating(self, x: Any) -> Tuple[Any, int]:
        """The array in a type that warplu has, and that type's number."""
        raise NotImplementedError

    def cast(self, x: Any, code: int) -> Any:
        return x.astype(NAMES[code])

    def view(self, x: Any) -> Optional[View]:
        """None where strides are no multiples of elements, or elements are not aligned."""
        raise NotImplementedError

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        """Room beside another array, and its address."""
        raise NotImplementedError

    def zeros(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        """As `empty`, of zeros."""
        x, address = self.empty(shape, code, like)
        x[...] = 0
        return x, address

    def ordinal(self, x: Any) -> Optional[int]:
        """The number of the GPU whose memory it is in; None for host memory."""
        return None

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        """The stream to work in, and whether it is being captured."""
        raise NotImplementedError

    def finish(self, x: Any, like: Any) -> Any:
        """A result, beside an input, from what `empty` returned."""
        return x

    def contiguous(self, x: Any) -> Any:
        """A copy, compact in C order."""
        return x.copy()

    def broadcast(self, x: Any, shape: Shape) -> Any:
        raise NotImplementedError

    def stack(self, arrays: list) -> Any:
        raise NotImplementedError

    def assign(self, to: Any, x: Any) -> None:
        to[...] = x

    def det(self, phase: Any, log_abs: Any) -> Any:
        """Determinants from phase and logarithm, where those are on a GPU."""
        raise NotImplementedError

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        """The least and the greatest of integers; None where the extension module has to look itself."""
        return None

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        raise NotImplementedError


_NUMPY_CODES: Dict[Any, int] = {np.dtype(name): code for name, code in CODES.items() if code != BFLOAT16}
_NUMPY_DTYPES = [None if name == "bfloat16" else np.dtype(name) for name in NAMES]


def _numpy_code(dtype: Any) -> Tuple[int, bool]:
    """The number of the type that arrays of a NumPy dtype are worked on in, and whether they are of it."""
    code = _NUMPY_CODES.get(dtype)
    if code is not None:
        return code, True
    if dtype.name == "bfloat16":
        return BFLOAT16, True
    if dtype.kind in "biu":
        return FLOAT64, False
    if dtype.kind in "fc" and not dtype.isnative and dtype.newbyteorder("=") in _NUMPY_CODES:
        return _NUMPY_CODES[dtype.newbyteorder("=")], False
    raise _dtypes.unsupported(dtype)


def _in_elements(strides: Shape, itemsize: int) -> Optional[Shape]:
    """Strides in bytes as such in elements."""
    if any(stride % itemsize for stride in strides):
        return None
    return tuple(stride // itemsize for stride in strides)


class NumPy(Library):
    name = "numpy"

    def floating(self, x: Any) -> Tuple[Any, int]:
        code, is_of_it = _numpy_code(x.dtype)
        return (x if is_of_it else self.cast(x, code)), code

    def cast(self, x: Any, code: int) -> Any:
        return x.astype(_NUMPY_DTYPES[code])

    def view(self, x: Any) -> Optional[View]:
        interface = x.__array_interface__
        address, read_only = interface["data"]
        if not x.flags.aligned:
            return None
        strides = interface["strides"]
        if strides is not None:
            strides = _in_elements(strides, x.itemsize)
            if strides is None:
                return None
        return View(address, x.shape, strides, read_only)

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        x = np.empty(shape, like.dtype if code == BFLOAT16 else _NUMPY_DTYPES[code])
        return x, x.__array_interface__["data"][0]

    def contiguous(self, x: Any) -> Any:
        return np.array(x, order="C", copy=True)

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return np.broadcast_to(x, shape)

    def stack(self, arrays: list) -> Any:
        return np.stack(arrays)

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        return (int(x.min()), int(x.max())) if x.size else (0, 0)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        return x


class Torch(Library):
    name = "torch"

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.dtypes = [getattr(torch, name) for name in NAMES]
        self.codes = {dtype: code for code, dtype in enumerate(self.dtypes[:INT32])}

    def floating(self, x: Any) -> Tuple[Any, int]:
        if x.requires_grad and self.torch.is_grad_enabled():
            raise RuntimeError(
                "the tensor requires a gradient, which this function has none of: use the one of warplu.torch, or detach it"
            )
        if x.layout is not self.torch.strided:
            raise TypeError(f"tensors of layout {x.layout} are not supported: use to_dense()")
        # Views that PyTorch conjugates or negates later, wherever they are read.
        if x.is_conj() or x.is_neg():
            x = x.resolve_conj().resolve_neg()
        code = self.codes.get(x.dtype)
        if code is not None:
            return x, code
        if x.dtype.is_floating_point or x.dtype.is_complex or x.is_quantized:
            raise _dtypes.unsupported(x.dtype)
        return x.to(self.torch.float64), FLOAT64

    def cast(self, x: Any, code: int) -> Any:
        return x.to(self.dtypes[code])

    def view(self, x: Any) -> Optional[View]:
        address = x.data_ptr()
        if address % x.element_size():
            return None
        return View(address, tuple(x.shape), None if x.is_contiguous() else x.stride())

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        x = self.torch.empty(shape, dtype=self.dtypes[code], device=like.device)
        return x, x.data_ptr()

    def ordinal(self, x: Any) -> Optional[int]:
        device = x.device
        if device.type == "cpu":
            return None
        if device.type != "cuda" or self.torch.version.hip:
            raise TypeError(f"tensors on {device} are not supported: move them to an NVIDIA GPU or to the CPU")
        return device.index

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        cuda = self.torch.cuda
        stream = cuda.current_stream(ordinal)
        return stream.cuda_stream, cuda.is_current_stream_capturing()

    def contiguous(self, x: Any) -> Any:
        return x.clone(memory_format=self.torch.contiguous_format)

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return x.expand(shape)

    def stack(self, arrays: list) -> Any:
        return self.torch.stack(arrays)

    def assign(self, to: Any, x: Any) -> None:
        to.copy_(x)

    def det(self, phase: Any, log_abs: Any) -> Any:
        return phase * log_abs.exp()

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        if not x.numel():
            return 0, 0
        least, greatest = self.torch.stack(x.aminmax()).tolist()
        return least, greatest

    def to_host(self, x: Any) -> np.ndarray:
        return x.cpu().numpy()

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        return self.torch.from_numpy(x).to(like.device)


class CuPy(Library):
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy

    def floating(self, x: Any) -> Tuple[Any, int]:
        code, is_of_it = _numpy_code(x.dtype)
        return (x if is_of_it else self.cast(x, code)), code

    def cast(self, x: Any, code: int) -> Any:
        return x.astype(_NUMPY_DTYPES[code])

    def view(self, x: Any) -> Optional[View]:
        address = x.data.ptr
        if address % x.itemsize:
            return None
        if x.flags.c_contiguous:
            return View(address, x.shape, None)
        strides = _in_elements(x.strides, x.itemsize)
        return None if strides is None else View(address, x.shape, strides)

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        dtype = like.dtype if code == BFLOAT16 else _NUMPY_DTYPES[code]
        with like.device:
            x = self.cupy.empty(shape, dtype)
        return x, x.data.ptr

    def ordinal(self, x: Any) -> Optional[int]:
        return x.device.id

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        stream = self.cupy.cuda.get_current_stream(ordinal)
        # Streams of other libraries may not say.
        is_capturing = getattr(stream, "is_capturing", None)
        return stream.ptr, bool(is_capturing and stream.ptr and is_capturing())

    def contiguous(self, x: Any) -> Any:
        with x.device:
            return self.cupy.array(x, order="C", copy=True)

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return self.cupy.broadcast_to(x, shape)

    def stack(self, arrays: list) -> Any:
        with arrays[0].device:
            return self.cupy.stack(arrays)

    def det(self, phase: Any, log_abs: Any) -> Any:
        return phase * self.cupy.exp(log_abs)

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        return (int(x.min()), int(x.max())) if x.size else (0, 0)

    def to_host(self, x: Any) -> np.ndarray:
        return self.cupy.asnumpy(x)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        with like.device:
            return self.cupy.asarray(x)


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
        if tensor.address % max(tensor.dtype[1] // 8, 1):
            return None
        return View(tensor.address, tuple(tensor.shape), tuple(tensor.strides), tensor.read_only, tensor)

    def ordinal(self, x: Any) -> Optional[int]:
        kind, number = x.__dlpack_device__()
        if kind == 1:
            return None
        if kind == 2:
            return int(number)
        raise TypeError(f"arrays on DLPack devices of type {int(kind)} are not supported: move them to an NVIDIA GPU or the CPU")

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

    def det(self, phase: Any, log_abs: Any) -> Any:
        xp = phase.__array_namespace__()
        return phase * xp.astype(xp.exp(log_abs), phase.dtype)

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
        code = _NUMPY_CODES.get(x.dtype)
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
            strides = _in_elements(tuple(strides), x.dtype.itemsize)
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

    def det(self, phase: Any, log_abs: Any) -> Any:
        raise TypeError("arrays that have only __cuda_array_interface__ know no arithmetic: use slogdet")

    def to_host(self, x: CudaArray) -> np.ndarray:
        raise TypeError("arrays that have only __cuda_array_interface__ cannot be copied to the host: give CuPy's")


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
        if base is np.ndarray:
            return None  # a matrix, or one with a mask: as plain arrays
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__array_namespace__"):
        return _named(kind.__module__, lambda: ArrayApi(kind))
    if hasattr(kind, "__cuda_array_interface__"):
        return _named(kind.__module__, lambda: CudaArrays(kind))
    return None
