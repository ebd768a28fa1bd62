"""What tests on a GPU need of the libraries whose arrays are there."""

import numpy as np
import pytest


class TorchKit:
    """What tests need of PyTorch."""

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")
        self.linalg = self.torch.linalg

    def put(self, x):
        return self.torch.from_numpy(np.ascontiguousarray(x)).cuda()

    def get(self, x):
        assert x.is_cuda
        return x.cpu().numpy()

    def other_stream(self):
        stream = self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        return self.torch.cuda.stream(stream)

    def busy(self):
        self.torch.cuda._sleep(50_000_000)

    def sync(self):
        self.torch.cuda.synchronize()

    def zeros(self, shape, dtype):
        return self.torch.zeros(shape, dtype=getattr(self.torch, dtype), device="cuda")

    def swapped(self, x):
        return x.mT


class CuPyKit:
    """What tests need of CuPy."""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
        try:
            self.cupy.cuda.runtime.getDeviceCount()
        except self.cupy.cuda.runtime.CUDARuntimeError:
            pytest.skip("CuPy sees no GPU")
        self.linalg = self.cupy.linalg

    def put(self, x):
        return self.cupy.asarray(x)

    def get(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return self.cupy.asnumpy(x)

    def other_stream(self):
        self.cupy.cuda.get_current_stream().synchronize()
        return self.cupy.cuda.Stream(non_blocking=True)

    def busy(self):
        x = self.cupy.ones((2000, 2000))
        for _ in range(10):
            x = x @ x * 1e-4

    def sync(self):
        self.cupy.cuda.Device().synchronize()

    def zeros(self, shape, dtype):
        return self.cupy.zeros(shape, dtype)

    def swapped(self, x):
        return x.swapaxes(-1, -2)
