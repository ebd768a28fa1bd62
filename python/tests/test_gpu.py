"""Arrays in the memory of a GPU. Skipped where there is none."""

import numpy as np
import pytest
from conftest import definite, near, random, well
from kits import CuPyKit, TorchKit

import warplu

ORDERS = [1, 3, 32, 33, 100, 200]
DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", ORDERS)
def test_results(kit, n, dtype):
    host_a, host_b = well((7, n, n), dtype), random((7, n, 2), dtype, 1)
    a, b = kit.put(host_a), kit.put(host_b)
    near(kit.get(warplu.inv(a)), np.linalg.inv(host_a), dtype)
    near(kit.get(warplu.inv(a)), kit.get(kit.linalg.inv(a)), dtype)
    near(kit.get(warplu.solve(a, b)), kit.get(kit.linalg.solve(a, b)), dtype)
    lu, piv = warplu.lu_factor(a)
    expected = warplu.lu_factor(host_a)
    assert np.array_equal(kit.get(piv), expected[1])
    near(kit.get(lu), expected[0], dtype)
    for trans in range(3):
        near(kit.get(warplu.lu_solve((lu, piv), b, trans)), warplu.lu_solve(expected, host_b, trans), dtype)
    if n <= 32:  # larger ones are too large for float32
        near(kit.get(warplu.det(a)), np.linalg.det(host_a), dtype)
    sign, logabsdet = warplu.slogdet(a)
    near(kit.get(sign), np.linalg.slogdet(host_a)[0], dtype)
    near(kit.get(logabsdet), np.linalg.slogdet(host_a)[1], dtype)
    near(kit.get(warplu.rcond(a)), warplu.rcond(host_a), dtype)
    host_a = definite((7, n, n), dtype)
    a = kit.put(host_a)
    near(kit.get(warplu.cholesky(a)), np.linalg.cholesky(host_a), dtype)
    near(kit.get(warplu.cho_solve(warplu.cho_factor(a), b)), np.linalg.solve(host_a, host_b), dtype)
    near(kit.get(warplu.solve(a, b, assume_a="pos")), np.linalg.solve(host_a, host_b), dtype)
    for lower, half in ((True, np.tril(host_a)), (False, np.triu(host_a))):
        near(kit.get(warplu.solve_triangular(a, b, lower=lower)), np.linalg.solve(half, host_b), dtype)
        adjoint = np.linalg.solve(half.conj().swapaxes(-1, -2), host_b)
        near(kit.get(warplu.solve_triangular(a, b, 2, lower)), adjoint, dtype)
        name = "lower triangular" if lower else "upper triangular"
        near(kit.get(warplu.inv(a, assume_a=name)), np.linalg.inv(half), dtype)


@pytest.mark.parametrize("n", [5, 100, 600])
def test_other_streams(kit, n):
    # Above order 512 plans have memory to work in, which streams share.
    host = well((5, n, n), "float64")
    a, expected = kit.put(host), np.linalg.inv(host)
    results = []
    for _ in range(3):
        with kit.other_stream():
            kit.busy()
            again = kit.put(host)
            results += [warplu.inv(a, check=False), warplu.inv(again, check=False)]
    with kit.other_stream():
        kit.busy()
        results.append(warplu.inv(a))
    kit.sync()
    for x in results:
        near(kit.get(x), expected, "float64")


def test_work_is_in_the_order_of_the_stream(kit):
    with kit.other_stream():
        kit.busy()
        a = kit.put(well((100, 50, 50), "float64")) * 2
        x = warplu.inv(a, check=False) * 2
        near(kit.get(x), np.linalg.inv(well((100, 50, 50), "float64")), "float64")


def test_calls_without_a_check_do_not_wait(kit):
    import time

    a = kit.put(well((10, 30, 30), "float64"))
    warplu.inv(a)
    with kit.other_stream():
        kit.busy()
        kit.busy()
        start = time.perf_counter()
        x = warplu.inv(a, check=False)
        enqueued = time.perf_counter() - start
        kit.get(x)
        done = time.perf_counter() - start
    assert enqueued < done / 2


def test_strides_and_out(kit):
    host = well((4, 20, 20), "float64")
    a, expected = kit.put(host), np.linalg.inv(host)
    near(kit.get(kit.swapped(warplu.inv(kit.swapped(a)))), expected, "float64")
    near(kit.get(warplu.inv(a[::2])), expected[::2], "float64")
    near(kit.get(warplu.inv(a[1:, :10, :10])), np.linalg.inv(host[1:, :10, :10]), "float64")
    out = kit.swapped(kit.zeros((4, 20, 20), "float64"))
    assert warplu.inv(a, out=out) is out
    near(kit.get(out), expected, "float64")
    own = kit.put(host)
    assert warplu.inv(own, out=own) is own
    near(kit.get(own), expected, "float64")
    own = kit.put(host)
    lu, piv = warplu.lu_factor(own, overwrite_a=True)
    assert lu is own
    near(kit.get(lu), warplu.lu_factor(host)[0], "float64")
    b = random((4, 20, 3), "float64")
    own = kit.put(b)
    assert warplu.solve(a, own, overwrite_b=True) is own
    near(kit.get(own), np.linalg.solve(host, b), "float64")
    half = a[:2]
    expected = kit.get(warplu.inv(half))
    warplu.inv(a[:2], out=a[1:3])
    assert np.array_equal(kit.get(a[1:3]), expected)


