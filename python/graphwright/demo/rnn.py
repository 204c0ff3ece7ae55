"""A recurrent cell over 200 steps: Python's `for` over the rows of a tensor."""

import numpy as np

import graphwright as gw
from graphwright.demo.workload import Workload


def run_cell(inputs, state, w_in, w_state, bias):
    """Feeds one row after the other into the cell."""
    for x in inputs:
        state = gw.tanh(x @ w_in + state @ w_state + bias)
    return state


def run_cell_in_numpy(inputs, state, w_in, w_state, bias):
    """The same in NumPy, to compare with."""
    for x in inputs:
        state = np.tanh(x @ w_in + state @ w_state + bias)
    return state


def workload(small: bool) -> Workload:
    """A batch of 8 sequences, 32 units, float32."""
    steps, batch, features, units = (20 if small else 200), 8, 16, 32
    random = np.random.default_rng(0)

    def weights(*shape):
        return (random.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)

    inputs = random.normal(size=(steps, batch, features)).astype(np.float32)
    state = np.zeros((batch, units), np.float32)
    arrays = inputs, state, weights(features, units), weights(units, units), weights(units)
    staged, tensors = gw.function(run_cell), [gw.constant(array) for array in arrays]
    return Workload(
        title=f"RNN cell over {steps} steps",
        plain="NumPy",
        python=lambda: run_cell_in_numpy(*arrays),
        graph=lambda: staged(*tensors).numpy(),
        same=lambda python, graph: np.allclose(python, graph, rtol=1e-4, atol=1e-5),
        repeat=10,
    )
