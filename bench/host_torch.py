"""PyTorch beside warplu's calls on host memory: host to GPU, the operation, and back; and the bare copies, as the floor.

Usage: python3 bench/host_torch.py out.json
"""

import json
import sys
import time

import torch


def median(work, runs, warmup=1):
    seconds = []
    for _ in range(warmup + runs):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[warmup:])[runs // 2]


def measure(dtype, n):
    size = torch.finfo(dtype).bits // 8
    batch = 10_000 if (size, n) in [(8, 64), (8, 128)] else (1 << 30) // (n * n * size)
    pageable = torch.randn(batch, n, n, dtype=dtype)
    pinned, result = pageable.pin_memory(), torch.empty_like(pageable).pin_memory()
    into, out_of = torch.empty(pageable.shape, dtype=dtype, device="cuda"), torch.randn(pageable.shape, dtype=dtype, device="cuda")
    one, other = torch.cuda.Stream(), torch.cuda.Stream()

    def both_ways():
        with torch.cuda.stream(one):
            into.copy_(pinned, non_blocking=True)
        with torch.cuda.stream(other):
            result.copy_(out_of, non_blocking=True)

    row = {"dtype": "f64" if size == 8 else "f32", "n": n, "batch": batch, "copy both ways": median(both_ways, 5)}
    for name, work in {"inv": torch.linalg.inv_ex, "lu": torch.linalg.lu_factor_ex}.items():
        row[f"{name} pageable"] = median(lambda: [x.cpu() for x in work(pageable.cuda())], 3)
        row[f"{name} pinned"] = median(lambda: result.copy_(work(pinned.cuda(non_blocking=True))[0], non_blocking=True), 3)
    return row


def right_hand_sides(n, batch):
    """One right-hand side for each of a batch, there and back."""
    pageable = torch.randn(batch, n, dtype=torch.float64)
    pinned = pageable.pin_memory()
    there_and_back = lambda: pinned.copy_(pinned.cuda(non_blocking=True), non_blocking=True)
    return {"n": n, "batch": batch, "pageable": median(lambda: pageable.cuda().cpu(), 20), "pinned": median(there_and_back, 20)}


rows = []
for dtype in torch.float64, torch.float32:
    for n in 16, 32, 64, 128, 190, 256, 512:
        rows.append(measure(dtype, n))
        print(rows[-1], flush=True)
        torch.cuda.empty_cache()
sides = right_hand_sides(128, 10_000)
print(sides)
about = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "seconds": "median of 3 to 20"}
with open(sys.argv[1], "w") as file:
    json.dump(about | {"rows": rows, "right-hand sides": sides}, file, indent=1)
