"""What arguments must be."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Tuple

import numpy as np

from ._dtypes import promoted
from ._errors import ShapeError
from ._libraries import NUMPY, Library, Shape, adopt
from ._operands import Operand

GENERAL = "general"


class Method(NamedTuple):
    """How matrices are factored: what is known of them, and how LU chooses its pivots, both as the library spells it."""

    structure: str
    pivoting: str


@lru_cache(maxsize=64)
def method(assume_a: str, lower: bool, pivoting: str) -> Method:
    if assume_a in ("gen", "general"):
        return Method(GENERAL, pivoting)
    if assume_a in ("pos", "positive definite"):
        structure, what = "spd" if lower else "spd:upper", "positive definite"
    elif assume_a in ("lower triangular", "upper triangular"):
        structure, what = assume_a[:5], "triangular"
    else:
        raise ValueError(
            f"assume_a is {assume_a!r}: use 'gen', 'pos' for positive definite matrices, 'lower triangular' or "
            "'upper triangular'"
        )
    if pivoting != "partial":
        raise ValueError(
            f"pivoting is {pivoting!r}, but {what} matrices have no pivots to choose: leave `pivoting` out, or `assume_a`"
        )
    return Method(structure, pivoting)


#: What `trans` may be, as SciPy has it, and how the library spells it.
_TRANS = {0: "", "N": "", 1: ":transpose", "T": ":transpose", 2: ":adjoint", "C": ":adjoint"}


def triangular(lower: bool, unit: bool, trans: Any) -> Method:
    if not isinstance(trans, (int, str, np.integer)) or trans not in _TRANS:
        raise ValueError(f"trans is {trans!r}: use 0 (the matrix), 1 (its transpose) or 2 (its conjugate transpose)")
    return Method(f"{'lower' if lower else 'upper'}{':unit' if unit else ''}{_TRANS[trans]}", "partial")


def square(a: Any, what: str = "a") -> Tuple[Shape, int]:
    """The shape of the stack and the order of its matrices."""
    shape = tuple(a.shape)
    if len(shape) < 2:
        raise ShapeError(f"`{what}` must have 2 dimensions or more, but has the shape {shape}")
    if shape[-1] != shape[-2]:
        raise ShapeError(f"the matrices of `{what}` must be square, but its shape is {shape}")
    return shape[:-2], shape[-1]


def same_library(library: Library, x: Any, what: str, like: Any) -> Any:
    """An array of the library that `like` is of; lists and NumPy's arrays become such."""
    other, x = adopt(x)
    if other is NUMPY and library is not NUMPY:
        return library.from_host(x, like)
    if other is not library:
        raise TypeError(
            f"`{what}` is an array of {other.name}, the first argument one of {library.name}: convert one of them"
        )
    return x


def together(library: Library, a: Any, b: Any) -> Tuple[Any, Any, int]:
    """Two arrays in one type of elements."""
    (a, one), (b, other) = library.floating(a), library.floating(b)
    if library.ordinal(a) != library.ordinal(b):
        raise ValueError("the arrays are on different devices: move them to the same")
    code = promoted(one, other)
    return (a if one == code else library.cast(a, code)), (b if other == code else library.cast(b, code)), code


def broadcast(a: Shape, b: Shape, n: int) -> Tuple[Shape, int, bool, Shape]:
    """For systems with matrices `a` (a stack's shape) of order `n` and right-hand sides of shape `b`: the stack of the
    solutions, how many each has, whether `b` is a vector, and the shape of the solutions."""
    is_vector = len(b) == 1
    if not b or b[0 if is_vector else -2] != n:
        raise ShapeError(f"`b` of shape {b} does not fit matrices of order {n}: it must be ({n},) or (..., {n}, k)")
    if is_vector:
        return a, 1, True, a + (n,)
    if a == b[:-2]:
        return a, b[-1], False, a + b[-2:]
    try:
        batch = np.broadcast_shapes(a, b[:-2])
    except ValueError:
        raise ShapeError(f"stacks of shapes {a} and {b[:-2]} do not broadcast") from None
    return batch, b[-1], False, batch + b[-2:]


def allowed(library: Library, out: Any, overwrite: bool, given: Any, own: Any, operand: Operand) -> Any:
    """The output: what was asked for, or an input that may be overwritten, if it is worked on where it is."""
    if out is None and overwrite and library.writes:
        is_where_it_was_given = given is own and operand.array is own
        # Results would be written over each other where elements share a place.
        if is_where_it_was_given and not operand.view.read_only and operand.matrices.is_apart():
            return own
    return out
