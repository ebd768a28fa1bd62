"""Lists of matrices of many sizes: a list in, a list out."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _warplu
from ._call import place_of
from ._dtypes import ARITHMETIC, INT32, REAL, promoted
from ._errors import raise_for
from ._libraries import NUMPY, Library, adopt
from ._operands import Matrices, Operand, Target

Pairs = List[Tuple[Any, Any]]


def is_list(a: Any) -> bool:
    """Whether it is a list of matrices, not numbers in lists, which make one array."""
    return isinstance(a, (list, tuple)) and all(len(getattr(x, "shape", ())) == 2 for x in a)


class _List:
    """Matrices of one library, one device, and one type of elements."""

    def __init__(self, a: Sequence[Any]) -> None:
        pairs = [adopt(x) for x in a]
        self.library: Library = pairs[0][0] if pairs else NUMPY
        for at, (library, _) in enumerate(pairs):
            if library is not self.library:
                raise TypeError(f"array {at} of a list is of {library.name}, the first of {self.library.name}: convert one")
        self.given = [x for _, x in pairs]
        floating = [self.library.floating(x) for x in self.given]
        code = None
        for _, own in floating:
            code = own if code is None else promoted(code, own)
        self.code: int = 3 if code is None else code
        self.codes = [own for _, own in floating]
        self.arrays = [x for x, _ in floating]
        self.ordinals = {self.library.ordinal(x) for x in self.arrays}
        if len(self.ordinals) > 1:
            raise ValueError("the arrays of a list are on different devices: move them to the same")

    def of(self, code: int) -> "_List":
        """In this type of elements."""
        self.arrays = [
            x if own == code else self.library.cast(x, code) for x, own in zip(self.arrays, self.codes)
        ]
        self.code = code
        self.codes = [code] * len(self.arrays)
        return self

    @property
    def is_on_host(self) -> bool:
        return self.ordinals <= {None}


def _squares(a: Sequence[Any]) -> _List:
    own = _List(a)
    for at, x in enumerate(own.arrays):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"matrix {at} is {x.shape[0]} x {x.shape[1]}: the matrices must be square")
    return own.of(own.code)


def _sides(a: _List, b: Sequence[Any]) -> _List:
    if not isinstance(b, (list, tuple)) or len(b) != len(a.arrays):
        raise ValueError(f"`b` must be a list of {len(a.arrays)} arrays, one for each matrix")
    own = _List(b)
    if own.arrays and (own.library is not a.library or own.ordinals != a.ordinals):
        raise TypeError("matrices and right-hand sides must be arrays of one library, on one device")
    for at, (matrix, x) in enumerate(zip(a.arrays, own.arrays)):
        if len(x.shape) not in (1, 2) or x.shape[0] != matrix.shape[0]:
            n = matrix.shape[0]
            raise ValueError(f"`b[{at}]` of shape {tuple(x.shape)} does not fit a matrix of order {n}: it must be ({n},) or ({n}, k)")
    if own.arrays:
        code = promoted(a.code, own.code)
        a.of(code)
        own.of(code)
    return own


class _Outputs:
    """Outputs, one a matrix."""

    def __init__(self, a: _List, shapes: List[Tuple[int, ...]], code: int, out: Any, inputs: List[Operand]) -> None:
        if out is not None and (not isinstance(out, (list, tuple)) or len(out) != len(shapes)):
            raise ValueError(f"`out` must be a list of {len(shapes)} arrays, one for each matrix")
        self.targets = []
        for at, shape in enumerate(shapes):
            own = None if out is None else out[at]
            size = (shape[0], shape[1] if len(shape) > 1 else 1)
            target = Target(a.library, a.arrays[at], shape, code, (), size, own, inputs)
            _, _, rows, cols, _, row, col = target.matrices
            # The extension module writes to compact matrices.
            if own is not None and target.final is None and rows * cols and (row, col) != (cols, 1):
                target = Target(a.library, a.arrays[at], shape, code, (), size)
                target.final = own
            self.targets.append(target)

    @property
    def matrices(self) -> List[Matrices]:
        return [target.matrices for target in self.targets]

    def results(self) -> List[Any]:
        return [target.result() for target in self.targets]


def _operands(a: _List) -> List[Operand]:
    return [Operand(a.library, x, a.code, (), len(x.shape) == 1) for x in a.arrays]


class _Call:
    """Statuses of a list, and what becomes of bad matrices."""

    def __init__(self, a: _List, device: Optional[str], check: Optional[bool], return_status: bool) -> None:
        self.a = a
        self.device = "cpu" if device is None else str(device)
        self.check = not return_status if check is None else bool(check)
        self.wants_status = return_status
        self.like = a.arrays[0] if a.arrays else np.empty(0)
        self.status, self.status_address = a.library.empty((len(a.arrays),), INT32, self.like)

    def finish(self, result: Any, bad: Any = None) -> Any:
        if bad is not None and self.check:
            raise_for(bad, (len(self.a.arrays),))
        return (result, self.a.library.finish(self.status, self.like)) if self.wants_status else result


def _by_groups(
    a: _List,
    others: List[List[Any]],
    work: Callable[..., Tuple[Any, Any]],
    check: Optional[bool],
    return_status: bool,
) -> Any:
    """Does `work`, which returns results and statuses of stacks, on stacks of arrays of one size; `others` go along with
    the matrices. Results that are tuples become tuples of lists."""
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
            raise_for((len(bad), bad[:8]), (count,))
    if return_status:
        return results, (library.stack(statuses) if count else np.empty(0, np.int32))
    return results, None


_QUIET = {"check": False, "return_status": True}


def inv(a: Any, out: Any, kind: int, check: Optional[bool], return_status: bool, device: Optional[str]) -> Any:
    from . import _linalg

    matrices = _squares(a)
    if not matrices.is_on_host:
        options = {**_QUIET, **_assumed(kind), "device": device}
        results, status = _by_groups(matrices, [], lambda x: _linalg.inv(x, **options), check, return_status)
        return _pair(_put(matrices, results, out), status, return_status)
    call, sources = _Call(matrices, device, check, return_status), _operands(matrices)
    to = _Outputs(matrices, [tuple(x.shape) for x in matrices.arrays], matrices.code, out, sources)
    bad = _warplu.inv_list(
        call.device, matrices.code, kind, _all(sources), to.matrices, call.status_address, call.check
    )
    return call.finish(to.results(), bad)


def solve(
    a: Any, b: Any, out: Any, kind: int, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    from . import _linalg

    matrices = _squares(a)
    sides = _sides(matrices, b)
    if not matrices.is_on_host:
        options = {**_QUIET, **_assumed(kind), "device": device}
        work = _of_columns(lambda x, y: _linalg.solve(x, y, **options))
        results, status = _by_groups(matrices, [sides.arrays], work, check, return_status)
        return _pair(_put(matrices, results, out), status, return_status)
    call, sources, columns = _Call(matrices, device, check, return_status), _operands(matrices), _operands(sides)
    to = _Outputs(matrices, [tuple(x.shape) for x in sides.arrays], matrices.code, out, sources + columns)
    bad = _warplu.solve_list(
        call.device, matrices.code, kind, _all(sources), _all(columns), to.matrices, call.status_address, call.check
    )
    return call.finish(to.results(), bad)


def lu_factor(a: Any, check: Optional[bool], return_status: bool, device: Optional[str]) -> Any:
    from . import _linalg

    matrices = _squares(a)
    if not matrices.is_on_host:
        work = lambda x: _linalg.lu_factor(x, **_QUIET, device=device)  # noqa: E731
        results, status = _by_groups(matrices, [], work, check, return_status)
        return _pair(([lu for lu, _ in results], [piv for _, piv in results]), status, return_status)
    call, sources, library = _Call(matrices, device, check, return_status), _operands(matrices), matrices.library
    shapes = [tuple(x.shape) for x in matrices.arrays]
    to = _Outputs(matrices, shapes, ARITHMETIC[matrices.code], None, sources)
    orders = [shape[0] for shape in shapes]
    piv, address = library.empty((sum(orders),), INT32, call.like)
    bad = _warplu.lu_factor_list(
        call.device, matrices.code, _all(sources), to.matrices, address, call.status_address, call.check
    )
    piv, ends = library.finish(piv, call.like), [sum(orders[: at + 1]) for at in range(len(orders))]
    return call.finish((to.results(), [piv[end - n : end] for end, n in zip(ends, orders)]), bad)


def lu_solve(
    lu: Any, piv: Any, b: Any, trans: int, out: Any, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    from . import _linalg

    matrices = _squares(lu)
    sides = _sides(matrices, b)
    if not isinstance(piv, (list, tuple)) or len(piv) != len(matrices.arrays):
        raise ValueError(f"`piv` must be a list of {len(matrices.arrays)} arrays, one for each matrix")
    pivots = [adopt(x)[1] for x in piv]
    wants_check = not return_status if check is None else check

    def work(x: Any, p: Any, y: Any) -> Tuple[Any, Any]:
        if wants_check and not matrices.is_on_host:
            _linalg.check_rows(matrices.library, p, x.shape[-1])
        return _linalg.lu_solve((x, p), y, trans, **_QUIET, device=device)

    results, status = _by_groups(matrices, [pivots, sides.arrays], _of_columns(work), check, return_status)
    return _pair(_put(matrices, results, out), status, return_status)


def cholesky(a: Any, upper: bool, check: Optional[bool], return_status: bool, device: Optional[str]) -> Any:
    from . import _linalg

    work = lambda x: _linalg.cholesky(x, upper=upper, **_QUIET, device=device)  # noqa: E731
    return _pair(*_by_groups(_squares(a), [], work, check, return_status), return_status)


def cho_solve(
    c: Any, lower: bool, b: Any, out: Any, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    from . import _linalg

    matrices = _squares(c)
    sides = _sides(matrices, b)
    work = _of_columns(lambda x, y: _linalg.cho_solve((x, lower), y, **_QUIET, device=device))
    results, status = _by_groups(matrices, [sides.arrays], work, check, return_status)
    return _pair(_put(matrices, results, out), status, return_status)


def rcond(a: Any, p: Any, return_status: bool, device: Optional[str]) -> Any:
    from . import _linalg

    matrices = _squares(a)
    work = lambda x: _linalg.rcond(x, p, return_status=True, device=device)  # noqa: E731
    results, status = _by_groups(matrices, [], work, False, return_status)
    return _pair(matrices.library.stack(results) if results else np.empty(0), status, return_status)


def logs(a: Any, wants_values: bool, kind: int, return_status: bool, device: Optional[str]) -> Any:
    """As `_logs` of `_linalg`."""
    from . import _linalg

    matrices = _squares(a)
    library, count = matrices.library, len(matrices.arrays)
    call = _Call(matrices, device, False, return_status)
    if not matrices.is_on_host:
        options = {**_assumed(kind), "return_status": True, "device": device}
        work = lambda x: (lambda result: ((result[0].sign, result[0].logabsdet), result[1]))(  # noqa: E731
            _linalg.slogdet(x, **options)
        )
        results, status = _by_groups(matrices, [], work, False, True)
        call.status = status
        phase, log_abs = (library.stack([result[at] for result in results]) for at in range(2))
        return (library, None, phase, log_abs), call
    scalar, sources = ARITHMETIC[matrices.code], _operands(matrices)
    values, values_at = library.empty((count,), scalar, call.like)
    phase, phase_at = library.empty((count,), scalar, call.like)
    log_abs, log_at = library.empty((count,), REAL[matrices.code], call.like)
    _warplu.det_list(
        call.device, matrices.code, kind, _all(sources), phase_at, log_at, values_at, call.status_address
    )
    return (library, values if wants_values else None, phase, log_abs), call


def _all(operands: List[Operand]) -> List[Matrices]:
    return [operand.matrices for operand in operands]


def _assumed(kind: int) -> Dict[str, Any]:
    return {"assume_a": "pos" if kind else "gen", "lower": kind == 1}


def _pair(result: Any, status: Any, return_status: bool) -> Any:
    return (result, status) if return_status else result


def _put(a: _List, results: List[Any], out: Any) -> List[Any]:
    """Results where they are wanted."""
    if out is None:
        return results
    if not isinstance(out, (list, tuple)) or len(out) != len(results):
        raise ValueError(f"`out` must be a list of {len(results)} arrays, one for each matrix")
    for to, x in zip(out, results):
        if tuple(to.shape) != tuple(x.shape) or to.dtype != x.dtype:
            raise ValueError(f"an array of `out` must be of {x.dtype} and shape {tuple(x.shape)}")
        a.library.assign(to, x)
    return list(out)


def _of_columns(work: Callable[..., Tuple[Any, Any]]) -> Callable[..., Tuple[Any, Any]]:
    """Of right-hand sides, which come last, stacks of vectors are ones of matrices of one column."""

    def of_columns(*stacks: Any) -> Tuple[Any, Any]:
        *others, b = stacks
        if len(b.shape) > 2:
            return work(*others, b)
        result, status = work(*others, b[:, :, None])
        return result[:, :, 0], status

    return of_columns
