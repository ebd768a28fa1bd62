"""Times warplu beside PyTorch, CuPy and NumPy, and what a call costs.

    python bench/python.py --json bench.json            # whatever is installed, on a GPU if there is one
    python bench/python.py --cpu --orders 8,64 --batch 100

A line is the best of several repetitions of a call whose result is waited for, in milliseconds; `overhead` is the
time of a call on one matrix of order 4 that nobody waits for, in microseconds.
"""

import argparse
import json
import platform
import sys
import time

import numpy as np

import warplu

OPERATIONS = ("inv", "solve", "lu_factor", "lu_solve", "slogdet", "cholesky")


class Arrays:
    """An array library: its name, how arrays get there, and how to wait for them."""

    def __init__(self, name, put, wait, peers, device=None):
        self.name, self.put, self.wait, self.peers, self.device = name, put, wait, peers, device

    def calls(self, operation, a, b, spd):
        """(contender, call) for each contender."""
        options = {} if self.device is None else {"device": self.device}
        factors = warplu.lu_factor(a, **options) if operation == "lu_solve" else None
        own = {
            "inv": lambda **more: warplu.inv(a, **options, **more),
            "solve": lambda **more: warplu.solve(a, b, **options, **more),
            "lu_factor": lambda **more: warplu.lu_factor(a, **options, **more),
            "lu_solve": lambda **more: warplu.lu_solve(factors, b, **options, **more),
            "slogdet": lambda **more: warplu.slogdet(a, **options),
            "cholesky": lambda **more: warplu.cholesky(spd, **options, **more),
        }[operation]
        yield "warplu", own
        if operation != "slogdet":
            yield "warplu, no check", lambda: own(check=False)
        peer = self.peers(operation, a, b, spd)
        if peer is not None:
            yield self.name, peer


def numpy_peers(operation, a, b, spd):
    return {
        "inv": lambda: np.linalg.inv(a),
        "solve": lambda: np.linalg.solve(a, b),
        "slogdet": lambda: np.linalg.slogdet(a),
        "cholesky": lambda: np.linalg.cholesky(spd),
    }.get(operation)


def torch_arrays(device):
    import torch

    def peers(operation, a, b, spd):
        linalg = torch.linalg
        factors = linalg.lu_factor(a) if operation == "lu_solve" else None
        return {
            "inv": lambda: linalg.inv_ex(a),
            "solve": lambda: linalg.solve_ex(a, b),
            "lu_factor": lambda: linalg.lu_factor_ex(a),
            "lu_solve": lambda: linalg.lu_solve(*factors, b),
            "slogdet": lambda: linalg.slogdet(a),
            "cholesky": lambda: linalg.cholesky_ex(spd),
        }[operation]

    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    return Arrays("torch" if device == "cuda" else "torch (CPU)", lambda x: torch.from_numpy(x).to(device), wait, peers)


def cupy_arrays():
    import cupy

    def peers(operation, a, b, spd):
        return {
            "inv": lambda: cupy.linalg.inv(a),
            "solve": lambda: cupy.linalg.solve(a, b),
            "slogdet": lambda: cupy.linalg.slogdet(a),
            "cholesky": lambda: cupy.linalg.cholesky(spd),
        }.get(operation)

    return Arrays("cupy", cupy.asarray, lambda: cupy.cuda.get_current_stream().synchronize(), peers)


def libraries(wants_gpu):
    """What there is."""
    has_gpu = wants_gpu and len(warplu.devices()) > 1
    yield Arrays("numpy", lambda x: x, lambda: None, numpy_peers)
    if has_gpu:
        yield Arrays("numpy (warplu on cuda)", lambda x: x, lambda: None, lambda *_: None, "cuda")
    for make in (lambda: torch_arrays("cuda"), cupy_arrays) if has_gpu else (lambda: torch_arrays("cpu"),):
        try:
            yield make()
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)


def best(call, wait, seconds):
    """The best time of a call, in seconds, of as many as there is time for."""
    call()
    wait()
    times, end = [], time.perf_counter() + seconds
    while not times or (time.perf_counter() < end and len(times) < 1000):
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return min(times)


def overhead(call, wait, count=200):
    """The time of a call that nobody waits for, in seconds."""
    call()
    wait()
    rounds = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            call()
        rounds.append((time.perf_counter() - start) / count)
        wait()
    return min(rounds)


def inputs(n, batch, rhs, dtype):
    generator = np.random.default_rng(n)
    a = generator.uniform(-1, 1, (batch, n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * generator.uniform(-1, 1, a.shape)
    spd = a @ a.conj().swapaxes(1, 2) / n + np.eye(n)
    b = generator.uniform(-1, 1, (batch, n, rhs))
    return [x.astype(dtype) for x in (a, b, spd)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]  # noqa: E731
    parser.add_argument("--orders", type=numbers, default=[8, 32, 64, 128, 256])
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--rhs", type=int, default=1)
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=["float32", "float64"])
    parser.add_argument("--operations", type=lambda text: text.split(","), default=list(OPERATIONS))
    parser.add_argument("--seconds", type=float, default=0.5, help="for each number")
    parser.add_argument("--cpu", action="store_true", help="leave GPUs alone")
    parser.add_argument("--json", help="where to write the numbers")
    arguments = parser.parse_args()

    rows = []

    def row(**fields):
        rows.append(fields)
        print(
            "  ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in fields.values()),
            flush=True,
        )

    for arrays in libraries(not arguments.cpu):
        for dtype in arguments.dtypes:
            a, b, spd = (arrays.put(x) for x in inputs(4, 1, 1, dtype))
            for operation in arguments.operations:
                for contender, call in arrays.calls(operation, a, b, spd):
                    microseconds = 1e6 * overhead(call, arrays.wait)
                    row(
                        kind="overhead",
                        arrays=arrays.name,
                        by=contender,
                        op=operation,
                        dtype=dtype,
                        microseconds=microseconds,
                    )
            for n in arguments.orders:
                a, b, spd = (arrays.put(x) for x in inputs(n, arguments.batch, arguments.rhs, dtype))
                sizes = {"n": n, "batch": arguments.batch, "rhs": arguments.rhs}
                for operation in arguments.operations:
                    for contender, call in arrays.calls(operation, a, b, spd):
                        milliseconds = 1e3 * best(call, arrays.wait, arguments.seconds)
                        row(
                            kind="time",
                            arrays=arrays.name,
                            by=contender,
                            op=operation,
                            dtype=dtype,
                            **sizes,
                            milliseconds=milliseconds,
                        )
    if arguments.json:
        machine = {
            "warplu": warplu.__version__,
            "python": platform.python_version(),
            "devices": [device.description for device in warplu.devices()],
            "libraries": {
                name: sys.modules[name].__version__ for name in ("numpy", "torch", "cupy") if name in sys.modules
            },
        }
        with open(arguments.json, "w") as file:
            json.dump({"machine": machine, "rows": rows}, file, indent=1)


main()
