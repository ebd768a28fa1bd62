"""The examples of docstrings and of the README."""

import doctest
import pathlib
import re

import numpy as np
import pytest

import warplu


@pytest.mark.parametrize("module", [warplu, warplu._general, warplu._lu, warplu._determinants, warplu._definite])
def test_examples(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_every_public_function_has_an_example():
    for name in warplu.__all__:
        item = getattr(warplu, name)
        if callable(item) and not isinstance(item, type):
            assert ">>>" in item.__doc__, name


def test_the_readme():
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1).replace("10_000, 64", "10, 64")
    # Where there is no PyTorch and no GPU.
    lines = [line for line in code.splitlines() if "torch" not in line and "cuda" not in line]
    names = {"np": np}
    exec("\n".join(lines), names)
    assert names["x"].shape == (10, 64, 1) and len(names["inverses"]) == 2
