#!/usr/bin/env python3
"""Measures MAGMA and cuSOLVER through PyTorch, as `warplu-bench` measures warplu; see bench/README.md."""

import argparse
import ctypes
import datetime
import json
import math
import os
import platform
import sys

try:
    import torch
except ImportError:
    sys.exit("peers.py: PyTorch is missing: pip install torch (a build with CUDA)")

DTYPES = {"f32": torch.float32, "f64": torch.float64, "c32": torch.complex64, "c64": torch.complex128}
OPS = ["lu", "inv", "solve", "lu-solve", "chol", "chol-solve", "chol-inv"]
# What a row calls them: (library, algorithm).
BACKENDS = {"magma": ("magma", None), "cusolver": ("torch", "cusolver")}


def orders(text):
    """`33`, `33..190` (with both ends) or `33..190:8`, several separated by commas."""
    numbers = []
    for part in text.split(","):
        ends, _, step = part.partition(":")
        first, _, last = ends.partition("..")
        numbers += range(int(first), int(last or first) + 1, int(step or 1))
    if not numbers or min(numbers) < 1:
        raise ValueError
    return numbers


def one_of(names):
    """Names separated by commas."""

    def parse(text):
        chosen = text.split(",")
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(names)}")
        return chosen

    return parse


def column_major(batch, rows, cols, dtype):
    """Random matrices with parts between -1 and 1, each column by column."""
    real = torch.empty(0, dtype=dtype).real.dtype
    parts = torch.rand(batch, cols, rows, 2 if dtype.is_complex else 1, dtype=real, device="cuda") * 2 - 1
    return (torch.view_as_complex(parts) if dtype.is_complex else parts[..., 0]).mT


def definite(a):
    """Hermitian, positive definite matrices of them."""
    lower = torch.tril(a, -1)
    shift = 2 * math.sqrt(a.shape[-1]) + 1
    diagonal = torch.diag_embed(a.diagonal(dim1=-2, dim2=-1).real + shift).to(a.dtype)
    # Laid out as before, column by column.
    return (lower + lower.mH + diagonal).mT.contiguous().mT


def prepare(op, n, batch, rhs, dtype):
    """Inputs as they are at first, as a run finds them, and the run."""
    a, b = column_major(batch, n, n, dtype), column_major(batch, n, max(rhs, 1), dtype)
    if op.startswith("chol"):
        a = definite(a)
        low = torch.linalg.cholesky(a)
        if op == "chol":
            return (a, b), [a], lambda a: torch.linalg.cholesky_ex(a)[0]
        if op == "chol-solve":
            return (a, b), [low, b], lambda low, b: torch.cholesky_solve(b, low)
        return (a, b), [low], torch.cholesky_inverse
    if op == "lu":
        return (a, b), [a], lambda a: torch.linalg.lu_factor_ex(a)[:2]
    if op == "inv":
        return (a, b), [a], lambda a: torch.linalg.inv_ex(a)[0]
    if op == "solve":
        return (a, b), [a, b], lambda a, b: torch.linalg.solve_ex(a, b)[0]
    lu, pivots = torch.linalg.lu_factor(a)
    return (a, b), [lu, pivots, b], lambda lu, pivots, b: torch.linalg.lu_solve(lu, pivots, b)


def norm(x):
    return torch.linalg.matrix_norm(x, 1).item()


def ratio(op, a, b, result):
    """LAPACK's test ratio, the worse of the first and the last matrix."""
    unit = torch.finfo(a.dtype).eps / 2
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    values = []
    for at in {0, a.shape[0] - 1}:
        n, a_at, b_at = a.shape[-1], a[at].to(wide), b[at].to(wide)
        if op == "lu":
            p, low, up = torch.lu_unpack(result[0][at], result[1][at])
            residual = a_at - p.to(wide) @ (low.to(wide) @ up.to(wide))
            values.append(norm(residual) / (n * norm(a_at) * unit))
        elif op == "chol":
            low = result[at].to(wide)
            values.append(norm(a_at - low @ low.mH) / (n * norm(a_at) * unit))
        elif op in ("inv", "chol-inv"):
            x = result[at].to(wide)
            identity = torch.eye(n, dtype=wide, device=x.device)
            residual = min(norm(identity - x @ a_at), norm(identity - a_at @ x))
            values.append(residual / (n * norm(a_at) * norm(x) * unit))
        else:
            x = result[at].to(wide)
            columns = (b_at - a_at @ x).abs().sum(0) / (norm(a_at) * x.abs().sum(0) * unit)
            values.append(columns.max().item())
    # JSON has no NaN: a ratio that is one must not hide.
    return max(values) if all(map(math.isfinite, values)) else sys.float_info.max