def test_one_matrix_and_many_right_hand_sides(kit):
    host_a, host_b = well((30, 30), "float64"), random((40, 30, 2), "float64")
    host_b[3] = np.nan
    x, status = warplu.solve(kit.put(host_a), kit.put(host_b), return_status=True)
    status = kit.get(status)
    assert status[3] == -(2**31) and np.count_nonzero(status) == 1
    x, expected = kit.get(x), np.linalg.solve(host_a, host_b)
    assert np.isnan(x[3]).all()
    x[3] = expected[3] = 0
    near(x, expected, "float64")


def test_bad_matrices(kit):
    host = well((6, 10, 10), "float64")
    host[2, :, 4], host[5, 0, 0] = 0, np.nan
    a = kit.put(host)
    with pytest.raises(warplu.BadMatrixError) as caught:
        warplu.inv(a)
    assert caught.value.indices == [2, 5] and caught.value.statuses == [5, -1]
    x, status = warplu.inv(a, return_status=True)
    assert kit.get(status).tolist() == [0, 0, 5, 0, 0, -1]
    x = kit.get(x)
    assert np.isnan(x[[2, 5]]).all()
    near(x[[0, 1, 3, 4]], np.linalg.inv(host[[0, 1, 3, 4]]), "float64")
    with pytest.raises(warplu.BadMatrixError, match="leading minor"):
        warplu.cholesky(kit.put(-definite((2, 3, 3), "float64")))


@pytest.mark.parametrize("pivoting", ["none", "boosted:1e-6"])
@pytest.mark.parametrize("n", ORDERS)
def test_pivoting(kit, n, pivoting):
    host_a, host_b = well((7, n, n), "float64") + 2 * n * np.eye(n), random((7, n, 2), "float64")
    a, b, options = kit.put(host_a), kit.put(host_b), {"pivoting": pivoting}
    near(kit.get(warplu.inv(a, **options)), np.linalg.inv(host_a), "float64")
    near(kit.get(warplu.solve(a, b, **options)), np.linalg.solve(host_a, host_b), "float64")
    near(kit.get(warplu.slogdet(a, **options)[1]), np.linalg.slogdet(host_a)[1], "float64")
    lu, piv = warplu.lu_factor(a, **options)
    expected = warplu.lu_factor(host_a, **options)
    near(kit.get(lu), expected[0], "float64")
    assert np.array_equal(kit.get(piv), expected[1])
    near(kit.get(warplu.lu_solve((lu, piv), b)), np.linalg.solve(host_a, host_b), "float64")
    near(kit.get(warplu.growth(a, lu)), warplu.growth(host_a, expected[0]), "float64")
    host_a[3, 0, 0] = 0
    if pivoting == "none":
        with pytest.raises(warplu.BadMatrixError, match="matrix 3 is not factored without interchanges"):
            warplu.solve(kit.put(host_a), b, **options)


def test_solutions_from_factors_of_many_stacks_and_streams(kit):
    host_a, host_b = well((9, 20, 20), "float64"), random((9, 20, 1), "float64")
    host_b[1] = np.nan
    lu, piv = warplu.lu_factor(kit.put(host_a))
    c = warplu.cho_factor(kit.put(definite((9, 20, 20), "float64")))
    b = kit.put(host_b)
    for _ in range(2):
        for count in (2, 9, 1):
            x = kit.get(warplu.lu_solve((lu[:count], piv[:count]), b[:count], check=False))
            y = kit.get(warplu.cho_solve((c[0][:count], c[1]), b[:count], check=False))
            for found in (x, y):
                assert np.isnan(found).all((1, 2)).tolist() == [at == 1 for at in range(count)]
        with kit.other_stream():
            x = warplu.lu_solve((lu[2:], piv[2:]), b[2:], check=False)
            near(kit.get(x), np.linalg.solve(host_a[2:], host_b[2:]), "float64")


@pytest.mark.parametrize("batch", [(), (0,), (2,)])
@pytest.mark.parametrize("n", [0, 3])
def test_nothing_to_do(kit, batch, n):
    a = kit.put(np.broadcast_to(np.eye(n), batch + (n, n)))
    assert warplu.inv(a).shape == batch + (n, n)
    assert warplu.solve(a, kit.put(np.ones((n,)))).shape == batch + (n,)
    assert warplu.lu_solve(warplu.lu_factor(a), kit.put(np.ones(batch + (n, 0)))).shape == batch + (n, 0)
    assert np.array_equal(kit.get(warplu.det(a)), np.ones(batch))


