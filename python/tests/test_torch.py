"""PyTorch's tensors in host memory, and `warplu.torch`."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from conftest import definite, near, random, well

import warplu

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_results_are_tensors(dtype):
    a, b = torch.from_numpy(well((3, 5, 5), dtype)), torch.from_numpy(random((3, 5, 2), dtype, 1))
    near(warplu.inv(a).numpy(), torch.linalg.inv(a).numpy(), dtype)
    near(warplu.solve(a, b).numpy(), torch.linalg.solve(a, b).numpy(), dtype)
    lu, piv = warplu.lu_factor(a)
    assert isinstance(piv, torch.Tensor) and piv.dtype == torch.int32
    factors, pivots = torch.linalg.lu_factor(a)
    near(lu.numpy(), factors.numpy(), dtype)
    assert torch.equal(piv, pivots - 1)
    near(warplu.lu_solve((lu, piv), b, 2).numpy(), torch.linalg.solve(a.mH, b).numpy(), dtype)
    near(warplu.det(a).numpy(), torch.linalg.det(a).numpy(), dtype)
    sign, logabsdet = warplu.slogdet(a)
    near(sign.numpy(), torch.linalg.slogdet(a)[0].numpy(), dtype)
    near(logabsdet.numpy(), torch.linalg.slogdet(a)[1].numpy(), dtype)
    spd = torch.from_numpy(definite((3, 5, 5), dtype))
    near(warplu.cholesky(spd).numpy(), torch.linalg.cholesky(spd).numpy(), dtype)
    near(warplu.cho_solve(warplu.cho_factor(spd), b).numpy(), torch.linalg.solve(spd, b).numpy(), dtype)
    assert isinstance(warplu.rcond(a), torch.Tensor)
    with pytest.raises(ValueError, match="PyTorch's"):
        warplu.lu_solve((lu, pivots.to(torch.int64)), b)


def test_types_and_strides():
    for dtype in (torch.float16, torch.bfloat16):
        a = torch.from_numpy(well((2, 3, 3), "float32")).to(dtype)
        x, exact = warplu.inv(a), torch.linalg.inv(a.double())
        assert x.dtype == dtype and (x.double() - exact).abs().max() < 0.02
    a = torch.from_numpy(well((2, 3, 3), "complex128"))
    for own in [a.mT, a.mH, a.conj(), a[1:], a.expand(4, 2, 3, 3), a.transpose(0, 1).contiguous().transpose(0, 1)]:
        near(warplu.inv(own).numpy(), torch.linalg.inv(own).resolve_conj().numpy(), "complex128")
    out = torch.empty(2, 3, 3, dtype=a.dtype).mT
    assert warplu.inv(a, out=out) is out
    near(out.numpy(), torch.linalg.inv(a).numpy(), "complex128")
    own = a.clone()
    assert warplu.inv(own, overwrite_a=True) is own
    assert warplu.inv(torch.tensor([[2, 1], [1, 1]])).tolist() == [[1, -1], [-1, 2]]


def test_lists():
    a = [torch.from_numpy(well((n, n), "float64")) for n in (3, 2, 3)]
    for x, own in zip(warplu.inv(a), a):
        near(x.numpy(), torch.linalg.inv(own).numpy(), "float64")


def test_tensors_that_want_gradients_are_sent_where_there_are_some():
    a = torch.eye(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="warplu.torch"):
        warplu.inv(a)
    with torch.no_grad():
        warplu.inv(a)
    with pytest.raises(TypeError, match="to_dense"):
        warplu.inv(torch.eye(2).to_sparse())


@pytest.fixture
def functions():
    return pytest.importorskip("warplu.torch", reason="PyTorch is older than 2.4")


def variables(shape, dtype, seed=0):
    return torch.from_numpy(well(shape, dtype, seed)).requires_grad_()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients(functions, dtype):
    a = variables((2, 4, 4), dtype)
    assert torch.autograd.gradcheck(functions.inv, a)
    assert torch.autograd.gradgradcheck(functions.inv, a)
    for shape in [(2, 4, 3), (3, 2, 4, 1), (4, 2), (4,)]:
        b = torch.from_numpy(random(shape, dtype, 1)).requires_grad_()
        assert torch.autograd.gradcheck(functions.solve, (a, b))
    b = torch.from_numpy(random((2, 4, 2), dtype, 1)).requires_grad_()
    assert torch.autograd.gradgradcheck(functions.solve, (a, b))
    one = variables((4, 4), dtype)
    assert torch.autograd.gradcheck(functions.solve, (one, b))
    assert torch.autograd.gradcheck(lambda x: functions.slogdet(x).logabsdet, a)
    assert torch.autograd.gradgradcheck(lambda x: functions.slogdet(x).logabsdet, a)
    if a.is_complex():
        assert torch.autograd.gradcheck(lambda x: functions.slogdet(x).sign, a)


def test_gradients_are_pytorchs(functions):
    a, b = variables((3, 5, 5), "float64"), variables((3, 5, 5), "float64", 1)
    for own, theirs in [
        (functions.inv, torch.linalg.inv),
        (lambda x: functions.slogdet(x)[1], lambda x: torch.linalg.slogdet(x)[1]),
    ]:
        found = torch.autograd.grad((own(a) ** 2).sum(), a)
        expected = torch.autograd.grad((theirs(a) ** 2).sum(), a)
        near(found[0].numpy(), expected[0].numpy(), "float64")
    found = torch.autograd.grad((functions.solve(a, b) ** 2).sum(), (a, b))
    expected = torch.autograd.grad((torch.linalg.solve(a, b) ** 2).sum(), (a, b))
    for x, y in zip(found, expected):
        near(x.numpy(), y.numpy(), "float64")


def test_operators_are_as_pytorch_wants_them(functions):
    a, b = variables((2, 3, 3), "float64"), variables((2, 3, 3), "float64", 1)
    operators = torch.ops.warplu
    lu, piv = warplu.lu_factor(a.detach())
    for operator, arguments in [
        (operators.inv, (a, True)),
        (operators.solve, (a.detach(), b.detach(), True)),
        (operators.solve_and_factor, (a, b, True)),
        (operators.lu_solve, (lu, piv, b.detach(), 1)),
        (operators.slogdet, (a,)),
    ]:
        torch.library.opcheck(operator.default, arguments)


def test_compile_leaves_them_whole(functions):
    def loss(a, b):
        x = functions.solve(a, b)
        return (functions.inv(a) @ x).sum() + functions.slogdet(a).logabsdet.sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    a, b = variables((2, 3, 3), "float64"), variables((2, 3, 3), "float64", 1)
    near(compiled(a, b).detach().numpy(), loss(a, b).detach().numpy(), "float64")
    found = torch.autograd.grad(compiled(a, b), (a, b))
    for x, y in zip(found, torch.autograd.grad(loss(a, b), (a, b))):
        near(x.numpy(), y.numpy(), "float64")


def test_bad_matrices(functions):
    with pytest.raises(warplu.BadMatrixError):
        functions.inv(torch.zeros(2, 2))
    assert functions.inv(torch.zeros(2, 2), check=False).isnan().all()
    with pytest.raises(warplu.BadMatrixError):
        functions.solve(torch.zeros(2, 2, requires_grad=True), torch.ones(2))


def test_exceptions_are_pytorchs_too(functions):
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        functions.solve(torch.zeros(2, 2), torch.ones(2))
    error = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(error, warplu.BadMatrixError) and error.statuses == [1]


def test_vectors_are_as_pytorch_takes_them(functions):
    a = variables((3, 3, 3), "float64").detach()
    for shape in [(3,), (3, 3), (3, 3, 2), (1, 3, 2)]:
        b = torch.from_numpy(random(shape, "float64", 1))
        near(functions.solve(a, b).numpy(), torch.linalg.solve(a, b).numpy(), "float64")
    b = torch.from_numpy(random((2, 4), "float64", 1))
    a = variables((2, 4, 4), "float64").detach()
    near(functions.solve(a, b).numpy(), torch.linalg.solve(a, b).numpy(), "float64")


PAIRS = [
    (lambda f: lambda a, b: f.inv(a), lambda a, b: torch.linalg.inv(a)),
    (lambda f: lambda a, b: f.solve(a, b), torch.linalg.solve),
    (lambda f: lambda a, b: f.slogdet(a)[1], lambda a, b: torch.linalg.slogdet(a)[1]),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_transforms_are_pytorchs(functions, pair, dtype):
    own, theirs = pair[0](functions), pair[1]
    a, b = variables((3, 4, 4), dtype).detach(), torch.from_numpy(random((3, 4, 2), dtype, 1))
    func = torch.func
    transforms = [
        lambda f: lambda a, b: func.jvp(f, (a, b), (torch.sin(a), torch.cos(b)))[1],
        lambda f: func.vmap(f),
        lambda f: lambda a, b: func.vmap(f, (None, 0))(a[0], b),
        lambda f: lambda a, b: func.vmap(f, (2, 1))(a.movedim(0, 2), b.movedim(0, 1)),
        lambda f: lambda a, b: func.vmap(f, (0, None))(a, b),
        lambda f: lambda a, b: func.vmap(lambda a, b: func.jvp(f, (a, b), (a.sin(), b.cos()))[1])(a, b),
    ]
    if dtype == "float64":
        real = lambda f: lambda a, b: f(a, b).sin().sum()
        transforms += [
            lambda f: func.grad(real(f), (0, 1)) if f(a, b).dim() > 1 else func.grad(real(f)),
            lambda f: lambda a, b: func.jacrev(f)(a[0], b[0]),
            lambda f: lambda a, b: func.jacfwd(f)(a[0], b[0]),
            lambda f: lambda a, b: func.jacfwd(f, 1)(a[0], b[0]),
            lambda f: lambda a, b: func.hessian(real(f))(a[0], b[0]),
            lambda f: lambda a, b: func.vmap(func.grad(real(f)))(a, b),
        ]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*performance drop")  # as of a loop over matrices
        for at, transform in enumerate(transforms):
            found, expected = transform(own)(a, b), transform(theirs)(a, b)
            found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
            for x, y in zip(found, expected):
                assert x.shape == y.shape, at
                assert torch.allclose(x, y, rtol=1e-8, atol=1e-8), at
        if dtype == "float64":
            expected = func.hessian(real(theirs))(a[0], b[0])
            for first, second in itertools.product((func.jacfwd, func.jacrev), repeat=2):
                found = second(first(real(own)))(a[0], b[0])
                assert torch.allclose(found, expected, rtol=1e-8, atol=1e-8), (first, second)


def test_forward_mode(functions):
    a, b = variables((2, 3, 3), "float64"), torch.from_numpy(random((2, 3, 2), "float64", 1)).requires_grad_()
    checks = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    for function, inputs in [
        (functions.inv, (a,)),
        (functions.solve, (a, b)),
        (lambda x: functions.slogdet(x).logabsdet, (a,)),
    ]:
        assert torch.autograd.gradcheck(function, inputs, **checks)
        assert torch.autograd.gradgradcheck(function, inputs, check_fwd_over_rev=True, check_rev_over_rev=True)
    complex_a = variables((2, 3, 3), "complex128")
    assert torch.autograd.gradcheck(lambda x: functions.slogdet(x).sign, complex_a, check_forward_ad=True)


def test_plain_functions_refuse_transforms():
    a = variables((2, 3, 3), "float64").detach()
    with pytest.raises(RuntimeError, match="warplu.torch"):
        torch.func.vmap(warplu.inv)(a)
    with pytest.raises(RuntimeError, match="warplu.torch"):
        torch.func.jvp(warplu.inv, (a,), (a,))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(a, a)
        with pytest.raises(RuntimeError, match="warplu.torch"):
            warplu.inv(dual)


def test_right_hand_sides_of_numpy():
    a = variables((3, 3), "float64").detach()
    expected = torch.linalg.solve(a, torch.ones(3, dtype=torch.float64))
    read_only = np.ones(3)
    read_only.flags.writeable = False
    for b in [[1.0, 1.0, 1.0], np.ones(3), read_only, np.ones(6)[::-2], np.ones(3, ">f8")]:
        near(warplu.solve(a, b).numpy(), expected.numpy(), "float64")
    with pytest.raises(TypeError, match="conjugated"):
        warplu.inv(a.to(torch.complex128), out=torch.empty(3, 3, dtype=torch.complex128).conj())


def test_overwriting_what_shares_elements():
    same = torch.eye(2).expand(3, 2, 2)
    assert torch.equal(warplu.inv(same, overwrite_a=True), same)
    b = torch.ones(2, 1).expand(3, 2, 1)
    assert torch.equal(warplu.solve(torch.stack([torch.eye(2)] * 3), b, overwrite_b=True), b)


def test_no_halves():
    for kind in (torch.float16, torch.bfloat16):
        assert warplu.lu_factor(torch.empty(0, 2, 2, dtype=kind))[0].dtype == torch.float32
        assert warplu.cholesky(torch.empty(3, 0, 0, dtype=kind)).dtype == torch.float32
        assert warplu.cholesky([torch.empty(0, 0, dtype=kind)])[0].dtype == torch.float32
