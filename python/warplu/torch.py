"""`inv`, `solve` and `slogdet` for PyTorch, with derivatives, and as operators that `torch.compile` leaves whole.

    import torch, warplu.torch
    x = warplu.torch.solve(a, b)  # as torch.linalg.solve
    x.sum().backward()

Derivatives in both modes are computed by warplu, too, and so are `torch.func`'s transforms: `vmap` makes one call of a
stack. Gradients of solutions are from the factors of the forward pass. Needs PyTorch 2.4 or newer.
"""

# No `from __future__ import annotations`: PyTorch reads the annotations of operators.
from typing import Any, Callable, List, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

import warplu
from warplu import SlogdetResult

__all__ = ["BadMatrixError", "inv", "slogdet", "solve"]


class BadMatrixError(warplu.BadMatrixError, torch.linalg.LinAlgError):
    """`warplu.BadMatrixError`, which is PyTorch's `LinAlgError`, too."""

    __module__ = "warplu.torch"


def inv(a: Tensor, *, check: bool = True) -> Tensor:
    """Inverses of matrices (..., n, n); see `warplu.inv`. With ``check=False`` no call waits for the GPU, and bad
    matrices have inverses of NaN."""
    return _Inverse.apply(a, check) if _is_transformed() else _inv(a, check)


def solve(a: Tensor, b: Tensor, *, check: bool = True) -> Tensor:
    """Solves A X = B for (..., n, n) and (..., n, k), which broadcast, or as `torch.linalg.solve` for vectors: (n,), or
    (..., n) where `a` is (..., n, n). A right-hand side that is not finite spoils its own solution only."""
    dtype = torch.promote_types(a.dtype, b.dtype)
    is_vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    x = _columns(a.to(dtype), (b.unsqueeze(-1) if is_vector else b).to(dtype), check)
    return x.squeeze(-1) if is_vector else x


def slogdet(a: Tensor) -> SlogdetResult:
    """Signs and logarithms of determinants of matrices (..., n, n); see `warplu.slogdet`."""
    return SlogdetResult(*(_Slogdet.apply(a) if _is_transformed() else _slogdet(a)))


def _columns(a: Tensor, b: Tensor, check: bool) -> Tensor:
    """Solutions for right-hand sides that are columns."""
    is_transformed = _is_transformed()
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad):
        return (_SolveAndFactor.apply(a, b, check) if is_transformed else _solve_and_factor(a, b, check))[0]
    return _Solve.apply(a, b, check) if is_transformed else _solve(a, b, check)


def _is_transformed() -> bool:
    """Whether something is done to the call that operators, which are faster and fit into graphs, know nothing of:
    forward mode, or a transform of `torch.func`."""
    if torch.compiler.is_compiling():
        return False
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def _call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except warplu.BadMatrixError as error:
        raise BadMatrixError(*error.__reduce__()[1]) from None


def _forward_mode(jvp: Callable[..., Any]) -> Any:
    """The `jvp` of a Function, from one of what was saved and of tangents, which a forward mode outside goes through.

    PyTorch turns forward mode off while it calls a `jvp`: without more, second derivatives would be zero, silently.
    """

    def of_context(ctx: Any, *tangents: Any) -> Any:
        if not torch._C._are_functorch_transforms_active():  # there are no levels of forward mode but theirs
            return jvp(ctx.saved_tensors, *tangents)
        # What is dual here is so at the level whose tangents are being computed.
        arguments = [x if x is None else forward_ad.unpack_dual(x).primal for x in tangents]
        saved = [forward_ad.unpack_dual(x).primal for x in ctx.saved_tensors]
        with forward_ad._set_fwd_grad_enabled(True):
            return jvp(saved, *arguments)

    return staticmethod(of_context)


@torch.library.custom_op("warplu::inv", mutates_args=())
def _inv(a: Tensor, check: bool) -> Tensor:
    return _call(warplu.inv, a.detach(), check=check)


@_inv.register_fake
def _(a: Tensor, check: bool) -> Tensor:
    return a.new_empty(a.shape)


def _keep_inverse(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(output)


def _inv_backward(ctx: Any, grad: Tensor) -> Tuple[Tensor, None]:
    (inverse,) = ctx.saved_tensors
    return -(inverse.mH @ grad @ inverse.mH), None


_inv.register_autograd(_inv_backward, setup_context=_keep_inverse)


class _Inverse(torch.autograd.Function):
    forward = staticmethod(lambda a, check: _inv(a, check))
    backward = staticmethod(_inv_backward)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        _keep_inverse(ctx, inputs, output)
        ctx.save_for_forward(output)

    @_forward_mode
    def jvp(saved: List[Tensor], of_a: Tensor, _: None) -> Tensor:
        (inverse,) = saved
        return -(inverse @ of_a @ inverse)

    @staticmethod
    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], a: Tensor, check: bool) -> Tuple[Tensor, int]:
        return inv(a.movedim(in_dims[0], 0), check=check), 0


