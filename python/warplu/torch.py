"""`inv`, `solve` and `slogdet` for PyTorch, with gradients, and as operators that `torch.compile` leaves whole.

    import torch, warplu.torch
    x = warplu.torch.solve(a, b)  # as torch.linalg.solve
    x.sum().backward()

Needs PyTorch 2.4 or newer. Gradients are computed by warplu, too: those of solutions from the factors of the forward
pass.
"""

# No `from __future__ import annotations`: PyTorch reads the annotations of operators.
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

import warplu
from warplu import SlogdetResult

__all__ = ["inv", "slogdet", "solve"]


def inv(a: Tensor, *, check: bool = True) -> Tensor:
    """Inverses of matrices (..., n, n); see `warplu.inv`. With ``check=False`` no call waits for the GPU, and bad
    matrices have inverses of NaN."""
    return _inv(a, check)


def solve(a: Tensor, b: Tensor, *, check: bool = True) -> Tensor:
    """Solves A X = B for (..., n, n) and (..., n, k), which broadcast, or a vector (n,); see `warplu.solve`."""
    dtype = torch.promote_types(a.dtype, b.dtype)
    a, b = a.to(dtype), b.to(dtype)
    columns = b.unsqueeze(-1) if b.dim() == 1 else b
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad):
        x, _, _ = _solve_and_factor(a, columns, check)
    else:
        x = _solve(a, columns, check)
    return x.squeeze(-1) if b.dim() == 1 else x


def slogdet(a: Tensor) -> SlogdetResult:
    """Signs and logarithms of determinants of matrices (..., n, n); see `warplu.slogdet`."""
    return SlogdetResult(*_slogdet(a))


@torch.library.custom_op("warplu::inv", mutates_args=())
def _inv(a: Tensor, check: bool) -> Tensor:
    return warplu.inv(a.detach(), check=check)


@_inv.register_fake
def _(a: Tensor, check: bool) -> Tensor:
    return a.new_empty(a.shape)


def _keep_inverse(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(output)


def _inv_backward(ctx: Any, grad: Tensor) -> Tuple[Tensor, None]:
    (inverse,) = ctx.saved_tensors
    return -(inverse.mH @ grad @ inverse.mH), None


_inv.register_autograd(_inv_backward, setup_context=_keep_inverse)


@torch.library.custom_op("warplu::solve", mutates_args=())
def _solve(a: Tensor, b: Tensor, check: bool) -> Tensor:
    return warplu.solve(a.detach(), b.detach(), check=check)


@_solve.register_fake
def _(a: Tensor, b: Tensor, check: bool) -> Tensor:
    return b.new_empty(_shape(a, b))


@torch.library.custom_op("warplu::solve_and_factor", mutates_args=())
def _solve_and_factor(a: Tensor, b: Tensor, check: bool) -> Tuple[Tensor, Tensor, Tensor]:
    lu, piv = warplu.lu_factor(a.detach(), check=check)
    x = warplu.lu_solve((lu, piv), b.detach(), check=False)
    return x.to(b.dtype), lu, piv


@_solve_and_factor.register_fake
def _(a: Tensor, b: Tensor, check: bool) -> Tuple[Tensor, Tensor, Tensor]:
    lu = a.new_empty(a.shape, dtype=_arithmetic(a.dtype))
    return b.new_empty(_shape(a, b)), lu, a.new_empty(a.shape[:-1], dtype=torch.int32)


def _keep_factors(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, ...]) -> None:
    a, b, _ = inputs
    x, lu, piv = output
    ctx.mark_non_differentiable(lu, piv)
    ctx.save_for_backward(a, x, lu, piv)
    ctx.shape_of_b = b.shape


def _solve_backward(ctx: Any, grad: Tensor, *_: Optional[Tensor]) -> Tuple[Tensor, Tensor, None]:
    a, x, lu, piv = ctx.saved_tensors
    if torch.is_grad_enabled():  # who wants gradients of this needs it from the matrix
        grad_b = solve(a.mH, grad, check=False)
    else:
        grad_b = _lu_solve(lu, piv, grad, 2)
    grad_a = -(grad_b @ x.mH)
    return grad_a.sum_to_size(a.shape), grad_b.sum_to_size(ctx.shape_of_b), None


_solve_and_factor.register_autograd(_solve_backward, setup_context=_keep_factors)


@torch.library.custom_op("warplu::lu_solve", mutates_args=())
def _lu_solve(lu: Tensor, piv: Tensor, b: Tensor, trans: int) -> Tensor:
    return warplu.lu_solve((lu.detach(), piv), b.detach(), trans, check=False).to(b.dtype)


@_lu_solve.register_fake
def _(lu: Tensor, piv: Tensor, b: Tensor, trans: int) -> Tensor:
    return b.new_empty(_shape(lu, b))


@torch.library.custom_op("warplu::slogdet", mutates_args=())
def _slogdet(a: Tensor) -> Tuple[Tensor, Tensor]:
    sign, logabsdet = warplu.slogdet(a.detach())
    return sign, logabsdet


@_slogdet.register_fake
def _(a: Tensor) -> Tuple[Tensor, Tensor]:
    dtype = _arithmetic(a.dtype)
    batch = a.shape[:-2]
    return a.new_empty(batch, dtype=dtype), a.new_empty(batch, dtype=dtype.to_real())


def _keep_sign(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(inputs[0], output[0])


def _slogdet_backward(ctx: Any, grad_sign: Tensor, grad_log: Tensor) -> Tensor:
    a, sign = ctx.saved_tensors
    factor = grad_log
    if a.is_complex():  # the phase depends on the matrix, too
        factor = torch.complex(grad_log, -(grad_sign.conj() * sign).imag)
    return factor.to(a.dtype)[..., None, None] * inv(a, check=False).mH


_slogdet.register_autograd(_slogdet_backward, setup_context=_keep_sign)


def _shape(a: Tensor, b: Tensor) -> Tuple[int, ...]:
    """The shape of solutions."""
    return tuple(torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])) + tuple(b.shape[-2:])


def _arithmetic(dtype: torch.dtype) -> torch.dtype:
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
