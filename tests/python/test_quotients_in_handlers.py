"""Integers divided by zero under a handler: Python's and tensors' are caught, and NumPy's, which give 0, leave the function."""

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

OPERATIONS = ["10 // y", "10 % y", "10 / y", "y // y", "divmod(10, y)[0]"]

FUNCTIONS = ["np.floor_divide(10, y)", "np.int64(10) // y", "np.int64(10) % y", "np.remainder(y, y)"]

HANDLERS = ["ZeroDivisionError", "ArithmeticError", "Exception", "(TypeError, ZeroDivisionError)"]

TEXT = "def f(a, i):\n    y = {}\n    try:\n        x = {}\n    except {}:\n        x = -5\n    return x\n"


def compiled(text):
    """The function of a program, for plain Python and as a graph."""
    plain, _ = function_of("import numpy as np\n" + text, text)
    return plain, gw.function(plain)


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("operation", OPERATIONS + FUNCTIONS)
@pytest.mark.parametrize("element", ["a[i]", "a[i] * 2", "a.sum() if i > 5 else a[i]", "max(a[i], 0)"])
def test_no_handler_sees_numpys_integers_divided_by_zero(element, operation, handler):
    plain, graph = compiled(TEXT.format(element, operation, handler))
    a = np.array([0, 3])
    assert float(graph(a, np.int64(1))) == pytest.approx(float(plain(a, np.int64(1))))
    with pytest.raises(ZeroDivisionError):
        graph(a, np.int64(0))


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_handlers_see_pythons_and_tensors(operation, handler):
    _, graph = compiled(TEXT.format("int(a[i])", operation, handler))
    assert int(graph(np.array([0, 3]), np.int64(0))) == -5
    _, graph = compiled(TEXT.format("a[i]", operation, handler))
    assert int(graph(gw.constant([0, 3]), np.int64(0))) == -5
    assert int(graph(gw.constant([0, 3]), gw.constant(0))) == -5


def looped(n):
    total = 0
    try:
        while n > 0:
            total = total + 10 // (n - 3)
            n = n - 1
    except ZeroDivisionError:
        return -1000
    return total


def quotient(n):
    return 10 // (n - 3)


def called(n):
    try:
        return quotient(n)
    except ZeroDivisionError:
        return -1000


def recursive(n, total=0):
    if n == 0:
        return total
    return recursive(n - 1, total + 10 // (n - 3))


def of_recursion(n):
    try:
        return recursive(n)
    except ZeroDivisionError:
        return -1000


def in_recursion(n, total=0):
    try:
        if n == 0:
            return total
        return in_recursion(n - 1, total + 10 // (n - 3))
    except ZeroDivisionError:
        return -1000


def outside_and_inside(n):
    first = recursive(n - n)
    try:
        return recursive(n) + first
    except ZeroDivisionError:
        return -1000


def of_elements(n):
    total = 0
    for v in np.array([1, 0, 5]) * (n - n + 1):
        try:
            total += 10 // v
        except ZeroDivisionError:
            total -= 100
    return total


@pytest.mark.parametrize(
    "function",
    [looped, called, of_recursion, in_recursion, outside_and_inside, of_elements],
    ids=lambda f: f.__name__,
)
def test_it_leaves_loops_and_functions_of_the_graph(function):
    with pytest.raises(ZeroDivisionError):
        gw.function(function)(np.int64(3))
    if function is not of_elements:
        assert int(gw.function(function)(gw.constant(3))) == -1000
        assert int(gw.function(function, python_numbers="staged")(3)) == -1000
        with np.errstate(all="ignore"):
            assert int(gw.function(function)(np.int64(2))) == function(np.int64(2))


def test_a_program_without_a_handler_keeps_what_it_stored():
    @gw.function
    def stored(a, i):
        a[1] = 7
        return 10 // a[i]

    a = np.array([0, 3])
    with pytest.raises(ZeroDivisionError):
        stored(a, np.int64(0))
    assert a.tolist() == [0, 7]
