"""Processes that are forked, and others, which get the exceptions and the results of their parent."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from conftest import well

import warplu

PATIENCE = 120
SIZES = [(2000, 3), (100, 40), (8, 200), (1, 700)]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def stacks():
    return [well((batch, n, n), "float64", n) for batch, n in SIZES]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(method):
    given = stacks()
    expected = [warplu.inv(a) for a in given]
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        for x, y in zip(pool.map_async(warplu.inv, given).get(PATIENCE), expected):
            assert np.array_equal(x, y)
        with pytest.raises(warplu.BadMatrixError):
            pool.map_async(warplu.inv, [np.zeros((2, 2))]).get(PATIENCE)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for x, y in zip(pool.map(warplu.inv, given, timeout=PATIENCE), expected):
            assert np.array_equal(x, y)
        try:
            with pytest.raises(warplu.BadMatrixError):
                pool.submit(warplu.inv, np.zeros((2, 2))).result(PATIENCE)
        except BrokenProcessPool:
            pytest.fail("the exception cannot be sent")


def _grandchild(queue):
    warplu.inv(stacks()[0])
    child = multiprocessing.get_context("fork").Process(target=lambda: queue.put(warplu.inv(stacks()[1])))
    child.start()
    child.join(PATIENCE)


def test_children_of_children():
    expected = warplu.inv(stacks()[1])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_grandchild, args=(queue,))
    child.start()
    assert np.array_equal(queue.get(timeout=PATIENCE), expected)
    child.join(PATIENCE)
    assert child.exitcode == 0


class _Inverses:
    def __len__(self):
        return 4

    def __getitem__(self, at):
        return warplu.inv(well((500, 16, 16), "float64", at))


def test_data_loader():
    data = pytest.importorskip("torch.utils.data", reason="PyTorch is not installed")
    expected = [_Inverses()[at] for at in range(4)]
    loader = data.DataLoader(_Inverses(), batch_size=None, num_workers=2, timeout=PATIENCE, multiprocessing_context="fork")
    for x, y in zip(loader, expected):
        assert np.array_equal(x, y)
