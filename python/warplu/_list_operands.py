"""Inputs and outputs of calls on lists, and what is done with groups of one size."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._dtypes import FLOAT64, INT32, NAMES, promoted
from ._errors import ShapeError, raise_for
from ._libraries import NUMPY, Library, Shape, adopt
from ._operands import Operand, Target, checked
from ._warplu import Matrices as Addresses


class Matrices:
    """Matrices of one library, one device, and one type of elements."""

    def __init__(self, a: Sequence[Any]) -> None:
        pairs = [adopt(x) for x in a]
        self.library: Library = pairs[0][0] if pairs else NUMPY
        for at, (library, _) in enumerate(pairs):
            if library is not self.library:
                raise TypeError(
                    f"array {at} of a list is of {library.name}, the first of {self.library.name}: convert one"
                )
        self.given = [x for _, x in pairs]
        floating = [self.library.floating(x) for x in self.given]
        code = None
        for _, own in floating:
            code = own if code is None else promoted(code, own)
        self.code: int = FLOAT64 if code is None else code
        self.codes = [own for _, own in floating]
        self.arrays = [x for x, _ in floating]
        self.ordinals = {self.library.ordinal(x) for x in self.arrays}
        if len(self.ordinals) > 1:
            raise ValueError("the arrays of a list are on different devices: move them to the same")

    def of(self, code: int) -> "Matrices":
        """In this type of elements."""
        self.arrays = [x if own == code else self.library.cast(x, code) for x, own in zip(self.arrays, self.codes)]
        self.code = code
        self.codes = [code] * len(self.arrays)
        return self

    @property
    def is_on_host(self) -> bool:
        return self.ordinals <= {None}


def squares(a: Sequence[Any]) -> Matrices:
    own = Matrices(a)
    for at, x in enumerate(own.arrays):
        if x.shape[0] != x.shape[1]:
            raise ShapeError(f"matrix {at} is {x.shape[0]} x {x.shape[1]}: the matrices must be square")
    return own.of(own.code)


def sides(a: Matrices, b: Sequence[Any]) -> Matrices:
    if not isinstance(b, (list, tuple)) or len(b) != len(a.arrays):
        raise ShapeError(f"`b` must be a list of {len(a.arrays)} arrays, one for each matrix")
    own = Matrices(b)
    if own.arrays and (own.library is not a.library or own.ordinals != a.ordinals):
        raise TypeError("matrices and right-hand sides must be arrays of one library, on one device")
    for at, (matrix, x) in enumerate(zip(a.arrays, own.arrays)):
        if len(x.shape) not in (1, 2) or x.shape[0] != matrix.shape[0]:
            n = matrix.shape[0]
            raise ShapeError(
                f"`b[{at}]` of shape {tuple(x.shape)} does not fit a matrix of order {n}: it must be ({n},) or ({n}, k)"
            )
    if own.arrays:
        code = promoted(a.code, own.code)
        a.of(code)
        own.of(code)
    return own


class Outputs:
    """Outputs, one a matrix."""

    def __init__(self, a: Matrices, shapes: List[Tuple[int, ...]], code: int, out: Any, inputs: List[Operand]) -> None:
        if out is not None:
            one_each(out, len(shapes))
        self.targets = []
        for at, shape in enumerate(shapes):
            own = None if out is None else out[at]
            size = (shape[0], shape[1] if len(shape) > 1 else 1)
            target = Target(a.library, a.arrays[at], shape, code, (), size, own, inputs)
            # The extension module writes to compact matrices.
            if own is not None and target.final is None and not target.matrices.has_compact_rows:
                target = Target(a.library, a.arrays[at], shape, code, (), size)
                target.final = target.given = own
            self.targets.append(target)

    @property
    def matrices(self) -> List[Addresses]:
        return [target.matrices for target in self.targets]

    def results(self) -> List[Any]:
        return [target.result() for target in self.targets]


def operands(a: Matrices) -> List[Operand]:
    return [Operand(a.library, x, a.code, (), len(x.shape) == 1) for x in a.arrays]


class ListCall:
    """Statuses of a list, and what becomes of bad matrices."""

    def __init__(
        self,
        a: Matrices,
        device: Optional[str],
        check: Optional[bool],
        return_status: bool,
        pivoting: str = "partial",
    ) -> None:
        self.a = a
        self.pivoting = pivoting
        self.device = "cpu" if device is None else str(device)
        self.check = not return_status if check is None else bool(check)
        self.wants_status = return_status
        self.like = a.arrays[0] if a.arrays else np.empty(0)
        self.status, self.status_address = a.library.empty((len(a.arrays),), INT32, self.like)

    def finish(self, result: Any, bad: Any = None) -> Any:
        if bad is not None and self.check:
            raise_for(bad, (len(self.a.arrays),), self.pivoting)
        return (result, self.a.library.finish(self.status, self.like)) if self.wants_status else result


def by_groups(
    a: Matrices,
    others: List[List[Any]],
    work: Callable[..., Tuple[Any, Any]],
    check: Optional[bool],
    return_status: bool,
    pivoting: str = "partial",
) -> Any:
    """Does `work`, which returns results and statuses of stacks, on stacks of arrays of one size; `others` go along
    with the matrices. Results that are tuples become tuples of lists."""
    groups: Dict[Tuple[Any, ...], List[int]] = {}
    for at, x in enumerate(a.arrays):
        key = (tuple(x.shape),) + tuple(tuple(other[at].shape) for other in others)
        groups.setdefault(key, []).append(at)
    library, count = a.library, len(a.arrays)
    results: List[Any] = [None] * count
    statuses: List[Any] = [None] * count
    for members in groups.values():
        stacks = [library.stack([arrays[at] for at in members]) for arrays in [a.arrays, *others]]
        result, status = work(*stacks)
        for place, at in enumerate(members):
            parts = tuple(part[place, ...] for part in result) if isinstance(result, tuple) else result[place, ...]
            results[at], statuses[at] = parts, status[place, ...]
    wants_check = not return_status if check is None else check
    if wants_check and count:
        codes = [int(status) for status in statuses]
        bad = [(at, code) for at, code in enumerate(codes) if code]
        if bad:
            raise_for((len(bad), bad[:8]), (count,), pivoting)
    if return_status:
        return results, (library.stack(statuses) if count else np.empty(0, np.int32))
    return results, None


def addresses(operands: List[Operand]) -> List[Addresses]:
    return [operand.matrices for operand in operands]


def pair(result: Any, status: Any, return_status: bool) -> Any:
    return (result, status) if return_status else result


def put(a: Matrices, results: List[Any], out: Any) -> List[Any]:
    """Results where they are wanted."""
    if out is None:
        return results
    # All are looked at before one is written.
    code = NAMES.index(str(results[0].dtype).rpartition(".")[2]) if results else INT32
    fit(a, [tuple(x.shape) for x in results], code, out)
    for to, x in zip(out, results):
        a.library.assign(to, x)
    return list(out)


def one_each(out: Any, count: int, what: str = "`out`") -> None:
    if not isinstance(out, (list, tuple)) or len(out) != count:
        raise ValueError(f"{what} must be a list of {count} arrays, one for each matrix")


def fit(a: Matrices, shapes: List[Shape], code: int, out: Any, what: str = "`out`") -> None:
    """Raises an error unless outputs that were given, one a matrix, are of these shapes and this type."""
    one_each(out, len(shapes), what)
    for x, to, shape in zip(a.arrays, out, shapes):
        checked(a.library, x, to, shape, code)


def of_columns(work: Callable[..., Tuple[Any, Any]]) -> Callable[..., Tuple[Any, Any]]:
    """Of right-hand sides, which come last, stacks of vectors are ones of matrices of one column."""

    def of_columns(*stacks: Any) -> Tuple[Any, Any]:
        *others, b = stacks
        if len(b.shape) > 2:
            return work(*others, b)
        result, status = work(*others, b[:, :, None])
        return result[:, :, 0], status

    return of_columns