def measure(run, inputs, warmup, reps):
    """Seconds of each run between two events, and what the last one made."""
    originals = [x.clone() for x in inputs]
    ballast = torch.empty(2, 128 << 20, dtype=torch.uint8, device="cuda")
    marks = []
    for rep in range(warmup + reps):
        # The device is busy while the run is enqueued.
        ballast[0].copy_(ballast[1])
        for x, original in zip(inputs, originals):
            x.copy_(original)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        result = run(*inputs)
        end.record()
        if rep >= warmup:
            marks.append((start, end))
    torch.cuda.synchronize()
    return sorted(start.elapsed_time(end) / 1e3 for start, end in marks), result


def flops(op, n, rhs, batch, dtype):
    """As LAPACK counts them, to leading order."""
    each = {
        "lu": 2 / 3 * n**3,
        "inv": 2 * n**3,
        "solve": 2 / 3 * n**3 + 2 * n * n * rhs,
        "lu-solve": 2 * n * n * rhs,
        "chol": 1 / 3 * n**3,
        "chol-solve": 2 * n * n * rhs,
        "chol-inv": 2 / 3 * n**3,
    }[op]
    return each * batch * (4 if dtype.is_complex else 1)


def row(backend, op, dtype_name, n, args):
    """The measurement of a case."""
    torch.backends.cuda.preferred_linalg_library(backend)
    dtype, rhs = DTYPES[dtype_name], args.rhs if "solve" in op else 0
    (a, b), inputs, run = prepare(op, n, args.batch, rhs, dtype)
    seconds, result = measure(run, inputs, args.warmup, args.reps)
    middle = (seconds[(len(seconds) - 1) // 2] + seconds[len(seconds) // 2]) / 2
    library, algorithm = BACKENDS[backend]
    return {
        "library": library,
        "algorithm": algorithm,
        "op": op,
        "dtype": dtype_name,
        "n": n,
        "batch": args.batch,
        "rhs": rhs,
        "layout": "column-major",
        "place": "device",
        "seconds": {"median": middle, "min": seconds[0], "max": seconds[-1], "runs": len(seconds)},
        "gflops": flops(op, n, rhs, args.batch, dtype) / middle / 1e9,
        "ratio": ratio(op, a, b, result),
    }


def driver():
    """The newest CUDA version that the driver supports."""
    version = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"


def cpu():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} threads"


def save(path, results):
    """Writes the file beside its place first, so that it is never half written."""
    part = f"{path}.part"
    with open(part, "w") as file:
        json.dump(results, file, indent=2)
        file.write("\n")
    os.replace(part, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=one_of(BACKENDS), default=list(BACKENDS), help=",".join(BACKENDS))
    parser.add_argument("--op", type=one_of(OPS), default=["lu", "solve", "inv"], help=",".join(OPS))
    parser.add_argument("--dtype", type=one_of(DTYPES), default=["f32", "f64"], help=",".join(DTYPES))
    parser.add_argument("--n", type=orders, default=[8, 16, 32, 64, 128], help="such as 64, 33..190 or 33..190:8")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--rhs", type=int, default=1)
    parser.add_argument("--reps", type=int, default=7)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    if min(args.batch, args.rhs, args.reps, args.warmup + 1) < 1:
        parser.error("--batch, --rhs and --reps are at least 1, --warmup at least 0")
    if not torch.cuda.is_available():
        sys.exit("peers.py: PyTorch sees no GPU: run nvidia-smi to check, and install a build of PyTorch with CUDA")
    if "magma" in args.library and not torch.cuda.has_magma:
        print("peers.py: this PyTorch is built without MAGMA: its rows are left out", file=sys.stderr)
        args.library.remove("magma")

    torch.manual_seed(1)
    results = {
        "schema": 1,
        "title": None,
        "figure": None,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "gpu": torch.cuda.get_device_name(),
        "driver": driver(),
        "toolchain": f"PyTorch {torch.__version__}; CUDA {torch.version.cuda}",
        "version": torch.__version__,
        "cpu": cpu(),
        "rows": [],
    }
    wrong = 0
    cases = [(op, dtype, n) for op in args.op for dtype in args.dtype for n in args.n]
    for op, dtype, n in cases:
        for backend in args.library:
            try:
                done = row(backend, op, dtype, n, args)
            except RuntimeError as error:
                print(f"peers.py: {backend} {op} {dtype} n = {n}: {error}", file=sys.stderr)
                continue
            results["rows"].append(done)
            ms = done["seconds"]["median"] * 1e3
            print(f"{op:<10} {dtype} {n:>5} {ms:>11.4f} ms {done['gflops']:>9.1f} GFLOP/s {done['ratio']:>8.3f} {backend}")
            if not done["ratio"] < 30:
                print(f"peers.py: WRONG RESULT of {backend} {op} {dtype} n = {n}", file=sys.stderr)
                wrong += 1
        if args.json:
            save(args.json, results)
    sys.exit(1 if wrong or not results["rows"] else 0)


if __name__ == "__main__":
    main()
