"""Exceptions, and what statuses mean."""

from __future__ import annotations

import math
from typing import List, Tuple, Union

import numpy as np

Index = Union[int, Tuple[int, ...]]

#: Statuses up to this one say which right-hand side is bad, counted from the first of them.
_FIRST_SIDE, _LAST_SIDE = -(2**31), -(2**30)


class ShapeError(np.linalg.LinAlgError, ValueError):
    """Operands whose shapes do not fit."""

    __module__ = "warplu"


class IllConditionedWarning(RuntimeWarning):
    """Some matrices are singular but for rounding: their results may have no correct digit."""

    __module__ = "warplu"


class BadMatrixError(np.linalg.LinAlgError):
    """Some matrices are singular, not positive definite, or not finite, or one of their right-hand sides is not.

    The results are complete for all others; pass ``check=False`` to get them, with NaN for the bad ones.

    Attributes:
        count: how many matrices are bad.
        indices: which, at most 8 of them: indices in a stack, or in a list.
        statuses: what is wrong with each of these: k > 0 where U[k-1, k-1] is exactly zero, -1 where a NaN or an
            infinity was met, -1 - k where the leading minor of order k is not positive, k - 2**31 where the solution
            for right-hand side k, counted from 0, is not finite, and no earlier one.
    """

    __module__ = "warplu"

    def __init__(self, message: str, count: int, indices: List[Index], statuses: List[int]) -> None:
        super().__init__(message)
        self.count = count
        self.indices = indices
        self.statuses = statuses

    def __reduce__(self) -> Tuple[type, Tuple[str, int, List[Index], List[int]]]:
        return type(self), (str(self), self.count, self.indices, self.statuses)


def describe(status: int, pivoting: str = "partial") -> str:
    """What a status says."""
    if status > 0 and pivoting == "none":
        return f"not factored without interchanges (U[{status - 1}, {status - 1}] is zero): try pivoting='partial'"
    if status > 0:
        return f"singular (U[{status - 1}, {status - 1}] is zero)"
    if status <= _LAST_SIDE:
        return f"good, but right-hand side {status - _FIRST_SIDE}, or its solution, is not finite"
    if status < -1:
        return f"not positive definite (its leading minor of order {-1 - status} is not)"
    return "not finite, or its result is not" if status else "well"


def raise_for(bad: Tuple[int, List[Tuple[int, int]]], batch: Tuple[int, ...], pivoting: str = "partial") -> None:
    """Raises the exception for the bad matrices of a stack of this shape."""
    count, named = bad
    if not batch:
        raise BadMatrixError(f"the matrix is {describe(named[0][1], pivoting)}", count, [()], [named[0][1]])
    indices: List[Index] = []
    for at, _ in named:
        index = tuple(int(i) for i in np.unravel_index(at, batch))
        indices.append(index if len(index) > 1 else index[0])
    statuses = [status for _, status in named]
    all_named = "; ".join(f"matrix {index} is {describe(status, pivoting)}" for index, status in zip(indices, statuses))
    more = f"; and {count - len(named)} more" if count > len(named) else ""
    raise BadMatrixError(
        f"{count} of {math.prod(batch)} matrices cannot be used: {all_named}{more} (check=False gives NaN for these)",
        count,
        indices,
        statuses,
    )
