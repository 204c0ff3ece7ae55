"""Numbers that Python itself counts are its own, whatever dtype their bounds have: beside an element they take the element's dtype."""

import numpy as np
import pytest

import graphwright as gw
from array_programs import function_of

EXPRESSIONS = """range(n)[1]
range(n)[-1]
range(1, n)[0]
range(n)[1:][0]
len(range(n))
len(range(n)[1:])
max(range(n))
min(range(1, n))
sum(range(n))
list(range(n))[1]
sorted(range(n))[1]
[i for i in range(n)][-1]
sum(i for i in range(n))
len([i for i in range(n)])
dict(enumerate(range(n)))[1]
list(enumerate(x))[1][0]
list(zip(range(n), x))[1][0]
list(reversed(range(n)))[1]
list(map(lambda v: v + 1, range(n)))[0]
list(filter(lambda v: v > 0, range(n)))[0]
int(n)
len(x)
x.shape[0]
abs(range(n)[1])
divmod(range(n)[1], 1)[0]""".splitlines()

LOOPS = """for i in range(n)
for i in range(1, n)
for i in range(n - 1, -1, -1)
for i in reversed(range(n))
for i, v in enumerate(range(n))
for i, v in enumerate(x)
for i, v in enumerate(x, n)
for i, v in zip(range(n), x)
for i in range(0, n, 1)
for i in list(range(n))
for i in sorted(range(n))
for i in map(int, range(n))
for i, j in [(k, k) for k in range(n)]
for i in range(x.shape[0])
for i in iter(range(n))""".splitlines()

USES = ["x[0] + i", "i * x[1]", "x[1] // (i + 1)", "x[3] - i * 2", "x[0] ** i", "x[3] % (i + 1)"]

#: Ways to give the number of turns, with the options of the graph.
WAYS = {
    "numpy": (np.int64, {}),
    "narrow": (np.uint8, {}),
    "array": (np.array, {}),
    "python": (int, {}),
    "staged": (int, {"python_numbers": "staged"}),
    "rolled": (int, {"python_numbers": "staged", "roll": True}),
    "unrolled": (int, {"roll": False}),
    "tensor": (gw.constant, {}),
    "wide tensor": (lambda n: gw.constant(n, gw.int64), {}),
}


def agrees(text):
    """Asserts that values and dtypes are plain Python's in all ways."""
    plain, _ = function_of(text, text)
    for dtype in ("uint8", "int16", "uint64", "float32"):
        x = np.array([2, 3, 5, 7], dtype)
        wanted = np.asarray(plain(x.copy(), 4))
        for name, (given, options) in WAYS.items():
            found = np.asarray(gw.function(plain, **options)(x.copy(), given(4)).numpy())
            assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist()), (text, dtype, name)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_python_counts_is_its_own(expression):
    agrees(f"def f(x, n):\n    return x[0] + {expression}\n")


@pytest.mark.parametrize("loop", LOOPS)
def test_counters_of_loops_are_pythons(loop):
    agrees(f"def f(x, n):\n    r = x[0]\n    {loop}:\n        r = x[0] + i\n    return r\n")


@pytest.mark.parametrize("use", USES)
def test_operators_with_counters(use):
    agrees(f"def f(x, n):\n    r = x[0]\n    for i in range(n):\n        r = {use}\n    return r\n")


def test_words_are_counted_without_a_sign():
    def mixed(x, n):
        for i in range(n):
            x[i] = x[i] * 2 - i * 1
        return x

    words = np.array([2**63, 1, 2, 3], np.uint64)
    wanted = mixed(words.copy(), np.int64(4))
    found = gw.function(mixed)(words.copy(), np.int64(4)).numpy()
    assert found.dtype == wanted.dtype and found.tolist() == wanted.tolist()


@pytest.mark.parametrize("start", [np.float32(1), np.bool_(True)])
def test_python_counts_from_integers(start):
    @gw.function
    def counted(x, start):
        return [k for k, _ in enumerate(x, start)]

    with pytest.raises(TypeError):
        counted(np.ones(2), start)
