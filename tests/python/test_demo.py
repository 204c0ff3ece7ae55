"""The gallery at small sizes: all agree with plain Python, draw and show in the table."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from graphwright import demo
from graphwright.__main__ import main

CURVES = ("cnn", "federated", "lstm", "mlp", "ode")
PICTURES = {"mandelbrot": (840, 540), "kmeans": (1260, 600)} | dict.fromkeys(CURVES, (840, 540))
PICTURES["ode"] = (1200, 540)


@pytest.mark.parametrize("name", sorted(demo.WORKLOADS))
def test_workload(name, tmp_path):
    workload = demo.WORKLOADS[name].workload(small=True)
    python, graph = workload.python(), workload.graph()
    assert workload.same(python, graph)
    if name in PICTURES:
        picture = Image.open(workload.draw(graph, tmp_path))
        assert picture.size == PICTURES[name]
        assert len(np.unique(np.asarray(picture))) > 10
    else:
        assert workload.draw is None


def test_a_wrong_answer_is_not_called_the_same():
    for name in demo.WORKLOADS:
        workload = demo.WORKLOADS[name].workload(small=True)
        assert not workload.same(workload.python(), spoilt(workload.graph()))


def spoilt(answer):
    """The answer with its first number changed."""
    if isinstance(answer, tuple):
        return (spoilt(answer[0]), *answer[1:])
    return answer + 1


def test_table(capsys, tmp_path):
    assert main(["demo", "--small", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("yes") == len(demo.WORKLOADS)
    for title in (
        "Collatz",
        "Newton",
        "Mandelbrot",
        "k-means",
        "RNN",
        "FizzBuzz",
        "queens",
        "MLP",
        "CNN",
        "LSTM",
        "ODE",
        "federated",
    ):
        assert title in shown
    assert {path.stem for path in tmp_path.iterdir()} == {*PICTURES, "speed"}
