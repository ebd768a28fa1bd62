"""Calls on GPU memory, on the pretend driver of this project: it launches nothing, and notes what is done wrong.

Needs `libpretend_driver.so`, which `cargo build -p pretend-driver` makes: in the environment, WARPLU_PRETEND_DRIVER
is its path. In a process of its own, as a process has one driver.
"""

import os
import subprocess
import sys

import pytest

PATH = os.environ.get("WARPLU_PRETEND_DRIVER")

CALLS = """
import ctypes, sys
driver = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
driver.pretend_count.restype = ctypes.c_uint64
driver.pretend_reset()
LAUNCHES, BYTES, EVENTS, QUEUED = 12, 1, 6, 14

import time
import numpy as np, warplu
from warplu import _libraries, _warplu

def count(what):
    return driver.pretend_count(ctypes.c_uint32(what))

def faults():
    texts = []
    visit = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda _, text: texts.append(text.decode()))
    driver.pretend_texts(ctypes.c_uint32(0), visit, None)
    return texts

class Array:
    "An array with the interface only, in a stream."
    def __init__(self, block, shape=None, strides=None, stream=None):
        self.block = block
        self.interface = {**block.__cuda_array_interface__, "strides": strides, "stream": stream}
        if shape is not None:
            self.interface["shape"] = shape
    @property
    def __cuda_array_interface__(self):
        return self.interface

def array(*shape, code=3, **more):
    return Array(_warplu.Block(list(shape), code, 0), **more)

assert [device.name for device in warplu.devices()] == ["cpu", "cuda:0", "cuda:1"]
a, b = array(5, 20, 20), array(5, 20, 2)
for call in [
    lambda: warplu.inv(a, check=False),
    lambda: warplu.inv(a, out=array(5, 20, 20), check=False),
    lambda: warplu.inv(a, out=a, check=False),
    lambda: warplu.inv(a, assume_a="pos", check=False),
    lambda: warplu.solve(a, b, check=False),
    lambda: warplu.solve(a, b, out=b, check=False),
    lambda: warplu.solve(a, array(20), check=False),
    lambda: warplu.lu_factor(a, check=False),
    lambda: warplu.slogdet(a),
    lambda: warplu.inv(a, pivoting="none", check=False),
    lambda: warplu.solve(a, b, pivoting="none", check=False),
    lambda: warplu.lu_factor(a, pivoting="boosted:1e-6", check=False),
    lambda: warplu.slogdet(a, pivoting="boosted:1e-6"),
    lambda: warplu.cholesky(a, check=False),
    lambda: warplu.inv(Array(a.block, (5, 20, 20), (8, 800, 40)), check=False),
    lambda: warplu.inv(array(2, 600, 600), check=False),
    lambda: warplu.inv(array(3, 40, 40, code=0), check=False),
]:
    before = count(LAUNCHES)
    call()
    first = count(LAUNCHES) - before
    call()
    assert first > 0 and count(LAUNCHES) - before == 2 * first
    assert count(QUEUED) == 0 and not faults(), faults()

inverse, status = warplu.inv(a, return_status=True)
assert inverse.shape == [5, 20, 20] and status.shape == [5]
lu, piv = warplu.lu_factor(a, check=False)
rows = Array(piv)
assert warplu.lu_solve((Array(lu), rows), b, check=False).shape == [5, 20, 2]

# Without a check nobody waits, nor does anything that is dropped.
general, other = ("general", "partial"), array(5, 20, 20)
status, known = _warplu.Block([5], None, 0), _warplu.Block([5], None, 0)
where, to = (_warplu.Matrices.compact(x.block.address, (5,), 20, 20) for x in (a, other))
piv = _warplu.Block([5, 20], None, 0)
for quiet in [
    lambda check: _warplu.inv((0, 0, False), 3, general, where, where, status.address, check),
    lambda check: _warplu.solve((0, 0, False), 3, general, where, to, to, status.address, check),
    lambda check: _warplu.lu_factor((0, 0, False), 3, general, where, to, piv.address, status.address, check),
    lambda check: _warplu.lu_solve(
        (0, 0, False), 3, 1, where, piv.address, False, known.address, to, to, status.address, check
    ),
    lambda check: _warplu.cholesky((0, 0, False), 3, False, where, where, status.address, check),
    lambda check: _warplu.cho_solve((0, 0, False), 3, False, where, known.address, to, to, status.address, check),
]:
    quiet(True)
    assert count(QUEUED) == 0
    quiet(False)
    assert count(QUEUED) > 0
    quiet(True)
    assert count(QUEUED) == 0 and not faults(), faults()

# Of arrays whose work nobody waits for, calls in a stream share statuses that nobody reads.
alive = []  # what a library would let go in the order of the stream

class Quiet(Array):
    pass

class QuietArrays(_libraries.protocols.CudaArrays):
    waits = False
    rooms = 0
    def empty(self, shape, code, like):
        self.rooms += code == 6
        room = super().empty(shape, code, like)
        alive.append(room)
        return room

quiet = _libraries._LIBRARIES[Quiet] = QuietArrays(Quiet)

def quiet_array(*shape, stream=None):
    alive.append(_warplu.Block(list(shape), 3, 0))
    return Quiet(alive[-1], stream=stream)

def rooms(call):
    before = quiet.rooms
    call()
    return quiet.rooms - before

a, b = quiet_array(5, 20, 20), quiet_array(5, 20, 2)
lu, piv = Quiet(warplu.lu_factor(a, check=False)[0]), Quiet(_warplu.Block([5, 20], None, 0))
warplu.clear_plans()
assert [rooms(lambda: warplu.solve(a, b, check=False)) for _ in range(3)] == [1, 0, 0]
assert [rooms(lambda: warplu.lu_solve((lu, piv), b, check=False)) for _ in range(3)] == [1, 0, 0]  # zeros
assert rooms(lambda: warplu.inv(quiet_array(4, 20, 20), check=False)) == 0  # there is room for fewer
assert rooms(lambda: warplu.inv(quiet_array(6, 20, 20), check=False)) == 1
assert rooms(lambda: warplu.inv(a, return_status=True)) == 1
assert rooms(lambda: warplu.inv(quiet_array(5, 20, 20, stream=1), check=False)) == 1
a = array(5, 20, 20)
warplu.inv(a)
assert count(QUEUED) == 0 and not faults(), faults()

# Plans with memory wait for each other's streams, also for streams that are gone.
large = _warplu.Block([2, 600, 600], 3, 0)
create, destroy = driver.cuStreamCreateWithPriority, driver.cuStreamDestroy_v2
for _ in range(3):
    stream = ctypes.c_void_p()
    context = ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxPushCurrent_v2(context)
    assert create(ctypes.byref(stream), 1, 0) == 0
    warplu.inv(Array(large, stream=stream.value), check=False)
    assert destroy(stream) == 0
    driver.cuCtxPopCurrent_v2(ctypes.byref(context))
    driver.cuDevicePrimaryCtxRelease_v2(0)
warplu.inv(Array(large), check=False)
events = count(EVENTS)
for _ in range(20):
    warplu.inv(Array(large), check=False)
assert count(EVENTS) <= events + 1
held = count(BYTES)
warplu.clear_plans()
assert count(BYTES) < held and not faults(), faults()

# What a call costs, with the driver's part.
warplu.inv(a, out=a, check=False)
start = time.perf_counter()
for _ in range(500):
    warplu.inv(a, out=a, check=False)
print((time.perf_counter() - start) / 500 * 1e6)

for wrong in [lambda: warplu.inv(a, device="cuda:1"), lambda: warplu.inv(a, out=array(4, 20, 20))]:
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError
try:
    _warplu.Block([1 << 40], 3, 0)
except MemoryError as error:
    assert "GPU memory" in str(error), error
else:
    raise AssertionError
"""


@pytest.mark.skipif(PATH is None, reason="WARPLU_PRETEND_DRIVER is not set")
def test_calls_on_gpu_memory():
    told = subprocess.run([sys.executable, "-c", CALLS, PATH], capture_output=True, text=True, timeout=300, check=False)
    assert told.returncode == 0, told.stderr
