"""PyTorch's tensors."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .. import _dtypes
from .._dtypes import FLOAT64, INT32, NAMES
from .._warplu import View
from .library import Library, Shape


class Torch(Library):
    name = "torch"

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.strided = torch.strided
        self.forward_ad = torch.autograd.forward_ad
        self.is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
        self.dtypes = [getattr(torch, name) for name in NAMES]
        self.codes = {dtype: code for code, dtype in enumerate(self.dtypes[:INT32])}

    def floating(self, x: Any) -> Tuple[Any, int]:
        if x.requires_grad and self.torch.is_grad_enabled():
            raise RuntimeError(
                "the tensor requires a gradient, of which this function knows none: use inv, solve or slogdet of "
                "warplu.torch, or detach it"
            )
        if self.is_wrapped(x) or (self.forward_ad._current_level >= 0 and self.forward_ad.unpack_dual(x)[1] is not None):
            raise RuntimeError(
                "inside transforms of torch.func and forward-mode derivatives, use inv, solve or slogdet of warplu.torch"
            )
        if x.layout is not self.strided:
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
        dtype = self.dtypes[code]
        if like.dtype is dtype and like.shape == shape:
            # In half the time that it takes by a shape, a type and a device.
            x = self.torch.empty_like(like, memory_format=self.torch.contiguous_format)
        else:
            x = self.torch.empty(shape, dtype=dtype, device=like.device)
        return x, x.data_ptr()

    def ordinal(self, x: Any) -> Optional[int]:
        if x.is_cuda and not self.torch.version.hip:
            return x.get_device()
        if not x.is_cpu:
            raise TypeError(f"tensors on {x.device} are not supported: move them to an NVIDIA GPU or to the CPU")
        return None

    def stream(self, x: Any, ordinal: int) -> Tuple[int, bool]:
        # Not by `current_stream`, which makes an object of it: that takes longer than all else here.
        return self.torch._C._cuda_getCurrentRawStream(ordinal), self.torch.cuda.is_current_stream_capturing()

    def contiguous(self, x: Any) -> Any:
        return x.clone(memory_format=self.torch.contiguous_format)

    def broadcast(self, x: Any, shape: Shape) -> Any:
        return x.expand(shape)

    def stack(self, arrays: list) -> Any:
        return self.torch.stack(arrays)

    def assign(self, to: Any, x: Any) -> None:
        to.copy_(x)

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        if not x.numel():
            return 0, 0
        least, greatest = self.torch.stack(x.aminmax()).tolist()
        return least, greatest

    def to_host(self, x: Any) -> np.ndarray:
        return x.cpu().numpy()

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        plain = np.require(x, x.dtype.newbyteorder("="), ["C", "W"])
        return self.torch.from_numpy(plain).to(like.device)
