"""LU factors, and solutions from them."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _lists, _warplu
from ._arguments import allowed, broadcast, method, same_library, square, together
from ._call import Call
from ._dtypes import ARITHMETIC, FLOAT32, INT32, REAL
from ._errors import ShapeError
from ._libraries import Library, Shape, adopt, scalar
from ._operands import Operand, Target, checked

#: As many interchanges are sooner looked at by the extension module, in a copy, than by a library.
_FEW = 1 << 14
#: The names of types of interchanges, whichever library's they are.
_INTEGERS: Dict[Any, str] = {}


def lu_factor(
    a: Any,
    *,
    out: Optional[Tuple[Any, Any]] = None,
    overwrite_a: bool = False,
    pivoting: str = "partial",
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Factors matrices, PA = LU.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        out: (lu, piv) to write to, as those that are returned; `lu` may be `a`, where it is of the same type. Loops
            save the time that fresh memory takes, which may be as long as factoring.
        overwrite_a: whether `a` may be used for the factors.
        pivoting, check, return_status, device: as for `inv`. With ``check=False`` singular matrices have factors, too,
            but for those that "none" finds no pivots in, which are NaN.

    Returns:
        (lu, piv), as SciPy has them: U, with L below its diagonal, (..., n, n); and the interchanges, (..., n),
        int32: row k was swapped with row piv[k], both counted from 0. Factors of 16-bit types are float32. For a
            list, two lists.

    Raises:
        BadMatrixError, ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> lu, piv = warplu.lu_factor(np.array([[1.0, 2.0], [4.0, 2.0]]))
    >>> lu.tolist(), piv.tolist()
    ([[4.0, 2.0], [0.25, 1.5]], [1, 1])
    """
    if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise TypeError("`out` must be a pair, (lu, piv)")
    if _lists.is_list(a):
        return _lists.lu_factor(a, out or (None, None), pivoting, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = square(a)
    call = Call(library, a, batch, device, check, return_status, pivoting)
    source, kind = Operand(library, a, code, batch), ARITHMETIC[code]
    given_lu, given_piv = out or (None, None)
    given_lu = allowed(library, given_lu, overwrite_a and kind == code, given, a, source)
    target = Target(library, a, batch + (n, n), kind, batch, (n, n), given_lu, [source], source)
    if given_piv is not None:
        checked(library, a, given_piv, batch + (n,), INT32)
    piv, address = library.empty(batch + (n,), INT32, a)
    bad = _warplu.lu_factor(
        call.place,
        code,
        method("gen", False, pivoting),
        source.matrices,
        target.matrices,
        address,
        call.status_address,
        call.tells,
    )
    piv = library.finish(piv, a)
    if given_piv is not None:
        library.assign(given_piv, piv)
        piv = given_piv
    return call.finish((target.result(), piv), bad)


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
        check: as for `inv`. For arrays on a GPU, interchanges are only looked at with it: without, any that is no row
            of its matrix makes the GPU fail.

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
    piv, given = same_library(library, piv, "piv", lu), same_library(library, b, "b", lu)
    lu, b, code = together(library, lu, given)
    if code < FLOAT32:
        lu, b = library.cast(lu, FLOAT32), library.cast(b, FLOAT32)
    stack, n = square(lu, "lu")
    if tuple(piv.shape) != stack + (n,):
        raise ShapeError(
            f"`piv` must have the shape {stack + (n,)}, as `lu` is {tuple(lu.shape)}, but has {tuple(piv.shape)}"
        )
    size = broadcast(stack, tuple(b.shape), n)
    call = Call(library, lu, size[0], device, check, return_status)
    return lu_solved(library, (lu, piv), b, code, size, trans, out, overwrite_b and given is b, call)


def lu_solved(
    library: Library,
    lu_and_piv: Tuple[Any, Any],
    b: Any,
    code: int,
    size: Tuple[Shape, int, bool, Shape],
    trans: int,
    out: Any,
    overwrite_b: bool,
    call: Call,
    known: Optional[int] = None,
) -> Any:
    """Solutions, of the size that `broadcast` tells, from factors whose statuses are known, at an address, or well."""
    lu, piv = lu_and_piv
    batch, rhs, is_vector, shape = size
    n = lu.shape[-1]
    factors, sides = Operand(library, lu, code, batch), Operand(library, b, code, batch, is_vector)
    piv, pivots_at, is_valid = _pivots(library, piv, batch + (n,), n, call, known is not None)
    out = allowed(library, out, overwrite_b and shape == tuple(b.shape), b, b, sides)
    target = Target(library, b, shape, code, batch, (n, rhs), out, [factors, sides], sides)
    bad = _warplu.lu_solve(
        call.place,
        code,
        trans,
        factors.matrices,
        pivots_at,
        not is_valid,
        call.all_well() if known is None else known,
        sides.matrices,
        target.matrices,
        call.status_address,
        call.tells,
    )
    return call.finish(target.result(), bad)


def growth(a: Any, lu: Any) -> Any:
    """How much larger than the elements of matrices those of their factors U have become, largest to largest (LAPACK's
    reciprocal pivot growth, the other way round).

    The backward error of a solution is about this many times the unit roundoff at most. With partial pivoting growth is
    hardly ever large; without, it tells whether it was right to do without. Matrices on a GPU pass through host memory.

    Args:
        a: the matrices that were factored, (..., n, n), or a list of them.
        lu: their factors, the first of what `lu_factor` returned.

    Returns:
        The growth, (...), of the real type of `lu`; NaN where factors are those of a bad matrix.

    Raises:
        ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> a = np.array([[0.001, 1.0], [1.0, 1.0]])
    >>> [round(float(warplu.growth(a, warplu.lu_factor(a, pivoting=p)[0])), 6) for p in ("none", "partial")]
    [999.0, 1.0]
    """
    if _lists.is_list(a):
        return _lists.growth(a, lu)
    library, a = adopt(a)
    a, lu, code = together(library, a, same_library(library, lu, "lu", a))
    batch, _ = square(a)
    if tuple(lu.shape) != tuple(a.shape):
        raise ShapeError(f"`lu` must have the shape {tuple(a.shape)} of `a`, but has {tuple(lu.shape)}")
    if code < FLOAT32:
        a, lu, code = library.cast(a, FLOAT32), library.cast(lu, FLOAT32), FLOAT32
    if library.ordinal(a) is not None:
        return library.from_host(np.asarray(growth(library.to_host(a), library.to_host(lu))), a)
    source, factors = Operand(library, a, code, batch), Operand(library, lu, code, batch)
    out, address = library.empty(batch, REAL[code], a)
    _warplu.growth(code, source.matrices, factors.matrices, address)
    return scalar(library, library.finish(out, a))


def check_rows(library: Library, piv: Any, n: int) -> bool:
    """Whether interchanges are rows of matrices of order `n`, an error if not; False where nobody can tell here."""
    bounds = library.bounds(piv)
    if bounds is None:
        return False
    least, greatest = bounds
    if least < 0 or greatest >= max(n, 1):
        raise ValueError(
            f"`piv` is from {least} to {greatest}, but rows are counted from 0 to {n - 1}: subtract 1 from LAPACK's or "
            "PyTorch's"
        )
    return True


def _pivots(library: Library, piv: Any, shape: Shape, n: int, call: Call, is_valid: bool) -> Tuple[Any, int, bool]:
    """Interchanges as int32, compact, for a stack of this shape; their address; and whether the extension module need
    not look whether they are rows, as on the CPU it does anyway."""
    # With its type, as types of elements of some libraries must not be compared with others'.
    kind = type(piv.dtype), piv.dtype
    name = _INTEGERS.get(kind)
    if name is None:
        name = _INTEGERS[kind] = str(piv.dtype).rpartition(".")[2]
    if name not in ("int32", "int64", "uint32", "uint64") and math.prod(piv.shape) > 0:
        raise TypeError(f"`piv` must be of int32, as lu_factor returns it, but is of {piv.dtype}")
    if not is_valid and not isinstance(call.place, str):
        is_copied = name == "int32" and math.prod(shape) <= _FEW
        is_valid = not call.check or (not is_copied and check_rows(library, piv, n))
    if name != "int32":
        # Narrowed numbers may be rows that those before were not.
        if not is_valid:
            check_rows(library, piv, n)
        piv = library.cast(piv, INT32)
    view = library.view(piv)
    if view is None or not view.is_compact or view.shape != shape:
        piv = library.contiguous(library.broadcast(piv, shape))
        view = library.view(piv)
        assert view is not None
    return piv, view.address, is_valid
