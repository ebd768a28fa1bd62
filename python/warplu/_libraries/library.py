"""What warplu asks of an array library."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .._dtypes import NAMES
from .._warplu import View

Shape = Tuple[int, ...]


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

    def bounds(self, x: Any) -> Optional[Tuple[int, int]]:
        """The least and the greatest of integers; None where the extension module has to look itself."""
        return None

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def from_host(self, x: np.ndarray, like: Any) -> Any:
        raise NotImplementedError
