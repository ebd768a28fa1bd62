"""The types of elements, by number: the extension module has them in this order."""

from __future__ import annotations

FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 = range(6)
#: Of statuses and pivots; no type of matrices.
INT32 = 6

NAMES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int32")
BYTES = (2, 2, 4, 8, 8, 16, 4)
CODES = {name: code for code, name in enumerate(NAMES[:INT32])}
#: The types of the arithmetic, which factors and determinants are of.
ARITHMETIC = (FLOAT32, FLOAT32, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128)
#: The real types under the arithmetic.
REAL = (FLOAT32, FLOAT32, FLOAT32, FLOAT64, FLOAT32, FLOAT64)


def promoted(one: int, other: int) -> int:
    """The type that holds numbers of both types, as NumPy and PyTorch have it."""
    if one == other:
        return one
    both = (one, other)
    is_double = FLOAT64 in both or COMPLEX128 in both
    if COMPLEX64 in both or COMPLEX128 in both:
        return COMPLEX128 if is_double else COMPLEX64
    return FLOAT64 if is_double else FLOAT32


def unsupported(dtype: object) -> TypeError:
    return TypeError(f"arrays of {dtype} are not supported: convert to one of {', '.join(NAMES[:INT32])}")
