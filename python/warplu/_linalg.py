"""Linear algebra of stacks of matrices."""

from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _lists, _warplu
from ._call import Call
from ._dtypes import ARITHMETIC, FLOAT32, INT32, REAL, promoted
from ._libraries import NUMPY, Library, Shape, adopt
from ._operands import Operand, Target

_GENERAL, _LOWER, _UPPER = range(3)
#: The names of types of interchanges, whichever library's they are.
_INTEGERS: Dict[Any, str] = {}


class SlogdetResult(NamedTuple):
    """Signs, or phases, and logarithms of sizes of determinants."""

    sign: Any
    logabsdet: Any


def _structure(assume_a: str, lower: bool) -> int:
    if assume_a in ("gen", "general"):
        return _GENERAL
    if assume_a in ("pos", "positive definite"):
        return _LOWER if lower else _UPPER
    raise ValueError(f"assume_a is {assume_a!r}: use 'gen', or 'pos' for positive definite matrices")


def _square(a: Any, what: str = "a") -> Tuple[Shape, int]:
    """The shape of the stack and the order of its matrices."""
    shape = tuple(a.shape)
    if len(shape) < 2:
        raise ValueError(f"`{what}` must have 2 dimensions or more, but has the shape {shape}")
    if shape[-1] != shape[-2]:
        raise ValueError(f"the matrices of `{what}` must be square, but its shape is {shape}")
    return shape[:-2], shape[-1]


def _same_library(library: Library, x: Any, what: str) -> Any:
    other, x = adopt(x)
    if other is not library:
        raise TypeError(f"`{what}` is an array of {other.name}, the first argument one of {library.name}: convert one of them")
    return x


def _together(library: Library, a: Any, b: Any) -> Tuple[Any, Any, int]:
    """Two arrays in one type of elements."""
    (a, one), (b, other) = library.floating(a), library.floating(b)
    if library.ordinal(a) != library.ordinal(b):
        raise ValueError("the arrays are on different devices: move them to the same")
    code = promoted(one, other)
    return (a if one == code else library.cast(a, code)), (b if other == code else library.cast(b, code)), code


def _broadcast(a: Shape, b: Shape, n: int) -> Tuple[Shape, int, bool, Shape]:
    """For systems with matrices `a` (a stack's shape) of order `n` and right-hand sides of shape `b`: the stack of the
    solutions, how many each has, whether `b` is a vector, and the shape of the solutions."""
    is_vector = len(b) == 1
    if not b or b[0 if is_vector else -2] != n:
        raise ValueError(f"`b` of shape {b} does not fit matrices of order {n}: it must be ({n},) or (..., {n}, k)")
    if is_vector:
        return a, 1, True, a + (n,)
    if a == b[:-2]:
        return a, b[-1], False, a + b[-2:]
    try:
        batch = np.broadcast_shapes(a, b[:-2])
    except ValueError:
        raise ValueError(f"stacks of shapes {a} and {b[:-2]} do not broadcast") from None
    return batch, b[-1], False, batch + b[-2:]


