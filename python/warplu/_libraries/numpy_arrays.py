"""NumPy's arrays, and its types of elements."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .. import _dtypes
from .._dtypes import BFLOAT16, CODES, FLOAT64, NAMES
from .._warplu import View
from .library import Library, Shape

NUMPY_CODES: Dict[Any, int] = {np.dtype(name): code for name, code in CODES.items() if code != BFLOAT16}
NUMPY_DTYPES = [None if name == "bfloat16" else np.dtype(name) for name in NAMES]


def numpy_code(dtype: Any) -> Tuple[int, bool]:
    """The number of the type that arrays of a NumPy dtype are worked on in, and whether they are of it."""
    code = NUMPY_CODES.get(dtype)
    if code is not None:
        return code, True
    if dtype.name == "bfloat16":
        if not dtype.isnative:
            raise TypeError("the bfloat16 of another byte order is not supported: convert it by astype first")
        return BFLOAT16, True
    if dtype.kind in "biu":
        return FLOAT64, False
    if dtype.kind in "fc" and not dtype.isnative and dtype.newbyteorder("=") in NUMPY_CODES:
        return NUMPY_CODES[dtype.newbyteorder("=")], False
    raise _dtypes.unsupported(dtype)


def in_elements(strides: Shape, itemsize: int) -> Optional[Shape]:
    """Strides in bytes as such in elements."""
    if any(stride % itemsize for stride in strides):
        return None
    return tuple(stride // itemsize for stride in strides)


class NumPy(Library):
    name = "numpy"

    def floating(self, x: Any) -> Tuple[Any, int]:
        code, is_of_it = numpy_code(x.dtype)
        return (x if is_of_it else self.cast(x, code)), code

    def cast(self, x: Any, code: int) -> Any:
        return x.astype(NUMPY_DTYPES[code])

    def view(self, x: Any) -> Optional[View]:
        return View.of_numpy(x)

    def empty(self, shape: Shape, code: int, like: Any) -> Tuple[Any, int]:
        x = np.empty(shape, like.dtype if code == BFLOAT16 else NUMPY_DTYPES[code])
        return x, View.of_numpy(x).address

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
