"""Operators that the graph does not take, where plain Python does, pass through the handlers of the program; errors of Python's are caught."""

import itertools
import os
from random import Random

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

SHARE = float(os.environ.get("HANDLED_SHARE", "0.05"))

OPERATORS = "+ - * / // % ** & | ^ << >> < ==".split()

FORMS = """x[0] {} y[0]
x {} y
x[0] {} n
n {} y[0]
x {} n
x[0] {} 2
1.5 {} x[0]
x[0] {} np.uint64(2)
n {} np.int8(1)
x[0] {} 1j
(x[0] if n > 0 else 1) {} y[0]
u {} y[0]""".splitlines()

ONCE = "    try:\n        r = {}\n    except {}:\n        r = -77\n    return r\n"
LOOP = "    r = 0\n    for i in range(n):\n        try:\n            r = {}\n        except {}:\n            r = -77\n    return r\n"
HEAD = "def f(x, y, n):\n    u = 1 if n > 5 else 0.5\n"
BODIES = [(ONCE, "TypeError"), (ONCE, "Exception"), (LOOP, "(TypeError, ValueError)")]

DTYPES = "bool uint8 int64 uint64 float16 float32 complex64".split()

#: Results of programs that fail.
FAILED = object()


def result_of(function, *arguments):
    """Result of a function, or its failure."""
    with np.errstate(all="ignore"):
        try:
            found = function(*arguments)
        except Exception:
            return FAILED
    return found.numpy().tolist() if isinstance(found, gw.Tensor) else np.asarray(found).tolist()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("form", FORMS)
def test_no_handler_takes_a_refusal_for_an_error(form, operator):
    random = Random(f"{form} {operator}")
    for (body, caught), *dtypes in itertools.product(BODIES, DTYPES, DTYPES):
        if random.random() > SHARE:
            continue
        text = HEAD + body.format(form.format(operator), caught)
        plain, _ = function_of("import numpy as np\n" + text, text)
        x, y = (np.array(pair).astype(dtype) for pair, dtype in zip(([1, 2], [3, 2]), dtypes, strict=True))
        for n, options in ((np.int64(2), {}), (2, {"python_numbers": "staged"})):
            found = result_of(gw.function(plain, **options), x, y, n)
            wanted = result_of(plain, x, y, n)
            assert found is FAILED or (found == -77) == (wanted == -77), (text, dtypes, found, wanted)


def test_errors_of_python_and_of_tensors_are_caught():
    @gw.function
    def caught(x, word, number):
        found = []
        for operation in (lambda: x[0] & 2, lambda: "a" + x[0], lambda: 1.5 & 2, lambda: word + number):
            try:
                operation()
                found.append(0)
            except TypeError:
                found.append(1)
        return found

    one = caught(np.array([0.5]), gw.constant(1, gw.uint64), gw.constant(1, gw.int64))
    assert [int(part) for part in one] == [1, 1, 1, 1]

    @gw.function
    def of_tensors(word, number):
        try:
            return word + number
        except TypeError:
            return -1

    assert int(of_tensors(gw.constant(1, gw.uint64), gw.constant(1, gw.int64))) == -1
