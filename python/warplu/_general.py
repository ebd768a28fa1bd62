"""Inverses and solutions."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Union

from . import _lists, _warplu
from ._arguments import (
    GENERAL,
    Method,
    allowed,
    broadcast,
    method,
    same_library,
    square,
    together,
    triangular,
)
from ._call import Call
from ._definite import cho_solved, cholesky
from ._determinants import with_conditions
from ._dtypes import FLOAT32
from ._libraries import Library, adopt
from ._lu import lu_factor, lu_solved
from ._operands import Operand, Target


def inv(
    a: Any,
    *,
    out: Any = None,
    overwrite_a: bool = False,
    assume_a: str = "gen",
    lower: bool = False,
    pivoting: str = "partial",
    check: Optional[bool] = None,
    return_status: bool = False,
    return_rcond: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Inverses of matrices, by LU.

    Args:
        a: (..., n, n), or a list of matrices (n, n) of any sizes.
        out: where the inverses go; it may be `a`.
        overwrite_a: whether `a` may be used for the inverses.
        assume_a: "pos" for positive definite matrices, which go by Cholesky factors; "lower triangular" or "upper
            triangular", of which the other triangle is not read, and is zero in inverses.
        lower: with "pos", whether the lower triangle is read, not the upper.
        pivoting: how LU chooses its pivots. "partial": the largest of each column, for any matrix. "none": the
            diagonal, for matrices that are known to need no interchanges, such as diagonally dominant ones; a pivot
            that is zero makes a matrix bad then, singular or not. "boosted:1e-8": the diagonal, where pivots below
            1e-8 times the largest element of the matrix are replaced by ones of that size; the result is that of a
            matrix nearby, for preconditioners. See `growth`.
        check: whether bad matrices are an error. By default they are, unless `return_status` is set. For arrays on a
            GPU, the call waits for the result then.
        return_status: whether to return (result, status): 0 for each matrix that is well, k > 0 where U[k-1, k-1], or that
            of a triangular matrix, is exactly zero, -1 where a NaN or an infinity was met, -1 - k where the leading minor of order k is not
            positive. A matrix that is singular but for rounding, as [[2, 4], [3, 6]], is well: see `return_rcond`.
        return_rcond: whether to return, as the last result, the reciprocal condition numbers that `rcond` finds. An
            IllConditionedWarning tells how many are below the unit roundoff, 1e-16
            or, for float32, 6e-8, but not 0: such matrices are singular but for rounding. Takes another factorization.
        device: for arrays in host memory, "cpu" (by default), "cuda", "cuda:1", "cuda:all" or "auto".

    Returns:
        The inverses, (..., n, n), of the type of `a`; NaN for bad matrices.

    Raises:
        BadMatrixError: if matrices are singular or not finite, and `check`.
        ShapeError: for shapes that are none of square matrices. It is a LinAlgError, and a ValueError.
        ValueError: for arguments that there are none of.
        TypeError: for other types of elements.

    >>> import numpy as np, warplu
    >>> warplu.inv(np.array([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    >>> inverse, status = warplu.inv(np.zeros((3, 2, 2)) + np.eye(2) * [[[1]], [[0]], [[2]]], return_status=True)
    >>> status.tolist()
    [0, 1, 0]
    """
    how = method(assume_a, lower, pivoting)
    if return_rcond:
        work = lambda: inverted(a, how, out, overwrite_a, check, return_status, device)  # noqa: E731
        return with_conditions(work, a, how, return_status, device)
    return inverted(a, how, out, overwrite_a, check, return_status, device)


def inverted(
    a: Any,
    how: Method,
    out: Any,
    overwrite_a: bool,
    check: Optional[bool],
    return_status: bool,
    device: Optional[str],
) -> Any:
    if _lists.is_list(a):
        return _lists.inv(a, out, how, check, return_status, device)
    library, given = adopt(a)
    a, code = library.floating(given)
    batch, n = square(a)
    call = Call(library, a, batch, device, check, return_status, how.pivoting)
    source = Operand(library, a, code, batch)
    out = allowed(library, out, overwrite_a, given, a, source)
    target = Target(library, a, batch + (n, n), code, batch, (n, n), out, [source], source)
    bad = _warplu.inv(call.place, code, how, source.matrices, target.matrices, call.status_address, call.tells)
    return call.finish(target.result(), bad)


