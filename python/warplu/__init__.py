"""Batched LU factorization, linear solve, inversion and determinants on NVIDIA GPUs and CPUs.

Arguments are arrays of NumPy, PyTorch, CuPy or JAX, or whatever has `__dlpack__` or `__cuda_array_interface__`. Arrays
on a GPU are worked on there, in the stream that their library works in; arrays in host memory on the CPU, or on a GPU
with ``device="cuda"``. Results are arrays of the same library. Stacks (..., n, n) are worked on at once, and lists of
matrices may be of many sizes. One bad matrix never spoils the others.

>>> import numpy as np, warplu
>>> a = np.array([[[2.0, 1.0], [1.0, 1.0]], [[4.0, 0.0], [0.0, 0.5]]])
>>> warplu.solve(a, np.ones((2, 1)))[..., 0].tolist()
[[0.0, 1.0], [0.25, 2.0]]
>>> try:
...     warplu.inv(np.ones((2, 2)))
... except np.linalg.LinAlgError as error:
...     print(error)
the matrix is singular (U[1, 1] is zero)
"""

from __future__ import annotations

from typing import List, NamedTuple

from . import _warplu
from ._call import forget_shared
from ._definite import cho_factor, cho_solve, cholesky
from ._determinants import SlogdetResult, det, rcond, slogdet
from ._errors import BadMatrixError, IllConditionedWarning, ShapeError
from ._general import inv, solve, solve_triangular
from ._lu import growth, lu_factor, lu_solve
from ._refine import RefineResult, refine

__version__: str = _warplu.VERSION


class DeviceInfo(NamedTuple):
    """A device: its name, which the argument `device` takes, and what it is."""

    name: str
    description: str


def devices() -> List[DeviceInfo]:
    """The CPU, and the GPUs that answer.

    >>> import warplu
    >>> warplu.devices()[0].name
    'cpu'
    """
    return [DeviceInfo(*device) for device in _warplu.devices()]


def clear_plans() -> None:
    """Gives back the GPU memory that is kept between calls on arrays on a GPU: at most 1 GiB, and for most sizes up
    to order 512 only 8 bytes a matrix. CUDA graphs that such calls were captured in must not be launched any more.

    >>> import warplu
    >>> warplu.clear_plans()
    """
    forget_shared()
    _warplu.clear_plans()


__all__ = [
    "BadMatrixError",
    "DeviceInfo",
    "IllConditionedWarning",
    "RefineResult",
    "ShapeError",
    "SlogdetResult",
    "__version__",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "clear_plans",
    "det",
    "devices",
    "growth",
    "inv",
    "lu_factor",
    "lu_solve",
    "rcond",
    "refine",
    "slogdet",
    "solve",
    "solve_triangular",
]
