"""Determinants and condition numbers."""

from __future__ import annotations

import warnings
from typing import Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from . import _lists, _warplu
from ._arguments import Method, method, square
from ._call import Call
from ._dtypes import ARITHMETIC, FLOAT32, REAL
from ._errors import IllConditionedWarning
from ._libraries import Library, adopt, scalar
from ._operands import Operand


class SlogdetResult(NamedTuple):
    """Signs, or phases, and logarithms of sizes of determinants."""

    sign: Any
    logabsdet: Any


def det(
    a: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    pivoting: str = "partial",
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Determinants.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        assume_a, lower, pivoting, return_status, device: as for `inv`.

    Returns:
        The determinants, (...), or one for each matrix of a list: 0 for a singular matrix, NaN for one that is not
        finite, not positive definite where it should be, or for which "none" finds no pivots. Those of 16-bit types
        are float32. Those that are too large are infinite, those that are too small 0: see `slogdet`.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> float(warplu.det(np.array([[0.0, 2.0], [3.0, 0.0]])))
    -6.0
    """
    return found(a, True, method(assume_a, lower, pivoting), return_status, device)


def slogdet(
    a: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    pivoting: str = "partial",
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Signs and logarithms of determinants, which neither overflow nor vanish.

    Args:
        a, assume_a, lower, pivoting, return_status, device: as for `det`.

    Returns:
        A named tuple (sign, logabsdet), each (...): det A = sign * exp(logabsdet). The sign of a complex determinant
        is its phase. (0, -inf) for a singular matrix, NaN where `det` is.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> sign, logabsdet = warplu.slogdet(np.eye(3) * -1e200)
    >>> float(sign), round(float(logabsdet), 6)
    (-1.0, 1381.551056)
    """
    return found(a, False, method(assume_a, lower, pivoting), return_status, device)


def found(a: Any, wants_values: bool, how: Method, return_status: bool, device: Optional[str]) -> Any:
    """What `det` or `slogdet` returns."""
    (library, values, phase, log_abs), call = _logs(a, wants_values, how, return_status, device)
    if wants_values:
        return call.finish(scalar(library, library.finish(values, call.like)))
    phase, log_abs = (scalar(library, library.finish(x, call.like)) for x in (phase, log_abs))
    return call.finish(SlogdetResult(phase, log_abs))


def _logs(
    a: Any, wants_values: bool, how: Method, return_status: bool, device: Optional[str]
) -> Tuple[Tuple[Library, Any, Any, Any], Call]:
    """Determinants, or their phases and logarithms; on a GPU all three."""
    if _lists.is_list(a):
        return _lists.logs(a, wants_values, how, return_status, device)
    library, a = adopt(a)
    a, code = library.floating(a)
    batch, _ = square(a)
    call = Call(library, a, batch, device, False, return_status)
    source, kind = Operand(library, a, code, batch), ARITHMETIC[code]
    values = phase = log_abs = None
    values_at = phase_at = log_at = 0
    wants_all = not isinstance(call.place, str)
    if wants_values or wants_all:
        values, values_at = library.empty(batch, kind, a)
    if not wants_values or wants_all:
        phase, phase_at = library.empty(batch, kind, a)
        log_abs, log_at = library.empty(batch, REAL[code], a)
    _warplu.det(call.place, code, how, source.matrices, phase_at, log_at, values_at, call.status_address, call.tells)
    return (library, values, phase, log_abs), call


def rcond(
    a: Any,
    p: Any = 1,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Reciprocal condition numbers 1 / (|A| |A^-1|), exact up to order 32 and LAPACK's estimate beyond.

    Matrices on a GPU pass through host memory.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        p: the norm: 1 or inf.
        assume_a, lower, return_status, device: as for `inv`.

    Returns:
        The numbers, (...), from 0 for a singular matrix to 1, NaN for one that is not finite; of the real type of `a`.
        Below some 1e-16 (float32: 6e-8) solutions may have no correct digit.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> float(warplu.rcond(np.diag([4.0, 0.5])))
    0.125
    """
    if p not in (1, np.inf, "inf"):
        raise ValueError(f"p is {p!r}: use 1 or inf")
    return conditions(a, p, method(assume_a, lower, "partial"), return_status, device)


def conditions(a: Any, p: Any, how: Method, return_status: bool, device: Optional[str]) -> Any:
    """Reciprocal condition numbers of matrices of which something may be known."""
    if _lists.is_list(a):
        return _lists.rcond(a, p, how, return_status, device)
    library, a = adopt(a)
    ordinal = library.ordinal(a)
    if ordinal is not None:
        name = f"cuda:{ordinal}" if device is None else device
        a, code = library.floating(a)
        if code < FLOAT32:  # not all of which NumPy has
            a = library.cast(a, FLOAT32)
        value, status = conditions(library.to_host(a), p, how, True, name)
        value, status = (library.from_host(np.asarray(x), a) for x in (value, status))
        return (value, status) if return_status else value
    a, code = library.floating(a)
    batch, _ = square(a)
    call = Call(library, a, batch, device, False, return_status)
    source = Operand(library, a, code, batch)
    out, address = library.empty(batch, REAL[code], a)
    _warplu.rcond(str(call.place), code, p != 1, how, source.matrices, address, call.status_address)
    return call.finish(scalar(library, library.finish(out, a)))


def with_conditions(work: Callable[[], Any], a: Any, how: Method, return_status: bool, device: Optional[str]) -> Any:
    """A result and reciprocal condition numbers, which come first, as `a` may be overwritten; and a warning where there
    is reason for it."""
    numbers, _ = conditions(a, 1, how._replace(pivoting="partial"), True, device)
    library, on_device = adopt(numbers)
    host = np.asarray(library.to_host(on_device))
    # Zeros are told as statuses.
    bad = np.flatnonzero((host > 0) & (host < np.finfo(host.dtype).eps / 2))
    if bad.size:
        who = f"{bad.size} of {host.size} matrices {'is' if bad.size == 1 else 'are'}" if host.ndim else "the matrix is"
        least = host.reshape(-1)[bad].min()
        warnings.warn(
            f"{who} singular but for rounding (least reciprocal condition number {least:.1e}): results may have no "
            "correct digit",
            IllConditionedWarning,
            stacklevel=3,
        )
    result = work()
    return (*result, numbers) if return_status else (result, numbers)
