"""Lists of matrices of many sizes: a list in, a list out."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

import warplu

from . import _warplu
from ._arguments import Method, method
from ._dtypes import ARITHMETIC, INT32, REAL
from ._libraries import adopt
from ._list_operands import (
    ListCall,
    Outputs,
    addresses,
    by_groups,
    fit,
    of_columns,
    operands,
    pair,
    put,
    sides,
    squares,
)


def is_list(a: Any) -> bool:
    """Whether it is a list of matrices, not numbers in lists, which make one array."""
    return isinstance(a, (list, tuple)) and all(len(getattr(x, "shape", ())) == 2 for x in a)


_QUIET: Dict[str, Any] = {"check": False, "return_status": True}


def inv(a: Any, out: Any, how: Method, check: Optional[bool], return_status: bool, device: Optional[str]) -> Any:
    matrices = squares(a)
    if not matrices.is_on_host:
        work = lambda x: warplu._general.inverted(x, how, None, False, False, True, device)  # noqa: E731
        results, status = by_groups(matrices, [], work, check, return_status, how.pivoting)
        return pair(put(matrices, results, out), status, return_status)
    call, sources = ListCall(matrices, device, check, return_status, how.pivoting), operands(matrices)
    to = Outputs(matrices, [tuple(x.shape) for x in matrices.arrays], matrices.code, out, sources)
    bad = _warplu.inv_list(
        call.device, matrices.code, how, addresses(sources), to.matrices, call.status_address, call.check
    )
    return call.finish(to.results(), bad)


def solve(
    a: Any, b: Any, out: Any, how: Method, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    matrices = squares(a)
    right = sides(matrices, b)
    if not matrices.is_on_host:
        work = of_columns(lambda x, y: warplu._general.solved(x, y, how, None, False, False, True, device))
        results, status = by_groups(matrices, [right.arrays], work, check, return_status, how.pivoting)
        return pair(put(matrices, results, out), status, return_status)
    call = ListCall(matrices, device, check, return_status, how.pivoting)
    sources, columns = operands(matrices), operands(right)
    to = Outputs(matrices, [tuple(x.shape) for x in right.arrays], matrices.code, out, sources + columns)
    bad = _warplu.solve_list(
        call.device,
        matrices.code,
        how,
        addresses(sources),
        addresses(columns),
        to.matrices,
        call.status_address,
        call.check,
    )
    return call.finish(to.results(), bad)


def lu_factor(
    a: Any,
    out: Tuple[Any, Any],
    pivoting: str,
    check: Optional[bool],
    return_status: bool,
    device: Optional[str],
) -> Any:
    matrices = squares(a)
    given_lu, given_piv = out
    shapes = [tuple(x.shape) for x in matrices.arrays]
    if given_piv is not None:
        fit(matrices, [shape[:1] for shape in shapes], INT32, given_piv, "`piv` of `out`")
    if not matrices.is_on_host:
        work = lambda x: warplu.lu_factor(x, **_QUIET, pivoting=pivoting, device=device)  # noqa: E731
        results, status = by_groups(matrices, [], work, check, return_status, pivoting)
        lu, piv = (put(matrices, [result[at] for result in results], out[at]) for at in range(2))
        return pair((lu, piv), status, return_status)
    call = ListCall(matrices, device, check, return_status, pivoting)
    sources, library = operands(matrices), matrices.library
    to = Outputs(matrices, shapes, ARITHMETIC[matrices.code], given_lu, sources)
    orders = [shape[0] for shape in shapes]
    piv, address = library.empty((sum(orders),), INT32, call.like)
    bad = _warplu.lu_factor_list(
        call.device,
        matrices.code,
        method("gen", False, pivoting),
        addresses(sources),
        to.matrices,
        address,
        call.status_address,
        call.check,
    )
    piv, ends = library.finish(piv, call.like), [sum(orders[: at + 1]) for at in range(len(orders))]
    pivots = put(matrices, [piv[end - n : end] for end, n in zip(ends, orders)], given_piv)
    return call.finish((to.results(), pivots), bad)


def lu_solve(
    lu: Any, piv: Any, b: Any, trans: int, out: Any, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    matrices = squares(lu)
    right = sides(matrices, b)
    if not isinstance(piv, (list, tuple)) or len(piv) != len(matrices.arrays):
        raise ValueError(f"`piv` must be a list of {len(matrices.arrays)} arrays, one for each matrix")
    pivots = [adopt(x)[1] for x in piv]
    wants_check = not return_status if check is None else check

    def work(x: Any, p: Any, y: Any) -> Tuple[Any, Any]:
        if wants_check and not matrices.is_on_host:
            warplu._lu.check_rows(matrices.library, p, x.shape[-1])
        return warplu.lu_solve((x, p), y, trans, **_QUIET, device=device)

    results, status = by_groups(matrices, [pivots, right.arrays], of_columns(work), check, return_status)
    return pair(put(matrices, results, out), status, return_status)


def cholesky(
    a: Any, upper: bool, out: Any, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    matrices = squares(a)
    work = lambda x: warplu.cholesky(x, upper=upper, **_QUIET, device=device)  # noqa: E731
    results, status = by_groups(matrices, [], work, check, return_status)
    return pair(put(matrices, results, out), status, return_status)


def cho_solve(
    c: Any, lower: bool, b: Any, out: Any, check: Optional[bool], return_status: bool, device: Optional[str]
) -> Any:
    matrices = squares(c)
    right = sides(matrices, b)
    work = of_columns(lambda x, y: warplu.cho_solve((x, lower), y, **_QUIET, device=device))
    results, status = by_groups(matrices, [right.arrays], work, check, return_status)
    return pair(put(matrices, results, out), status, return_status)


def rcond(a: Any, p: Any, how: Method, return_status: bool, device: Optional[str]) -> Any:
    matrices = squares(a)
    work = lambda x: warplu._determinants.conditions(x, p, how, True, device)  # noqa: E731
    results, status = by_groups(matrices, [], work, False, return_status)
    return pair(matrices.library.stack(results) if results else np.empty(0), status, return_status)


def growth(a: Any, lu: Any) -> Any:
    matrices = squares(a)
    if not isinstance(lu, (list, tuple)) or len(lu) != len(matrices.arrays):
        raise ValueError(f"`lu` must be a list of {len(matrices.arrays)} arrays, one for each matrix")
    results = [warplu.growth(x, own) for x, own in zip(matrices.arrays, lu)]
    return matrices.library.stack(results) if results else np.empty(0)


def logs(a: Any, wants_values: bool, how: Method, return_status: bool, device: Optional[str]) -> Any:
    """As `_logs` of `_determinants`."""
    matrices = squares(a)
    library, count = matrices.library, len(matrices.arrays)
    call = ListCall(matrices, device, False, return_status)
    if not matrices.is_on_host:
        found = warplu._determinants.found
        work = lambda x: found(x, wants_values, how, True, device)  # noqa: E731
        results, call.status = by_groups(matrices, [], work, False, True)
        if wants_values:
            return (library, library.stack(results), None, None), call
        phase, log_abs = (library.stack([result[at] for result in results]) for at in range(2))
        return (library, None, phase, log_abs), call
    scalar, sources = ARITHMETIC[matrices.code], operands(matrices)
    values, values_at = library.empty((count,), scalar, call.like)
    phase, phase_at = library.empty((count,), scalar, call.like)
    log_abs, log_at = library.empty((count,), REAL[matrices.code], call.like)
    _warplu.det_list(
        call.device, matrices.code, how, addresses(sources), phase_at, log_at, values_at, call.status_address
    )
    return (library, values if wants_values else None, phase, log_abs), call