def solve(
    a: Any,
    b: Any,
    *,
    out: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    assume_a: str = "gen",
    lower: bool = False,
    pivoting: str = "partial",
    check: Optional[bool] = None,
    return_status: bool = False,
    return_rcond: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Solves A X = B for each matrix, by LU.

    Stacks broadcast; a matrix with a stack of right-hand sides is factored once.

    Args:
        a: (..., n, n), or a list of matrices of any sizes.
        b: (..., n, k), or a vector (n,) for all matrices, as in NumPy 2; or a list, of (n, k) or (n,) for each matrix.
        out: where the solutions go; it may be `b`.
        overwrite_a: accepted as SciPy does; nothing is gained from it.
        overwrite_b: whether `b` may be used for the solutions.
        assume_a, lower, pivoting, check, return_status, return_rcond, device: as for `inv`. A status is k - 2**31 where
            the matrix is well, but the solution for right-hand side k, counted from 0, is not finite, and no earlier
            one.

    Returns:
        X, of the shape of `b`, broadcast; NaN where a matrix is bad, and for each right-hand side that is not finite,
        or whose solution overflows.

    Raises:
        BadMatrixError, ValueError, TypeError: as `inv`.

    >>> import numpy as np, warplu
    >>> warplu.solve(np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([3.0, 2.0])).tolist()
    [1.0, 1.0]
    >>> [x.tolist() for x in warplu.solve([np.eye(1) * 4, np.eye(2)], [np.ones(1), np.ones((2, 1))])]
    [[0.25], [[1.0], [1.0]]]
    """
    how = method(assume_a, lower, pivoting)
    if return_rcond:
        work = lambda: solved(a, b, how, out, overwrite_b, check, return_status, device)  # noqa: E731
        return with_conditions(work, a, how, return_status, device)
    return solved(a, b, how, out, overwrite_b, check, return_status, device)


def solve_triangular(
    a: Any,
    b: Any,
    trans: Union[int, str] = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    out: Any = None,
    overwrite_b: bool = False,
    check: Optional[bool] = None,
    return_status: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Solves T X = B, T^T X = B or T^H X = B for each triangular matrix.

    Args:
        a: (..., n, n), or a list of matrices of any sizes; what is in the other triangle does not matter.
        b: as for `solve`.
        trans: 0 or "N" for the matrix, 1 or "T" for its transpose, 2 or "C" for its conjugate transpose.
        lower: whether `a` is lower triangular, not upper.
        unit_diagonal: whether the diagonal is all ones, whatever `a` has there.
        out, overwrite_b, check, return_status, device: as for `solve`. A status is k > 0 where a[k-1, k-1] is the first
            zero on the diagonal.

    Returns:
        X, as `solve`.

    Raises:
        BadMatrixError, ValueError, TypeError: as `solve`.

    >>> import numpy as np, warplu
    >>> a = np.array([[2.0, 0.0], [4.0, 5.0]])
    >>> warplu.solve_triangular(a, np.array([2.0, 14.0]), lower=True).tolist()
    [1.0, 2.0]
    >>> warplu.solve_triangular(a, np.array([10.0, 10.0]), trans=1, lower=True).tolist()
    [1.0, 2.0]
    """
    how = triangular(lower, unit_diagonal, trans)
    return solved(a, b, how, out, overwrite_b, check, return_status, device)


def solved(
    a: Any,
    b: Any,
    how: Method,
    out: Any,
    overwrite_b: bool,
    check: Optional[bool],
    return_status: bool,
    device: Optional[str],
) -> Any:
    if _lists.is_list(a):
        return _lists.solve(a, b, out, how, check, return_status, device)
    library, a = adopt(a)
    given = same_library(library, b, "b", a)
    a, b, code = together(library, a, given)
    stack, n = square(a)
    batch, rhs, is_vector, shape = broadcast(stack, tuple(b.shape), n)
    call = Call(library, a, batch, device, check, return_status, how.pivoting)
    has_factors = how.structure == GENERAL or how.structure.startswith("spd")
    if has_factors and stack != batch and math.prod(stack) == 1 and code >= FLOAT32 and not library.waits:
        return _solve_by_factors(library, a, given, b, out, overwrite_b, how, device, call)
    matrices, sides = Operand(library, a, code, batch), Operand(library, b, code, batch, is_vector)
    out = allowed(library, out, overwrite_b and shape == tuple(b.shape), given, b, sides)
    target = Target(library, b, shape, code, batch, (n, rhs), out, [matrices, sides], sides)
    bad = _warplu.solve(
        call.place, code, how, matrices.matrices, sides.matrices, target.matrices, call.status_address, call.tells
    )
    return call.finish(target.result(), bad)


def _solve_by_factors(
    library: Library,
    a: Any,
    given: Any,
    b: Any,
    out: Any,
    overwrite_b: bool,
    how: Method,
    device: Optional[str],
    call: Call,
) -> Any:
    """Solves with one matrix and a stack of right-hand sides."""
    overwrite_b = overwrite_b and given is b
    options: Dict[str, Any] = {"check": False, "return_status": True, "device": device}
    if how.structure == GENERAL:
        factors, status = lu_factor(a, pivoting=how.pivoting, **options)
    else:
        factors, status = cholesky(a, upper=how.structure == "spd:upper", **options)
    # Of each system, that of its matrix.
    status = library.contiguous(library.broadcast(status, call.batch))
    view = library.view(status)
    assert view is not None
    if how.structure == GENERAL:
        lu = factors[0]
        size = broadcast(tuple(lu.shape[:-2]), tuple(b.shape), lu.shape[-1])
        return lu_solved(library, factors, b, library.floating(lu)[1], size, 0, out, overwrite_b, call, view.address)
    return cho_solved(library, factors, how.structure == "spd:upper", b, out, overwrite_b, call, view.address)
