"""Solutions improved, with error bounds."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _lists, _warplu
from ._arguments import broadcast, method, same_library, square
from ._call import Call
from ._dtypes import CODES, FLOAT32, NAMES, REAL, promoted
from ._libraries import NUMPY, adopt, scalar
from ._operands import Operand


class RefineResult(NamedTuple):
    """Solutions, and bounds on their errors."""

    x: Any
    ferr: Any
    berr: Any


def refine(
    a: Any,
    b: Any,
    x: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Improves solutions of A X = B, and bounds their errors, as LAPACK's `xGERFS` and `xPORFS`.

    Arrays on a GPU pass through host memory.

    Args:
        a: (..., n, n).
        b: the right-hand sides, as for `solve`.
        x: the solutions that `solve` or others found, of the shape of these; it is not written to.
        assume_a, lower, check, return_status, device: as for `inv`, but that triangular matrices have no bounds.

    Returns:
        RefineResult(x, ferr, berr): the improved solutions; for each of them a bound on its forward error, relative to its
        largest element, and its component-wise backward error, the smallest relative change of elements of A and B with
        which it is exact: (..., k), or (...) for vectors. NaN for bad matrices. For 16-bit types all are float32.

    Raises:
        BadMatrixError, ValueError, TypeError: as `solve`.

    >>> import numpy as np, warplu
    >>> a, b = np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([3.0, 2.0])
    >>> x, ferr, berr = warplu.refine(a, b, np.array([1.001, 0.999]))
    >>> x.tolist(), bool(ferr < 1e-14), bool(berr < 1e-15)
    ([1.0, 1.0], True, True)
    """
    how = method(assume_a, lower, "partial")
    if "triangular" in assume_a:
        raise ValueError("solutions of triangular systems have no error bounds: leave `assume_a` out")
    if _lists.is_list(a):
        raise TypeError("`refine` takes arrays, not lists: call it for the matrices of each size")
    library, a = adopt(a)
    b, x = same_library(library, b, "b", a), same_library(library, x, "x", a)
    ordinal = library.ordinal(a)
    if ordinal is not None and device is None:
        device = f"cuda:{ordinal}"
    like, code = a, FLOAT32
    for operand in (a, b, x):
        code = promoted(code, library.floating(operand)[1])
    arrays = [np.asarray(library.to_host(library.cast(library.floating(v)[0], code))) for v in (a, b, x)]
    stack, n = square(arrays[0])
    batch, rhs, is_vector, shape = broadcast(stack, arrays[1].shape, n)
    if arrays[2].shape != shape:
        raise ValueError(f"`x` must have the shape of the solutions, {shape}, but has {arrays[2].shape}")
    sides = [v[..., None] if is_vector else v for v in arrays[1:]]
    b, x = (np.array(np.broadcast_to(v, batch + (n, rhs)), order="C") for v in sides)
    real = NAMES[REAL[code]]
    ferr, berr = (np.empty(batch + (rhs,), real) for _ in range(2))
    call = Call(NUMPY, x, batch, device, check, return_status)
    of_a, of_b, of_x = (Operand(NUMPY, v, CODES[v.dtype.name], batch) for v in (arrays[0], b, x))
    bad = _warplu.refine(
        str(call.place),
        code,
        how,
        of_a.matrices,
        of_b.matrices,
        of_x.matrices,
        (ferr.ctypes.data, berr.ctypes.data),
        call.status_address,
        call.tells,
    )
    if is_vector:
        x, ferr, berr = x[..., 0], ferr[..., 0], berr[..., 0]
    found = (library.from_host(np.array(v, order="C"), like) for v in (x, ferr, berr))
    result = RefineResult(*(scalar(library, v) if v.ndim == 0 else v for v in found))
    result = call.finish(result, bad)
    return (result[0], library.from_host(result[1], like)) if return_status else result
