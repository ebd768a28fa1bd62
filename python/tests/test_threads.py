"""Several threads at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conftest import well

import warplu


def test_other_threads_run_during_a_call():
    a = well((200, 150, 150), "float64")
    steps, done = [], threading.Event()

    def count():
        while not done.is_set():
            steps.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    warplu.inv(a)
    end = time.perf_counter()
    done.set()
    thread.join()
    # With Python's lock held, there would be none in between.
    inside = [step for step in steps if start + 0.1 * (end - start) < step < end - 0.1 * (end - start)]
    assert end - start < 0.01 or inside


def test_many_threads_have_the_results_of_one():
    stacks = [well((50, n, n), "float64", n) for n in range(1, 25)]
    expected = [warplu.inv(a) for a in stacks]
    with ThreadPoolExecutor(8) as pool:
        for x, y in zip(pool.map(warplu.inv, stacks * 3), expected * 3):
            assert np.array_equal(x, y)
