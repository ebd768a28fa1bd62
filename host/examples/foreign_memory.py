"""Inverts matrices in GPU memory of PyTorch and CuPy, in place and on their streams, and compares with their own inverses.

    cargo build --release -p warplu --features cuda --example foreign_memory
    python3 host/examples/foreign_memory.py [libforeign_memory.so]
"""

import ctypes
import pathlib
import sys

ORDINAL, BATCH = 0, 1000
ORDERS = [1, 5, 32, 33, 100, 200]
LIBRARY = pathlib.Path(__file__).parents[2] / "target/release/examples/libforeign_memory.so"


def load():
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else str(LIBRARY))
    invert = library.warplu_invert_in_place_f64
    invert.restype = ctypes.c_int32
    size, address = ctypes.c_size_t, ctypes.c_uint64
    invert.argtypes = [ctypes.c_uint32, address, size, size, address, ctypes.c_void_p]
    return invert


def close(difference, n):
    """Whether inverses of matrices with a heavy diagonal agree."""
    good = difference < 1e-12
    if not good:
        print(f"order {n}: the inverses differ by {difference:.1e}", file=sys.stderr)
    return good


def torch_agrees(invert):
    import torch

    if not torch.cuda.is_available():
        return None
    device = torch.device("cuda", ORDINAL)
    streams = [torch.cuda.current_stream(device), torch.cuda.Stream(device)]
    good = True
    for stream in streams:
        with torch.cuda.stream(stream):
            for n in ORDERS:
                a = torch.rand(BATCH, n, n, dtype=torch.float64, device=device)
                a += n * torch.eye(n, dtype=torch.float64, device=device)
                status = torch.full((BATCH,), 7, dtype=torch.int32, device=device)
                expected = torch.linalg.inv(a)
                code = invert(ORDINAL, a.data_ptr(), n, BATCH, status.data_ptr(), stream.cuda_stream)
                good &= code == 0 and not status.any().item() and close((a - expected).abs().max().item(), n)
    return good


def cupy_agrees(invert):
    import cupy
    import numpy

    if cupy.cuda.runtime.getDeviceCount() == 0:
        return None
    good = True
    with cupy.cuda.Device(ORDINAL):
        for stream in [cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)]:
            with stream:
                for n in ORDERS:
                    a = cupy.random.rand(BATCH, n, n) + n * cupy.eye(n)
                    status = cupy.full(BATCH, 7, dtype=cupy.int32)
                    expected = numpy.linalg.inv(cupy.asnumpy(a))
                    code = invert(ORDINAL, a.data.ptr, n, BATCH, status.data.ptr, stream.ptr)
                    difference = numpy.abs(cupy.asnumpy(a) - expected).max()
                    good &= code == 0 and not bool(status.any()) and close(difference, n)
    return good


def main():
    invert, failed = load(), False
    for name, agrees in [("torch", torch_agrees), ("cupy", cupy_agrees)]:
        try:
            good = agrees(invert)
        except ImportError:
            print(f"{name}: not installed")
            continue
        print(f"{name}: " + {None: "no GPU", True: "ok", False: "FAILED"}[good])
        failed |= good is False
    sys.exit(1 if failed else 0)


main()