def test_lists(kit):
    hosts = [well((n, n), "float64") for n in (3, 50, 3, 7, 50)]
    sides = [random((len(x),), "float64") for x in hosts]
    a, b = [kit.put(x) for x in hosts], [kit.put(x) for x in sides]
    for x, host in zip(warplu.inv(a), hosts):
        near(kit.get(x), np.linalg.inv(host), "float64")
    for x, host, side in zip(warplu.lu_solve(warplu.lu_factor(a), b), hosts, sides):
        near(kit.get(x), np.linalg.solve(host, side), "float64")
    near(kit.get(warplu.det(a)), np.array([np.linalg.det(x) for x in hosts]), "float64")
    a[3] *= 0
    with pytest.raises(warplu.BadMatrixError) as caught:
        warplu.inv(a)
    assert caught.value.indices == [3]


def test_pivots_that_are_no_rows(kit):
    lu, piv = warplu.lu_factor(kit.put(well((2, 4, 4), "float64")))
    with pytest.raises(ValueError, match="counted from 0"):
        warplu.lu_solve((lu, piv + 1), kit.put(np.ones((2, 4, 1))))


def test_the_device_of_an_array_is_where_it_is_worked_on(kit):
    a = kit.put(np.eye(3))
    assert np.array_equal(kit.get(warplu.inv(a, device="cuda:0")), np.eye(3))
    with pytest.raises(ValueError, match="leave `device` out"):
        warplu.inv(a, device="cpu")
    # Right-hand sides of NumPy go where the matrices are.
    near(kit.get(warplu.solve(a, np.ones(3))), np.ones(3), "float64")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_types(dtype):
    kit = TorchKit()
    a = kit.put(well((50, 40, 40), "float32")).to(getattr(kit.torch, dtype))
    x = warplu.inv(a)
    assert x.dtype == a.dtype
    assert (x.double() - kit.torch.linalg.inv(a.double())).abs().max().item() < 0.02
    assert warplu.lu_factor(a)[0].dtype == kit.torch.float32


def test_cuda_graphs_of_torch():
    torch = TorchKit().torch
    a = torch.from_numpy(well((20, 30, 30), "float64")).cuda()
    out = torch.empty_like(a)
    warplu.inv(a, out=out, check=False)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        warplu.inv(a, out=out, check=False)
    a.copy_(torch.from_numpy(well((20, 30, 30), "float64", 1)))
    graph.replay()
    torch.cuda.synchronize()
    near(out.cpu().numpy(), np.linalg.inv(well((20, 30, 30), "float64", 1)), "float64")


def test_gradients_on_a_gpu():
    torch = TorchKit().torch
    functions = pytest.importorskip("warplu.torch")
    a = torch.from_numpy(well((3, 5, 5), "float64")).cuda().requires_grad_()
    b = torch.from_numpy(random((3, 5, 2), "float64")).cuda().requires_grad_()
    assert torch.autograd.gradcheck(functions.solve, (a, b))
    assert torch.autograd.gradcheck(functions.inv, a)
    assert torch.autograd.gradcheck(lambda x: functions.slogdet(x).logabsdet, a)
    compiled = torch.compile(lambda a, b: functions.solve(a, b).sum(), backend="aot_eager", fullgraph=True)
    near(compiled(a, b).item() * np.ones(1), functions.solve(a, b).sum().item() * np.ones(1), "float64")


def test_host_arrays_through_a_gpu():
    TorchKit()
    a, b = well((500, 40, 40), "float64"), random((500, 40, 1), "float64")
    for device in ("cuda", "cuda:0", "auto", "cuda:all"):
        near(warplu.inv(a, device=device), np.linalg.inv(a), "float64")
        near(warplu.solve(a, b, device=device), np.linalg.solve(a, b), "float64")
        factors = warplu.lu_factor(a, device=device)
        near(warplu.lu_solve(factors, b, device=device), np.linalg.solve(a, b), "float64")
    assert len(warplu.devices()) > 1


def test_jax_on_a_gpu():
    TorchKit()
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    try:
        device = jax.devices("cuda")[0]
    except RuntimeError:
        pytest.skip("JAX sees no GPU")
    host = well((4, 10, 10), "float32")
    a = jax.device_put(host, device)
    x = warplu.inv(a)
    assert isinstance(x, jax.Array) and x.devices() == {device}
    near(np.asarray(x), np.linalg.inv(host), "float32")
    near(np.asarray(warplu.solve(a, a)), np.broadcast_to(np.eye(10), (4, 10, 10)), "float32")


def test_arrays_with_the_interface_only():
    cupy = CuPyKit().cupy

    class Array:
        def __init__(self, x):
            self.x = x

        @property
        def __cuda_array_interface__(self):
            return self.x.__cuda_array_interface__

    host = well((4, 10, 10), "float64")
    x = warplu.inv(Array(cupy.asarray(host)))
    near(cupy.asnumpy(cupy.asarray(x)), np.linalg.inv(host), "float64")
    out = cupy.zeros((4, 10, 10))
    warplu.inv(Array(cupy.asarray(host)), out=Array(out))
    near(cupy.asnumpy(out), np.linalg.inv(host), "float64")
