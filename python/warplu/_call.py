"""What all calls have: a place, statuses, and what becomes of bad matrices."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from ._dtypes import INT32
from ._errors import raise_for
from ._libraries import Library, Shape

#: A device that works on host memory, by name, or a GPU's number, a stream's handle, and whether that is captured.
Place = Union[str, Tuple[int, int, bool]]


class Call:
    """A call on arrays of a library, for a stack of matrices of some shape. Where statuses of factors are read, they
    are 0 at first."""

    __slots__ = ("library", "like", "batch", "place", "check", "wants_status", "status", "status_address")

    def __init__(
        self,
        library: Library,
        like: Any,
        batch: Shape,
        device: Optional[str],
        check: Optional[bool],
        return_status: bool,
        are_read: bool = False,
    ) -> None:
        self.library = library
        self.like = like
        self.batch = batch
        self.place = place_of(library, like, device)
        self.check = not return_status if check is None else bool(check)
        self.wants_status = return_status
        self.status: Any = None
        self.status_address = 0
        # On a GPU statuses have no other way out.
        if return_status or not isinstance(self.place, str):
            room = library.zeros if are_read else library.empty
            self.status, self.status_address = room(batch, INT32, like)

    @property
    def tells(self) -> bool:
        """Whether the extension module looks for bad matrices, for which it waits for the GPU."""
        return self.check or (self.library.waits and not isinstance(self.place, str))

    def finish(self, result: Any, bad: Optional[Tuple[int, list]] = None) -> Any:
        """What the call returns."""
        if bad is not None and self.check:
            raise_for(bad, self.batch)
        return (result, self.library.finish(self.status, self.like)) if self.wants_status else result


def place_of(library: Library, like: Any, device: Optional[str]) -> Place:
    """Where to work: on an array's GPU, in the stream that its library works in; or, for arrays in host memory, on the
    CPU or on a device that is named."""
    ordinal = library.ordinal(like)
    if ordinal is None:
        return "cpu" if device is None else str(device)
    if device is not None and device != f"cuda:{ordinal}" and not (device == "cuda" and ordinal == 0):
        raise ValueError(
            f"the array is on cuda:{ordinal}, where it is worked on: leave `device` out, or move the array"
        )
    stream, is_captured = library.stream(like, ordinal)
    return ordinal, stream, is_captured