@torch.library.custom_op("warplu::solve", mutates_args=())
def _solve(a: Tensor, b: Tensor, check: bool) -> Tensor:
    return _call(warplu.solve, a.detach(), b.detach(), check=check)


@_solve.register_fake
def _(a: Tensor, b: Tensor, check: bool) -> Tensor:
    return b.new_empty(_shape(a, b))


@torch.library.custom_op("warplu::solve_and_factor", mutates_args=())
def _solve_and_factor(a: Tensor, b: Tensor, check: bool) -> Tuple[Tensor, Tensor, Tensor]:
    lu, piv = _call(warplu.lu_factor, a.detach(), check=check)
    x = _call(warplu.lu_solve, (lu, piv), b.detach(), check=check)
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
    a, x, *factors = ctx.saved_tensors
    if torch.is_grad_enabled() or _is_transformed() or not factors:  # gradients of this need it from the matrix
        grad_b = _columns(a.mH, grad, False)
    else:
        grad_b = _lu_solve(*factors, grad, 2)
    grad_a = -(grad_b @ x.mH)
    return grad_a.sum_to_size(a.shape), grad_b.sum_to_size(ctx.shape_of_b), None


_solve_and_factor.register_autograd(_solve_backward, setup_context=_keep_factors)


class _Solve(torch.autograd.Function):
    """For who seems to want no gradients: a transform outside may."""

    forward = staticmethod(lambda a, b, check: _solve(a, b, check))
    backward = staticmethod(_solve_backward)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0], output)
        ctx.save_for_forward(inputs[0], output)
        ctx.shape_of_b = inputs[1].shape

    @_forward_mode
    def jvp(saved: List[Tensor], of_a: Tensor, of_b: Tensor, _: None) -> Tensor:
        a, x = saved[:2]
        return _columns(a, of_b - of_a @ x, False)

    @staticmethod
    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], a: Tensor, b: Tensor, check: bool) -> Tuple[Tensor, int]:
        return _columns(*_aligned(in_dims, a, b), check), 0


class _SolveAndFactor(torch.autograd.Function):
    """For who does."""

    forward = staticmethod(lambda a, b, check: _solve_and_factor(a, b, check))
    backward = staticmethod(_solve_backward)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, ...]) -> None:
        _keep_factors(ctx, inputs, output)
        ctx.save_for_forward(inputs[0], output[0])

    @_forward_mode
    def jvp(saved: List[Tensor], of_a: Tensor, of_b: Tensor, _: None) -> Tuple[Tensor, None, None]:
        a, x = saved[:2]
        return _columns(a, of_b - of_a @ x, False), None, None

    @staticmethod
    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], a: Tensor, b: Tensor, check: bool) -> Tuple[Any, Any]:
        own, sides = _aligned(in_dims, a, b)
        x, lu, piv = _SolveAndFactor.apply(own, sides, check)
        at = None if in_dims[0] is None else 0
        shape = a.shape if at is None else a.movedim(in_dims[0], 0).shape
        return (x, lu.reshape(shape), piv.reshape(shape[:-1])), (0, at, at)


def _aligned(in_dims: Tuple[Optional[int], ...], *both: Tensor) -> Tuple[Tensor, ...]:
    """Stacks of matrices and of right-hand sides that broadcast beside a dimension of `vmap`'s, which comes first."""
    most = max(x.dim() - (dim is not None) for dim, x in zip(in_dims, both))

    def align(dim: Optional[int], x: Tensor) -> Tensor:
        if dim is None:
            return x
        x = x.movedim(dim, 0)
        return x.reshape(x.shape[:1] + (1,) * (most + 1 - x.dim()) + x.shape[1:])

    return tuple(align(dim, x) for dim, x in zip(in_dims, both))


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


class _Slogdet(torch.autograd.Function):
    forward = staticmethod(lambda a: _slogdet(a))
    backward = staticmethod(_slogdet_backward)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, ...]) -> None:
        _keep_sign(ctx, inputs, output)
        ctx.save_for_forward(inputs[0], output[0])

    @_forward_mode
    def jvp(saved: List[Tensor], of_a: Tensor) -> Tuple[Tensor, Tensor]:
        a, sign = saved
        trace = (inv(a, check=False).mT * of_a).sum((-2, -1)).to(sign.dtype)
        if a.is_complex():
            return 1j * trace.imag * sign, trace.real
        return torch.zeros_like(sign), trace

    @staticmethod
    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], a: Tensor) -> Tuple[Tuple[Tensor, ...], Tuple[int, int]]:
        return tuple(slogdet(a.movedim(in_dims[0], 0))), (0, 0)


def _shape(a: Tensor, b: Tensor) -> Tuple[int, ...]:
    """The shape of solutions."""
    return tuple(torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])) + tuple(b.shape[-2:])


def _arithmetic(dtype: torch.dtype) -> torch.dtype:
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
