"""The static checker: what a file of many functions costs."""

from __future__ import annotations

import statistics
from functools import partial

from rich.table import Table

from benches.timing import thread_seconds
from graphwright._native import check_files

UNIT = '''
@gw.function(input_signature=[gw.TensorSpec([None, 784], gw.float32), gw.TensorSpec([None], gw.int32)])
def loss_{i}(x, labels):
    hidden = gw.nn.relu(x @ gw.zeros([784, 128]) + gw.zeros([128]))
    total = 0.0
    for step in range(10):
        scale = 1.0 / (step + 1)
        hidden = hidden * scale
        if gw.reduce_sum(hidden) > 100.0:
            hidden = hidden / 2.0
        else:
            total = total + gw.reduce_mean(gw.reduce_max(hidden, axis=1))
    logits = normalized_{i}(hidden @ gw.zeros([128, 10]))
    return -gw.reduce_sum(logits * gw.one_hot(labels, 10)) + total


def normalized_{i}(logits):
    """Subtracts the greatest."""
    most = gw.reduce_max(logits, axis=-1, keepdims=True)
    shifted = logits - most
    try:
        return shifted - gw.log(gw.reduce_sum(gw.exp(shifted), axis=-1, keepdims=True))
    except ValueError as error:
        print(error)
    return shifted


class Model_{i}:
    def __init__(self, rate=0.1):
        self.rate = rate
        self.names = [name for name in ("a", "b")]

    @gw.function
    def step(self, x):
        while gw.reduce_sum(x) > 1.0:
            x = x * self.rate
        return x
'''

ROUNDS = 11


def text(lines: int) -> str:
    """A file of about so many lines."""
    units = lines // UNIT.count("\n")
    return "import graphwright as gw\n" + "".join(UNIT.replace("{i}", str(i)) for i in range(units))


def table() -> Table:
    """Milliseconds of the processor for files of a hundred lines and more."""
    made = Table(title="Checks (aim: 10,000 lines in 50 ms)")
    for heading in ("lines", "ms"):
        made.add_column(heading, justify="right")
    for lines in (100, 1_000, 10_000):
        file = text(lines)
        taken = [thread_seconds(partial(check_files, ["-"], file)) for _ in range(ROUNDS)]
        made.add_row(f"{file.count(chr(10)):,}", f"{1e3 * statistics.median(taken):.1f}")
    return made
