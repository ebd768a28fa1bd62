"""What all calls have: a place, statuses, and what becomes of bad matrices."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Tuple, Union

from ._dtypes import INT32
from ._errors import raise_for
from ._libraries import Library, Shape

#: A GPU's number, a stream's handle, and whether that is captured.
Stream = Tuple[int, int, bool]
#: A device that works on host memory, by name, or a stream of the GPU that arrays are on.
Place = Union[str, Stream]
#: What makes room for an array: a library's `empty` or `zeros`.
Room = Callable[[Shape, int, Any], Tuple[Any, int]]
#: What calls in a stream share: that, the number of statuses, and the array with its address.
_SHARED: Dict[Room, Tuple[Stream, int, Tuple[Any, int]]] = {}


class Call:
    """A call on arrays of a library, for a stack of matrices of some shape."""

    __slots__ = (
        "library",
        "like",
        "batch",
        "place",
        "pivoting",
        "check",
        "tells",
        "wants_status",
        "status",
        "status_address",
        "known",
    )

    def __init__(
        self,
        library: Library,
        like: Any,
        batch: Shape,
        device: Optional[str],
        check: Optional[bool],
        return_status: bool,
        pivoting: str = "partial",
    ) -> None:
        self.library = library
        self.like = like
        self.batch = batch
        self.place = place = place_of(library, like, device)
        self.pivoting = pivoting
        self.check = self.tells = not return_status if check is None else bool(check)
        self.wants_status = return_status
        self.status: Any = None
        self.status_address = 0
        self.known: Any = None
        if isinstance(place, str):
            if return_status:
                self.status, self.status_address = library.empty(batch, INT32, like)
            return
        # Whether the extension module looks for bad matrices, for which it waits for the GPU.
        self.tells = self.check or library.waits
        if return_status or self.tells:
            self.status, self.status_address = library.empty(batch, INT32, like)
        else:
            self.status, self.status_address = _shared(library.empty, place, batch, like)

    def all_well(self) -> int:
        """The address of statuses of factors that are well; 0 in host memory, where the extension module looks at the
        factors."""
        if isinstance(self.place, str):
            return 0
        self.known, address = _shared(self.library.zeros, self.place, self.batch, self.like)
        return address

    def finish(self, result: Any, bad: Optional[Tuple[int, list]] = None) -> Any:
        """What the call returns."""
        if bad is not None and self.check:
            raise_for(bad, self.batch, self.pivoting)
        return (result, self.library.finish(self.status, self.like)) if self.wants_status else result


def _shared(room: Room, stream: Stream, batch: Shape, like: Any) -> Tuple[Any, int]:
    """Statuses that nobody reads, or nobody writes, so that one call after the other may have the same."""
    if stream[2]:  # a graph keeps its own
        return room(batch, INT32, like)
    count = math.prod(batch)
    kept = _SHARED.get(room)
    if kept is None or kept[0] != stream or kept[1] < count:
        kept = _SHARED[room] = stream, count, room((count,), INT32, like)
    return kept[2]


def forget_shared() -> None:
    """Gives back the memory of what calls share."""
    _SHARED.clear()


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
