"""Numbers that are integers on some paths and floats on others: beside NumPy's integers a graph gives what plain Python gives, or none."""

import itertools

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

#: Values of the two paths; `b` is `uint8`, `s` single precision, `d` double, `w` `int64`, `q` `uint64`.
PATHS = ["1", "-1", "0", "0.5", "b[0]", "s[0]", "d[0]", "w[0]", "q[0]"]

OPERATIONS = """u - b[1]
b[1] - u
u + b[1]
u * b[1]
u // b[1]
u % b[1]
u / b[1]
u ** b[1]
u < b[1]
u == b[1]
u - w[1]
u - q[1]
u * b
b - u
np.add(u, b[1])
b[1] - (-u)
b[1] - abs(u)
b[1] - (u + u)
b[1] + u * 1
divmod(u, b[1])[0]
u + 1
u - 2
u * 300
-u""".splitlines()

FORMS = {
    "branch": "    u = {} if c else {}\n    return {}\n",
    "behind a loop": "    u = {}\n    for _ in range(n):\n        if c:\n            u = {}\n    return {}\n",
    "in a loop": "    u, r = {0}, []\n    for _ in range(n):\n        r.append({2})\n        if c:\n            u = {1}\n    return r[-1]\n",
}


def arrays():
    """The arrays of a call."""
    found = [np.array([200, 250], np.uint8), np.array([0.75, 3.25], np.float32), np.array([0.75, 3.25])]
    return [*found, np.array([5, 7]), np.array([9, 8], np.uint64)]


def result_of(function, *arguments):
    """Result or exception of a function."""
    with np.errstate(all="ignore"):
        try:
            found = function(*arrays(), *arguments)
        except Exception as error:
            return error
    return found.numpy() if isinstance(found, gw.Tensor) else found


def is_other_float(paths):
    """True of a float of Python's on one path and a single one on the other: their results differ in precision."""
    return set(paths) in ({"0.5", "s[0]"}, {"s[0]", "d[0]"})


def check(text, found, wanted):
    """Asserts that a graph gives what plain Python does; an integer that it carries as a float is a float."""
    if isinstance(found, Exception):
        return
    assert not isinstance(wanted, Exception), (text, found, wanted)
    assert np.array_equal(found, wanted), (text, found, wanted)
    is_carried = isinstance(wanted, int | np.int64) and found.dtype.kind == "f"
    is_pythons = isinstance(wanted, int | float)
    assert is_carried or is_pythons or found.dtype == wanted.dtype, (text, found, wanted)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_integers_on_some_paths(form, operation):
    for paths in itertools.permutations(PATHS, 2):
        if is_other_float(paths) or form == "in a loop" and "b[0]" in paths:
            continue
        text = "def f(b, s, d, w, q, n, c):\n" + FORMS[form].format(*paths, operation)
        plain, _ = function_of("import numpy as np\n" + text, text)
        graph = gw.function(plain)
        for c in (True, False):
            arguments = (np.int64(2), np.bool_(c))
            check(text, result_of(graph, *arguments), result_of(plain, *arguments))


def test_the_refusal_says_what_to_write():
    @gw.function
    def mixed(a, b, c):
        u = b[0] if c else 1
        return u - a[0]

    given = (np.array([7], np.uint8), np.array([0.5], np.float32), np.bool_(True))
    with pytest.raises(
        TypeError, match=r"GW101: this operator .*\n(.*\n)*.*u - a\[0\](.*\n)*.*convert it with `float"
    ) as raised:
        mixed(*given)
    assert "begin with a float" in str(raised.value)


def test_floats_and_tensors_are_not_refused():
    @gw.function
    def carried(a, x):
        total, mean = 0, 0.0
        for v in a:
            total = total + v * 0.5
            mean = (mean + v) / 2
        return total, mean, total / x

    plain = carried.python_function
    a = np.array([3, 200], np.uint8)
    for found, wanted in zip(carried(a, 3.0), plain(a, 3.0), strict=True):
        assert float(found) == float(wanted)

    @gw.function
    def of_tensors(a, c):
        u = 1 if c else 0.5
        return u * a

    assert of_tensors(gw.constant([2, 4], gw.uint8), gw.constant(False)).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "operation", ["t // (3 % 1)", "t / (3 % 1)", "t % (n - n)", "7 // (t - t)", "7 / (t * 0)"]
)
def test_pythons_numbers_divided_by_zero_raise_on_each_path(operation):
    text = f"def f(c, n):\n    t = 0.5 if c else 1\n    return {operation}\n"
    plain, _ = function_of(text, text)
    graph = gw.function(plain, python_numbers="staged")
    for c in (True, False):
        with pytest.raises(ZeroDivisionError):
            graph(np.bool_(c), 3)
