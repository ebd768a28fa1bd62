"""Inputs and outputs of a call, as the extension module takes them."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._dtypes import BYTES, INT32, NAMES
from ._libraries import CudaArray, Library, Shape, adopt
from ._warplu import Matrices, View


class Operand:
    """An input: its matrices, and what keeps them alive."""

    __slots__ = ("array", "view", "matrices", "code")

    def __init__(self, library: Library, x: Any, code: int, batch: Shape, is_vector: bool = False) -> None:
        view = library.view(x)
        found = None if view is None else view.matrices(batch, is_vector)
        if found is None:
            ends = x.shape[-1:] if is_vector else x.shape[-2:]
            x = library.contiguous(library.broadcast(x, ends if is_vector else batch + tuple(ends)))
            view = library.view(x)
            found = None if view is None else view.matrices(batch, is_vector)
            if found is None:
                raise ValueError(f"an array of {library.name} has strides that cannot be read: give a compact one")
        assert view is not None
        self.array = x
        self.view: View = view
        self.matrices: Matrices = found
        self.code = code


class Target:
    """An output: its matrices, and where they go after the call if they are not there already."""

    __slots__ = ("library", "array", "matrices", "final", "given", "like")

    def __init__(
        self,
        library: Library,
        like: Any,
        shape: Shape,
        code: int,
        batch: Shape,
        size: Tuple[int, int],
        out: Any = None,
        inputs: Sequence[Operand] = (),
        in_place: Optional[Operand] = None,
    ) -> None:
        self.library = library
        self.like = like
        self.final = None
        self.given = out
        if out is not None:
            view, out = checked(library, like, out, shape, code)
            own = None if view is None else view.matrices(batch, len(shape) == len(batch) + 1)
            if own is not None and own.is_apart() and _is_free(own, code, inputs, in_place):
                self.array, self.matrices = out, own
                return
            self.final = out
        self.array, address = library.empty(shape, code, like)
        self.matrices = Matrices.compact(address, batch, *size)

    def result(self) -> Any:
        """The output, once the call is done."""
        array = self.library.finish(self.array, self.like)
        if self.final is not None:
            self.library.assign(self.final, array)
        return array if self.given is None else self.library.finish(self.given, self.like)


def _is_free(own: Matrices, code: int, inputs: Sequence[Operand], in_place: Optional[Operand]) -> bool:
    """Whether an output is apart from all inputs, or just where one is that it may replace."""
    for operand in inputs:
        if operand is in_place and operand.code == code and operand.matrices == own:
            continue
        if own.overlaps(BYTES[code], operand.matrices, BYTES[operand.code]):
            return False
    return True


def checked(library: Library, like: Any, out: Any, shape: Shape, code: int) -> Tuple[Optional[View], Any]:
    """Where an output is that was given, if it is one, and the output as the library has it."""
    given = out
    if not isinstance(out, CudaArray):
        other, out = adopt(given)
        # Subclasses of NumPy's arrays are worked on as plain ones in the same memory.
        is_array = out is given or isinstance(out, CudaArray) or isinstance(given, np.ndarray)
        if other is not library or not is_array:
            raise TypeError(f"`out` must be an array of {library.name}, as the input is, not {type(given).__name__}")
        if isinstance(given, np.ma.MaskedArray):
            raise TypeError("`out` is masked, so that results might not be seen: give its `data`")
    if not library.writes:
        raise TypeError(f"arrays of {library.name} cannot be written to: leave `out` out")
    kind = str(getattr(out, "dtype", "another type"))
    is_named = kind.rpartition(".")[2] == NAMES[code]
    own, own_code = (out, code) if code == INT32 and is_named else library.floating(out)
    if own is not out or own_code != code:
        if is_named:
            raise TypeError("`out` is conjugated or negated where it is read: give a plain array")
        raise TypeError(f"`out` must be of {NAMES[code]}, but is of {kind}")
    if library.ordinal(out) != library.ordinal(like):
        raise ValueError("`out` is on another device than the input: give one on the same")
    view = library.view(out)
    if (tuple(out.shape) if view is None else view.shape) != shape:
        raise ValueError(f"`out` must have the shape {shape}, but has {tuple(out.shape)}")
    # Also where it is not worked on in its place.
    if not getattr(getattr(out, "flags", None), "writeable", True) if view is None else view.read_only:
        raise ValueError("`out` cannot be written to: give an array that can")
    return view, out
