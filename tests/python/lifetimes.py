"""Elements that Graphwright lends to other libraries and borrows from them, with their owners gone: for `make valgrind`.

Each function makes a value over memory of another, lets the owner go, makes others that would take its place,
and reads. Run under valgrind it shows reads of what is freed; without, wrong elements.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

import graphwright as gw

COUNT = 300


def fresh() -> Any:
    """Elements of their own memory."""
    return np.arange(float(COUNT))


def churned() -> None:
    """Frees what has no owner, and takes such memory again."""
    gc.collect()
    for _ in range(4):
        np.full(COUNT, -1.0)
        gw.fill([COUNT], -1.0)


def borrowed_by_dlpack() -> Any:
    return gw.from_dlpack(fresh())


def lent_by_dlpack() -> Any:
    return np.from_dlpack(gw.constant(fresh()))


def lent_and_borrowed() -> Any:
    return gw.from_dlpack(np.from_dlpack(gw.constant(fresh()))[::1])


def lent_as_a_buffer() -> Any:
    return memoryview(gw.constant(fresh()))


def lent_as_an_array() -> Any:
    return np.asarray(gw.constant(fresh()))[10:][::-1][::-1]


def part_of_a_result() -> Any:
    return gw.function(lambda x: x[10:] + 0.0)(fresh())


def result_that_is_an_argument() -> Any:
    return gw.function(lambda x: x)(gw.constant(fresh()))


def taken_from_an_array_of_python() -> Any:
    return gw.constant(array("d", range(COUNT)))


def row_of_a_matrix() -> Any:
    return gw.constant(np.stack([fresh(), fresh()]))[1]


def part_of_a_variable() -> Any:
    variable = gw.Variable(fresh())
    before = np.asarray(variable.value())
    variable.assign_add(gw.ones([COUNT], gw.float64))
    return before


def capsule_that_nobody_takes() -> Any:
    gw.constant(fresh()).__dlpack__()
    return fresh()


def argument_that_is_stored_into() -> Any:
    @gw.function
    def stored(x: Any) -> Any:
        for i in range(3):
            x[i] = x[i] * 1.0
        return x

    return stored(fresh())


LENT: list[Callable[[], Any]] = [
    borrowed_by_dlpack,
    lent_by_dlpack,
    lent_and_borrowed,
    lent_as_a_buffer,
    lent_as_an_array,
    part_of_a_result,
    result_that_is_an_argument,
    taken_from_an_array_of_python,
    row_of_a_matrix,
    part_of_a_variable,
    capsule_that_nobody_takes,
    argument_that_is_stored_into,
]


def check(make: Callable[[], Any]) -> None:
    """Reads what a function made, behind its owners' end."""
    for _ in range(3):
        made = make()
        churned()
        found = np.array(made)
        assert found.tolist() == list(range(COUNT - len(found), COUNT)), make.__name__


if __name__ == "__main__":
    for one in LENT:
        check(one)
    print(f"{len(LENT)} ways of lending elements")