def inv(
    a: Any,
    *,
    out: Any = None,
    overwrite_a: bool = False,
    assume_a: str = "gen",
    lower: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Inverses of matrices, by LU with partial pivoting.

    Args:
        a: (..., n, n), or a list of matrices (n, n) of any sizes.
        out: where the inverses go; it may be `a`.
        overwrite_a: whether `a` may be used for the inverses.
        assume_a: "pos" for positive definite matrices, which go by Cholesky factors.
        lower: with "pos", whether the lower triangle is read, not the upper.
        check: whether bad matrices are an error. By default they are, unless `return_status` is set. For arrays on a
            GPU, the call waits for the result then.
        return_status: whether to return (result, status): 0 for each matrix that is well, k > 0 where U[k-1, k-1] is
            exactly zero, -1 where a NaN or an infinity was met, -1 - k where the leading minor of order k is not positive.
        device: for arrays in host memory, "cpu" (by default), "cuda", "cuda:1", "cuda:all" or "auto".

    Returns:
        The inverses, (..., n, n), of the type of `a`; NaN for bad matrices.

    Raises:
        BadMatrixError: if matrices are singular or not finite, and `check`.
        ValueError: for shapes that are none of square matrices.
        TypeError: for other types of elements.

    >>> import numpy as np, warplu
    >>> warplu.inv(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    >>> inverse, status = warplu.inv(np.zeros((3, 2, 2)) + np.eye(2) * [[[1]], [[0]], [[2]]], return_status=True)
    >>> status.tolist()
    [0, 1, 0]
    """
    kind = _structure(assume_a, lower)
    if _lists.is_list(a):
        return _lists.inv(a, out, kind, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = _square(a)
    call = Call(library, a, batch, device, check, return_status)
    source = Operand(library, a, code, batch)
    out = _allowed(library, out, overwrite_a, given, a, source)
    target = Target(library, a, batch + (n, n), code, batch, (n, n), out, [source], source)
    bad = _warplu.inv(call.place, code, kind, source.matrices, target.matrices, call.status_address, call.tells)
    return call.finish(target.result(), bad)


def _allowed(library: Library, out: Any, overwrite: bool, given: Any, own: Any, operand: Operand) -> Any:
    """The output: what was asked for, or an input that may be overwritten, if it is worked on where it is."""
    if out is None and overwrite and library.writes:
        if given is own and operand.array is own and not operand.view.read_only:
            return own
    return out


def solve(
    a: Any,
    b: Any,
    *,
    out: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    assume_a: str = "gen",
    lower: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Solves A X = B for each matrix, by LU with partial pivoting.

    Stacks broadcast; a matrix with a stack of right-hand sides is factored once.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        b: (..., n, k), or a vector (n,) for all matrices, as in NumPy 2; or a list, of (n, k) or (n,) for each matrix.
        out: where the solutions go; it may be `b`.
        overwrite_a: accepted as SciPy does; nothing is gained from it.
        overwrite_b: whether `b` may be used for the solutions.
        assume_a, lower, check, return_status, device: as for `inv`.

    Returns:
        X, of the shape of `b`, broadcast; NaN where a matrix is bad, or a right-hand side of its not finite.

    Raises:
        BadMatrixError, ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> warplu.solve(np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([3.0, 2.0])).tolist()
    [1.0, 1.0]
    >>> [x.tolist() for x in warplu.solve([np.eye(1) * 4, np.eye(2)], [np.ones(1), np.ones((2, 1))])]
    [[0.25], [[1.0], [1.0]]]
    """
    kind = _structure(assume_a, lower)
    if _lists.is_list(a):
        return _lists.solve(a, b, out, kind, check, return_status, device)
    library, a = adopt(a)
    given = _same_library(library, b, "b")
    a, b, code = _together(library, a, given)
    stack, n = _square(a)
    batch, rhs, is_vector, shape = _broadcast(stack, tuple(b.shape), n)
    call = Call(library, a, batch, device, check, return_status)
    if stack != batch and math.prod(stack) == 1 and code >= FLOAT32 and not library.waits:
        return _solve_by_factors(library, a, given, b, out, overwrite_b, kind, device, call)
    matrices, sides = Operand(library, a, code, batch), Operand(library, b, code, batch, is_vector)
    out = _allowed(library, out, overwrite_b and shape == tuple(b.shape), given, b, sides)
    target = Target(library, a, shape, code, batch, (n, rhs), out, [matrices, sides], sides)
    bad = _warplu.solve(
        call.place, code, kind, matrices.matrices, sides.matrices, target.matrices, call.status_address, call.tells
    )
    return call.finish(target.result(), bad)


def _solve_by_factors(
    library: Library, a: Any, given: Any, b: Any, out: Any, overwrite_b: bool, kind: int, device: Optional[str], call: Call
) -> Any:
    """Solves with one matrix and a stack of right-hand sides."""
    overwrite_b = overwrite_b and given is b
    options = {"check": False, "return_status": True, "device": device}
    if kind == _GENERAL:
        factors, status = lu_factor(a, **options)
    else:
        factors, status = cholesky(a, upper=kind == _UPPER, **options)
    # Of each system, that of its matrix.
    status = library.contiguous(library.broadcast(status, call.batch))
    view = library.view(status)
    assert view is not None
    call.status, call.status_address = status, view.address
    if kind == _GENERAL:
        return _lu_solve(library, factors[0], factors[1], b, 0, out, overwrite_b, call, is_known=True)
    return _cho_solve(library, factors, kind == _UPPER, b, out, overwrite_b, call)


def lu_factor(
    a: Any,
    *,
    overwrite_a: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Factors matrices, PA = LU with partial pivoting.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        overwrite_a: whether `a` may be used for the factors.
        check, return_status, device: as for `inv`. With ``check=False`` singular matrices have factors, too.

    Returns:
        (lu, piv), as SciPy has them: U, with L below its diagonal, (..., n, n); and the interchanges, (..., n), int32: row
        k was swapped with row piv[k], both counted from 0. Factors of 16-bit types are float32. For a list, two lists.

    Raises:
        BadMatrixError, ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> lu, piv = warplu.lu_factor(np.array([[1.0, 2.0], [4.0, 2.0]]))
    >>> lu.tolist(), piv.tolist()
    ([[4.0, 2.0], [0.25, 1.5]], [1, 1])
    """
    if _lists.is_list(a):
        return _lists.lu_factor(a, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = _square(a)
    call = Call(library, a, batch, device, check, return_status)
    source, kind = Operand(library, a, code, batch), ARITHMETIC[code]
    out = _allowed(library, None, overwrite_a and kind == code, given, a, source)
    target = Target(library, a, batch + (n, n), kind, batch, (n, n), out, [source], source)
    piv, address = library.empty(batch + (n,), INT32, a)
    bad = _warplu.lu_factor(
        call.place, code, source.matrices, target.matrices, address, call.status_address, call.tells
    )
    return call.finish((target.result(), library.finish(piv, a)), bad)


def lu_solve(
    lu_and_piv: Tuple[Any, Any],
    b: Any,
    trans: int = 0,
    *,
    out: Any = None,
    overwrite_b: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Solves op(A) X = B from the factors that `lu_factor` returned, or SciPy's.

    Args:
        lu_and_piv: (lu, piv), of (..., n, n) and (..., n), or of two lists. Interchanges are counted from 0.
        b: (..., n, k) or (n,), or a list, as for `solve`. Stacks broadcast.
        trans: 0 for A, 1 for its transpose, 2 for its conjugate transpose.
        out, overwrite_b, return_status, device: as for `solve`.
        check: as for `inv`. For arrays on a GPU, interchanges are only looked at with it: without, any that is no row of
            its matrix makes the GPU fail.

    Returns:
        X, of the shape of `b`, broadcast; NaN where it is not finite.

    Raises:
        BadMatrixError, ValueError, TypeError: as `solve`.

    >>> import numpy as np, warplu
    >>> factors = warplu.lu_factor(np.array([[2.0, 0.0], [1.0, 1.0]]))
    >>> warplu.lu_solve(factors, np.array([3.0, 1.0]), trans=1).tolist()
    [1.0, 1.0]
    """
    lu, piv = lu_and_piv
    if trans not in (0, 1, 2):
        raise ValueError(f"trans is {trans!r}: use 0 (A), 1 (its transpose) or 2 (its conjugate transpose)")
    if _lists.is_list(lu):
        return _lists.lu_solve(lu, piv, b, trans, out, check, return_status, device)
    library, lu = adopt(lu)
    piv, given = _same_library(library, piv, "piv"), _same_library(library, b, "b")
    lu, b, code = _together(library, lu, given)
    if code < FLOAT32:
        lu, b = library.cast(lu, FLOAT32), library.cast(b, FLOAT32)
    stack, n = _square(lu, "lu")
    if tuple(piv.shape) != stack + (n,):
        raise ValueError(f"`piv` must have the shape {stack + (n,)}, as `lu` is {tuple(lu.shape)}, but has {tuple(piv.shape)}")
    batch = _broadcast(stack, tuple(b.shape), n)[0]
    call = Call(library, lu, batch, device, check, return_status, are_read=True)
    return _lu_solve(library, lu, piv, b, trans, out, overwrite_b and given is b, call)


def _lu_solve(
    library: Library,
    lu: Any,
    piv: Any,
    b: Any,
    trans: int,
    out: Any,
    overwrite_b: bool,
    call: Call,
    is_known: bool = False,
) -> Any:
    code = library.floating(lu)[1]
    stack, n = _square(lu)
    batch, rhs, is_vector, shape = _broadcast(stack, tuple(b.shape), n)
    factors, sides = Operand(library, lu, code, batch), Operand(library, b, code, batch, is_vector)
    piv, is_valid = _pivots(library, piv, batch + (n,), n, call, is_known)
    out = _allowed(library, out, overwrite_b and shape == tuple(b.shape), b, b, sides)
    target = Target(library, lu, shape, code, batch, (n, rhs), out, [factors, sides], sides)
    view = library.view(piv)
    assert view is not None
    bad = _warplu.lu_solve(
        call.place,
        code,
        trans,
        factors.matrices,
        view.address,
        not is_valid,
        sides.matrices,
        target.matrices,
        call.status_address,
        call.tells,
    )
    return call.finish(target.result(), bad)


def check_rows(library: Library, piv: Any, n: int) -> bool:
    """Whether interchanges are rows of matrices of order `n`, an error if not; False where nobody can tell here."""
    bounds = library.bounds(piv)
    if bounds is None:
        return False
    least, greatest = bounds
    if least < 0 or greatest >= max(n, 1):
        raise ValueError(
            f"`piv` is from {least} to {greatest}, but rows are counted from 0 to {n - 1}: subtract 1 from LAPACK's or PyTorch's"
        )
    return True


def _pivots(library: Library, piv: Any, shape: Shape, n: int, call: Call, is_valid: bool) -> Tuple[Any, bool]:
    """Interchanges as int32, compact, for a stack of this shape; and whether the extension module need not look whether
    they are rows, as on the CPU it does anyway."""
    # With its type, as types of elements of some libraries must not be compared with others'.
    kind = type(piv.dtype), piv.dtype
    name = _INTEGERS.get(kind)
    if name is None:
        name = _INTEGERS[kind] = str(piv.dtype).rpartition(".")[2]
    if name not in ("int32", "int64", "uint32", "uint64"):
        raise TypeError(f"`piv` must be of int32, as lu_factor returns it, but is of {piv.dtype}")
    if not is_valid and not isinstance(call.place, str):
        is_valid = not call.check or check_rows(library, piv, n)
    if name != "int32":
        # Narrowed numbers may be rows that those before were not.
        if not is_valid:
            check_rows(library, piv, n)
        piv = library.cast(piv, INT32)
    view = library.view(piv)
    if view is None or view.strides is not None or view.shape != shape:
        piv = library.contiguous(library.broadcast(piv, shape))
    return piv, is_valid


def det(
    a: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Determinants.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        assume_a, lower, return_status, device: as for `inv`.

    Returns:
        The determinants, (...), or one for each matrix of a list: 0 for a singular matrix, NaN for one that is not
        finite, or not positive definite where it should be. Those of 16-bit types are float32. See `slogdet` for ones that are
        too large or too small.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> round(float(warplu.det(np.array([[0.0, 2.0], [3.0, 0.0]]))), 12)
    -6.0
    """
    (library, values, phase, log_abs), call = _logs(a, True, assume_a, lower, return_status, device)
    if values is None:
        values = library.det(library.finish(phase, call.like), library.finish(log_abs, call.like))
    return call.finish(_scalar(library, library.finish(values, call.like)))


def slogdet(
    a: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Signs and logarithms of determinants, which neither overflow nor vanish.

    Args:
        a, assume_a, lower, return_status, device: as for `det`.

    Returns:
        A named tuple (sign, logabsdet), each (...): det A = sign * exp(logabsdet). The sign of a complex determinant is its
        phase. (0, -inf) for a singular matrix, NaN for one that is not finite.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> sign, logabsdet = warplu.slogdet(np.eye(3) * -1e200)
    >>> float(sign), round(float(logabsdet), 6)
    (-1.0, 1381.551056)
    """
    (library, _, phase, log_abs), call = _logs(a, False, assume_a, lower, return_status, device)
    phase, log_abs = (_scalar(library, library.finish(x, call.like)) for x in (phase, log_abs))
    return call.finish(SlogdetResult(phase, log_abs))


def _scalar(library: Library, x: Any) -> Any:
    """A number of NumPy's for an array of no dimensions, as NumPy returns it."""
    return x[()] if library is NUMPY else x


def _logs(
    a: Any, wants_values: bool, assume_a: str, lower: bool, return_status: bool, device: Optional[str]
) -> Tuple[Tuple[Library, Any, Any, Any], Call]:
    """Determinants, their phases and logarithms: which there are of them."""
    kind = _structure(assume_a, lower)
    if _lists.is_list(a):
        return _lists.logs(a, wants_values, kind, return_status, device)
    library, a = adopt(a)
    a, code = library.floating(a)
    batch, _ = _square(a)
    call = Call(library, a, batch, device, False, return_status)
    source, scalar = Operand(library, a, code, batch), ARITHMETIC[code]
    values = phase = log_abs = None
    values_at = phase_at = log_at = 0
    if wants_values and isinstance(call.place, str):
        values, values_at = library.empty(batch, scalar, a)
    else:
        phase, phase_at = library.empty(batch, scalar, a)
        log_abs, log_at = library.empty(batch, REAL[code], a)
    _warplu.det(call.place, code, kind, source.matrices, phase_at, log_at, values_at, call.status_address, call.tells)
    return (library, values, phase, log_abs), call


def rcond(a: Any, p: Any = 1, *, return_status: bool = False, device: Optional[str] = None) -> Any:
    """Reciprocal condition numbers 1 / (|A| |A^-1|), exact up to order 32 and LAPACK's estimate beyond.

    Matrices on a GPU pass through host memory.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        p: the norm: 1 or inf.
        return_status, device: as for `inv`.

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
    if _lists.is_list(a):
        return _lists.rcond(a, p, return_status, device)
    library, a = adopt(a)
    ordinal = library.ordinal(a)
    if ordinal is not None:
        name = f"cuda:{ordinal}" if device is None else device
        value, status = rcond(library.to_host(library.floating(a)[0]), p, return_status=True, device=name)
        value, status = (library.from_host(np.asarray(x), a) for x in (value, status))
        return (value, status) if return_status else value
    a, code = library.floating(a)
    batch, _ = _square(a)
    call = Call(library, a, batch, device, False, return_status)
    source = Operand(library, a, code, batch)
    out, address = library.empty(batch, REAL[code], a)
    _warplu.rcond(call.place, code, p != 1, source.matrices, address, call.status_address)
    return call.finish(_scalar(library, library.finish(out, a)))


def cholesky(
    a: Any,
    *,
    upper: bool = False,
    overwrite_a: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Cholesky factors of Hermitian positive definite matrices, A = L L^H or A = U^H U.

    Args:
        a: (..., n, n), of which one triangle is read, or a list of matrices of any sizes.
        upper: whether to read the upper triangle, and return U.
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
        return _lists.cholesky(a, upper, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = _square(a)
    call = Call(library, a, batch, device, check, return_status)
    source, kind = Operand(library, a, code, batch), ARITHMETIC[code]
    out = _allowed(library, None, overwrite_a and kind == code, given, a, source)
    target = Target(library, a, batch + (n, n), kind, batch, (n, n), out, [source], source)
    bad = _warplu.cholesky(
        call.place, code, upper, source.matrices, target.matrices, call.status_address, call.tells
    )
    return call.finish(target.result(), bad)


def cho_factor(
    a: Any,
    lower: bool = False,
    *,
    overwrite_a: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Cholesky factors for `cho_solve`.

    Args:
        lower: whether to read the lower triangle, and return L.
        a, overwrite_a, check, return_status, device: as for `cholesky`.

    Returns:
        (c, lower), as SciPy has it, but that the other triangle of `c` is zero.

    Raises:
        BadMatrixError, ValueError, TypeError: as `cholesky`.

    >>> import numpy as np, warplu
    >>> c, lower = warplu.cho_factor(np.array([[4.0, 2.0], [2.0, 10.0]]))
    >>> c.tolist(), lower
    ([[2.0, 1.0], [0.0, 3.0]], False)
    """
    options = {"overwrite_a": overwrite_a, "check": check, "return_status": return_status, "device": device}
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
    given = _same_library(library, b, "b")
    c, b, code = _together(library, c, given)
    if code < FLOAT32:
        c, b = library.cast(c, FLOAT32), library.cast(b, FLOAT32)
    stack, n = _square(c, "c")
    batch = _broadcast(stack, tuple(b.shape), n)[0]
    call = Call(library, c, batch, device, check, return_status, are_read=True)
    return _cho_solve(library, c, not lower, b, out, overwrite_b and given is b, call)


def _cho_solve(
    library: Library, c: Any, upper: bool, b: Any, out: Any, overwrite_b: bool, call: Call
) -> Any:
    code = library.floating(c)[1]
    stack, n = _square(c)
    batch, rhs, is_vector, shape = _broadcast(stack, tuple(b.shape), n)
    factors, sides = Operand(library, c, code, batch), Operand(library, b, code, batch, is_vector)
    out = _allowed(library, out, overwrite_b and shape == tuple(b.shape), b, b, sides)
    target = Target(library, c, shape, code, batch, (n, rhs), out, [factors, sides], sides)
    bad = _warplu.cho_solve(
        call.place,
        code,
        upper,
        factors.matrices,
        sides.matrices,
        target.matrices,
        call.status_address,
        call.tells,
    )
    return call.finish(target.result(), bad)
