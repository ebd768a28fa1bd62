"""Positive definite matrices: Cholesky factors, and solutions from them."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import _lists, _warplu
from ._arguments import allowed, broadcast, same_library, square, together
from ._call import Call
from ._dtypes import ARITHMETIC, FLOAT32
from ._libraries import Library, adopt
from ._operands import Operand, Target


def cholesky(
    a: Any,
    *,
    upper: bool = False,
    out: Any = None,
    overwrite_a: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Cholesky factors of Hermitian positive definite matrices, A = L L^H or A = U^H U.

    Args:
        a: (..., n, n), of which one triangle is read, or a list of matrices of any sizes.
        upper: whether to read the upper triangle, and return U.
        out: where the factors go; it may be `a`. Loops save the time that fresh memory takes.
        overwrite_a: whether `a` may be used for the factors.
        check, return_status, device: as for `inv`.

    Returns:
        L or U, (..., n, n), with zeros in the other triangle; NaN for matrices that are not positive definite. Those of
        16-bit types are float32.

    Raises:
        BadMatrixError: if matrices are not positive definite or not finite, and `check`.
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> warplu.cholesky(np.array([[4.0, 2.0], [2.0, 10.0]])).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    if _lists.is_list(a):
        return _lists.cholesky(a, upper, out, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = square(a)
    call = Call(library, a, batch, device, check, return_status)
    source, kind = Operand(library, a, code, batch), ARITHMETIC[code]
    out = allowed(library, out, overwrite_a and kind == code, given, a, source)
    target = Target(library, a, batch + (n, n), kind, batch, (n, n), out, [source], source)
    bad = _warplu.cholesky(call.place, code, upper, source.matrices, target.matrices, call.status_address, call.tells)
    return call.finish(target.result(), bad)


def cho_factor(
    a: Any,
    lower: bool = False,
    *,
    out: Any = None,
    overwrite_a: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Cholesky factors for `cho_solve`.

    Args:
        lower: whether to read the lower triangle, and return L.
        a, out, overwrite_a, check, return_status, device: as for `cholesky`.

    Returns:
        (c, lower), as SciPy has it, but that the other triangle of `c` is zero.

    Raises:
        BadMatrixError, ValueError, TypeError: as `cholesky`.

    >>> import numpy as np, warplu
    >>> c, lower = warplu.cho_factor(np.array([[4.0, 2.0], [2.0, 10.0]]))
    >>> c.tolist(), lower
    ([[2.0, 1.0], [0.0, 3.0]], False)
    """
    options: Dict[str, Any] = {
        "out": out,
        "overwrite_a": overwrite_a,
        "check": check,
        "return_status": return_status,
        "device": device,
    }
    factors = cholesky(a, upper=not lower, **options)
    return ((factors[0], lower), factors[1]) if return_status else (factors, lower)


def cho_solve(
    c_and_lower: Tuple[Any, bool],
    b: Any,
    *,
    out: Any = None,
    overwrite_b: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Solves A X = B from the factors that `cho_factor` returned, or SciPy's.

    Args:
        c_and_lower: (c, lower), of factors (..., n, n), or a list of them, and whether they are lower triangular.
        b, out, overwrite_b, check, return_status, device: as for `solve`.

    Returns:
        X, of the shape of `b`, broadcast; NaN where it is not finite.

    Raises:
        BadMatrixError, ValueError, TypeError: as `solve`.

    >>> import numpy as np, warplu
    >>> warplu.cho_solve(warplu.cho_factor(np.array([[4.0, 2.0], [2.0, 10.0]])), np.array([6.0, 12.0])).tolist()
    [1.0, 1.0]
    """
    c, lower = c_and_lower
    if _lists.is_list(c):
        return _lists.cho_solve(c, lower, b, out, check, return_status, device)
    library, c = adopt(c)
    given = same_library(library, b, "b", c)
    c, b, code = together(library, c, given)
    if code < FLOAT32:
        c, b = library.cast(c, FLOAT32), library.cast(b, FLOAT32)
    stack, n = square(c, "c")
    batch = broadcast(stack, tuple(b.shape), n)[0]
    call = Call(library, c, batch, device, check, return_status)
    return cho_solved(library, c, not lower, b, out, overwrite_b and given is b, call)


def cho_solved(
    library: Library,
    c: Any,
    upper: bool,
    b: Any,
    out: Any,
    overwrite_b: bool,
    call: Call,
    known: Optional[int] = None,
) -> Any:
    """Solutions from factors whose statuses are known, at an address, or else well."""
    code = library.floating(c)[1]
    stack, n = square(c)
    batch, rhs, is_vector, shape = broadcast(stack, tuple(b.shape), n)
    factors, sides = Operand(library, c, code, batch), Operand(library, b, code, batch, is_vector)
    out = allowed(library, out, overwrite_b and shape == tuple(b.shape), b, b, sides)
    target = Target(library, b, shape, code, batch, (n, rhs), out, [factors, sides], sides)
    bad = _warplu.cho_solve(
        call.place,
        code,
        upper,
        factors.matrices,
        call.all_well() if known is None else known,
        sides.matrices,
        target.matrices,
        call.status_address,
        call.tells,
    )
    return call.finish(target.result(), bad)
