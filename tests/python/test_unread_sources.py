"""Functions without a text, at the prompt of Python and the like: traced as they stand, with a warning."""

import math
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

import graphwright as gw

PROGRAM = """
import graphwright as gw
double = gw.function(lambda x: x + x)
print(double(gw.constant(21)).item())
print(double(gw.constant(4)).item())

def square(x): return x * x

@gw.function
def total(x):
    found = 0
    for k in (1, 2, 3):
        found += square(x) * k
    return found

print(total(gw.constant(3)).item())

@gw.function
def absolute(x):
    if x > 0:
        return x
    return -x

try:
    absolute(gw.constant(3))
except ValueError as error:
    print("GW001: a tensor decides control flow in `absolute`" in str(error))
"""


def executed(text, **names):
    """The function `f` of a text that nobody keeps."""
    exec(compile(text, "<nowhere>", "exec"), names)
    return names["f"]


def quietly(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python 3.13 keeps the text")
@pytest.mark.parametrize("way", [["-c", PROGRAM], ["-"]])
def test_python_without_files(way):
    given = PROGRAM if way == ["-"] else None
    ran = subprocess.run([sys.executable, *way], input=given, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["42", "8", "54", "True"]
    assert ran.stderr.count("traced as it stands") == 3


@pytest.mark.parametrize(
    "body",
    [
        "return x if x > 0 else -x",
        "while x > 0: x = x - 1",
        "return x > 0 and x < 9",
        "assert x > 0",
        "for row in gw.range(x): print(row)",
    ],
)
def test_control_flow_by_tensors_is_refused(body):
    f = gw.function(executed(f"def f(x):\n    {body}\n", gw=gw))
    with pytest.raises(gw.errors.ConversionError, match=r"GW001: a tensor decides control flow in `f`"):
        quietly(lambda: f(gw.constant(3)))


def test_control_flow_by_tensors_is_refused_in_what_is_called():
    helper = executed("def f(x):\n    return x if x > 0 else -x\n")

    @gw.function
    def outer(x):
        return helper(x) + 1

    with pytest.raises(gw.errors.ConversionError, match=r"GW001: a tensor decides control flow in `f`"):
        outer(gw.constant(3))


def test_what_is_called_may_be_without_a_text():
    helper = executed("def f(x):\n    return x * x\n")
    outer = gw.function(lambda x: helper(x) + 1 if x > 0 else x)
    assert [outer(gw.constant(n)).item() for n in (3, -3)] == [10, -3]


def test_what_it_reads_is_guarded():
    class Config:
        scale = 2

    config, offsets = Config(), [1]
    names = {"config": config, "offsets": offsets, "by": 10}
    exec("def f(x):\n    own = config\n    return x * own.scale + offsets[0] + by\n", names)
    f = gw.function(names["f"])
    one = gw.constant(1)
    assert quietly(lambda: f(one)).item() == names["f"](1) == 13
    config.scale = 5
    assert f(one).item() == names["f"](1) == 16
    offsets[0] = 3
    assert f(one).item() == names["f"](1) == 18
    names["by"] = 20
    assert f(one).item() == names["f"](1) == 28
    assert f(one).item() == 28 and f.experimental_get_tracing_count() == 4


def test_it_warns_once():
    f = gw.function(executed("def f(x):\n    return x + x\n"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for given in (gw.constant(1), gw.constant(1.0), gw.constant([1])):
            f(given)
    assert len(told) == 1 and "the source of `f` cannot be found" in str(told[0].message)


CLASS = """
class P:
    kind = 3

    def __init__(self, x):
        self.x = x

    def me(self):
        return self

    def add(self, n):
        return self.x + n

    @property
    def twice(self):
        return self.x * 2

    @twice.setter
    def twice(self, n):
        self.x = n * 2

    @staticmethod
    def made(n):
        return P(n)

    def __getitem__(self, at):
        return self.x + at

def other(*them):
    return them[-1] * 7

def f(n):
    o = P(n)
    {use}
"""

USES = {
    "return o.me().add(1)": "P.add = other",
    "return P.made(n).add(2)": "P.made = staticmethod(lambda n: P(n + 5))",
    "return o.twice": "P.twice = property(lambda self: self.x * 7)",
    "o.twice = n; return o.x": "P.twice = property(other, lambda self, n: setattr(self, 'x', n))",
    "return o[2]": "P.__getitem__ = other",
    "return [q.kind * q.x for q in [o, o]][1]": "P.kind = 5",
    "return o.add(3)": "P.__init__ = lambda self, x: setattr(self, 'x', x + 1)",
}


@pytest.mark.parametrize(("use", "change"), USES.items())
def test_what_its_objects_find_in_their_classes_is_guarded(use, change):
    names = {}
    exec(compile(CLASS.replace("{use}", use), "<nowhere>", "exec"), names)
    f = gw.function(names["f"])
    for _ in range(2):
        assert quietly(lambda: f(gw.constant(4))).item() == names["f"](4)
        exec(change, names)
    assert f(gw.constant(4)).item() == names["f"](4)


@pytest.mark.parametrize("body", ["repr(x)", "f'{(x, 1)}'", "'%s' % [x]"])
def test_texts_of_tensors_and_of_what_holds_them_are_refused(body):
    f = gw.function(executed(f"def f(x):\n    {body}\n"))
    with pytest.raises(TypeError, match="GW116"):
        quietly(lambda: f(gw.constant(3)))


def test_containers_of_tensors_are_printed(capfd):
    f = gw.function(executed("def f(x):\n    print([x], {'x': (x,)})\n"))
    quietly(lambda: f(gw.constant(3)))
    assert capfd.readouterr().out == "[3] {'x': (3,)}\n"


def test_a_handler_of_a_function_without_a_text_does_not_take_a_refusal():
    text = """
def helper(n):
    if n:
        pass

def f(n):
    try:
        try:
            found = helper(n)
        except ValueError as error:
            raise KeyError from error
    except KeyError:
        return found
"""
    f = gw.function(executed(text))
    with pytest.raises(gw.errors.ConversionError, match="GW001"):
        quietly(lambda: f(gw.constant(1)))


HANDLERS = {
    "an except": "try:\n        k = n // n\n    except ZeroDivisionError:\n        k = 0\n    return k",
    "a finally": "try:\n        return n // n\n    finally:\n        len([])",
    "a call": "try:\n        return by(n)\n    except ZeroDivisionError:\n        return 0",
    "a handler of what is called": "return safe(n)",
    "a handler of a method": "return Safe().divided(n)",
    "a with inside": "try:\n        with nullcontext():\n            return n // n\n    except ZeroDivisionError:\n        return 0",
    "a comprehension inside": "try:\n        return [n // k for k in [n]][0]\n    except ZeroDivisionError:\n        return 0",
    "a handler in a handler": "try:\n        try:\n            n // n\n        except KeyError:\n            pass\n"
    "    except ZeroDivisionError:\n        pass\n    return n",
}
AROUND = """
from contextlib import nullcontext

def by(n):
    return n // n

def safe(n):
    try:
        return by(n)
    except ZeroDivisionError:
        return 0

class Safe:
    divided = lambda self, n: safe(n)

def f(n):
    {}
"""


@pytest.mark.parametrize("body", HANDLERS.values(), ids=HANDLERS)
def test_what_may_fail_under_a_handler_of_such_a_function_is_refused(body):
    text = AROUND.format(body)
    f = gw.function(executed(text))
    for given in (0, 4):
        with pytest.raises(ValueError, match=r"GW115(.|\n)*<nowhere>:\d+(.|\n)*`source=`"):
            quietly(lambda given=given: f(gw.constant(given)))


def test_the_remedy_for_a_handler_works():
    # Its lines are its own: code that is equal has the same source, in other tests too.
    text = "\n" + AROUND.format(HANDLERS["an except"])
    plain = executed(text)
    assert plain(0) == 0
    f = gw.function(executed(text), source=text)
    assert [f(gw.constant(n)).item() for n in (0, 4, 0)] == [0, 1, 0]


@pytest.mark.parametrize(
    "body",
    {
        "behind": "try:\n        k = n + 1\n    except ZeroDivisionError:\n        k = 0\n    return k // n",
        "in a handler": "try:\n        k = {}[0]\n    except KeyError:\n        k = n // n\n    return k",
        "a with": "with nullcontext():\n        return n // n",
        "a comprehension": "return [n // k for k in [n, n]][0]",
        "a literal": "try:\n        k = 1 // 0\n    except ZeroDivisionError:\n        k = 7\n    return k + n",
        "an as": "try:\n        k = 1 // 0\n    except ZeroDivisionError as error:\n        k = len(error.args)\n    return k + n",
    }.values(),
)
def test_what_may_fail_elsewhere_in_such_a_function_fails_in_the_graph(body):
    plain = executed(AROUND.format(body))
    f = gw.function(plain)
    for _ in range(2):
        assert quietly(lambda: f(gw.constant(4))).item() == plain(4)
    if "//" in body and "1 // 0" not in body:
        with pytest.raises(ZeroDivisionError):
            f(gw.constant(0))


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return (n < n) is False\n",
        "def f(n):\n    return True is not (n < n)\n",
        "def g(flag):\n    return flag is True\ndef f(n):\n    return g(n < n)\n",
        "def g(flag):\n    return flag is True\nBY = {'g': [g]}\ndef f(n):\n    return BY['g'][0](n < n)\n",
        "class C:\n    def told(self, flag):\n        return flag is True\nc = C()\ndef f(n):\n    return c.told(n < n)\n",
        "def f(n):\n    return [k is False for k in [n < n]][0]\n",
        "def f(n):\n    match n < n:\n        case True:\n            return 1\n        case _:\n            return 2\n",
    ],
)
def test_is_true_in_such_a_function_is_refused(text):
    f = gw.function(executed(text))
    line = 1 + next(at for at, line in enumerate(text.splitlines()) if " is " in line or "case True" in line)
    for _ in range(2):
        with pytest.raises(
            gw.errors.ConversionError, match=rf"GW001(.|\n)*<nowhere>:{line}:(.|\n)*`source=`"
        ):
            quietly(lambda: f(gw.constant(4)))
    if text.startswith("def f"):
        given = gw.function(executed(text), source=text)
        assert [given(gw.constant(4)).item() for _ in range(2)] == [executed(text)(4)] * 2


def test_is_none_in_such_a_function_is_answered():
    f = gw.function(executed("def f(n, m=None):\n    return n if (m is None) and (n is not None) else m\n"))
    assert [quietly(lambda: f(gw.constant(4))).item() for _ in range(2)] == [4, 4]


REACHES = [
    "BY = {'h': helper}\ndef f(x): return BY['h'](x)",
    "BY = {'h': [(helper,)]}\ndef f(x): return BY['h'][0][0](x)",
    "class O: pass\no = O()\no.table = [helper]\ndef f(x):\n    own = o\n    return own.table[0](x)",
    "class O:\n    def go(self, x): return helper(x)\nall = [O()]\ndef f(x):\n    own = all[0]\n    return own.go(x)",
    "import functools\nBY = [functools.partial(helper)]\ndef f(x): return BY[0](x)",
    "class O:\n    def go(self, x): return helper(x)\nBY = [O().go]\ndef f(x): return BY[0](x)",
    "def f(x, given=(helper,)): return given[0](x)",
    "def by(o, x): return o.go(x)\nclass O: pass\no = O()\no.go = helper\ndef f(x): return by(o, x)",
]


@pytest.mark.parametrize("reaches", REACHES)
@pytest.mark.parametrize(
    "change",
    ["helper.__code__ = other.__code__", "helper.__defaults__ = (5,)", "f.__globals__['deep'] = [9]"],
)
def test_functions_that_it_reaches_are_guarded(reaches, change):
    text = "deep = [1]\ndef helper(x, by=1): return x + by + deep[0]\ndef other(x, by=1): return x * 10\n"
    names = {}
    exec(compile(text + reaches, "<nowhere>", "exec"), names)
    f = gw.function(names["f"])
    for _ in range(2):
        for _ in range(2):
            assert quietly(lambda: f(gw.constant(3))).item() == names["f"](3)
        exec(change, names)
    assert f.experimental_get_tracing_count() == 2


GIVEN = {
    "an object with a method": (
        "class O:\n    def go(self, x): return helper(x)\no = O()\ndef f(x, o): return o.go(x)",
        "o",
    ),
    "an object that holds it": (
        "class O: pass\no = O()\no.table = [helper]\ndef f(x, o): return o.table[0](x)",
        "o",
    ),
    "itself": ("def f(x, g): return g(x)", "helper"),
    "a list of it": ("def f(x, g): return g[0](x)", "[helper]"),
}


@pytest.mark.parametrize(("text", "given"), GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("way", ["alone", "called"])
def test_functions_that_it_is_given_are_guarded(text, given, way):
    names = {}
    exec(
        compile("def helper(x): return x + 1\ndef other(x): return x * 10\n" + text, "<nowhere>", "exec"),
        names,
    )
    inner, argument = names["f"], eval(given, names)
    f = gw.function(inner if way == "alone" else lambda x, o: inner(x, o))
    for _ in range(2):
        for _ in range(2):
            assert quietly(lambda: f(gw.constant(3), argument)).item() == inner(3, argument)
        exec("helper.__code__ = other.__code__", names)
    assert f.experimental_get_tracing_count() == 2


def test_its_own_object_is_looked_at():
    text = "def helper(x): return x + 1\ndef other(x): return x * 10\n"
    text += "class O:\n    held = [helper]\n    def go(self, x): return self.held[0](x)\n"
    text += "    def asks(self, x): return (x < x) is False\nf = O()\n"
    o = executed(text)
    names = o.go.__globals__
    g = gw.function(o.go)
    for _ in range(2):
        assert quietly(lambda: g(gw.constant(3))).item() == o.go(3)
        exec("helper.__code__ = other.__code__", names)
    with pytest.raises(gw.errors.ConversionError, match="GW001"):
        quietly(lambda: gw.function(o.asks)(gw.constant(3)))


DIFFERING = {
    "random": ("random.random", "import random\ndef f(i):\n    return random.random() + i\n"),
    "a list": (
        "random.shuffle",
        "import random\ndef f(i):\n    l = [i, 2, 3]\n    random.shuffle(l)\n    return l\n",
    ),
    "a name": ("choice", "from random import choice\ndef f(i):\n    return choice([i, 5, 7])\n"),
    "numpy": ("np.random.rand", "import numpy as np\ndef f(i):\n    return float(np.random.rand()) + i\n"),
    "a helper": (
        "random.random",
        "import random\ndef g(i):\n    return random.random() * i\ndef f(i):\n    return g(i)\n",
    ),
    "an attribute": (
        "M.draws",
        "import random\nclass M: pass\nM.draws = random.Random(3)\ndef f(i):\n    return M.draws.random() * i\n",
    ),
    "a clock": ("time.sleep", "import time\nT = []\ndef f(i):\n    time.sleep(0)\n    return i\n"),
}


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_from_call_to_call_is_asked_by_each(name):
    asked, text = DIFFERING[name]

    def made():
        names = {}
        exec(text, names)
        random.seed(3)
        np.random.seed(3)
        return names["f"]

    plain, graph = made(), gw.function(made())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [np.asarray(graph(4)).tolist() for _ in range(3)]
    plain = made()
    assert answers == [plain(4) for _ in range(3)]
    assert asked in str(graph.explain_retraces())


def test_what_differs_is_not_asked_once_for_all_turns_of_a_loop():
    names = {}
    exec(DIFFERING["random"][1], names)
    draw = names["f"]

    @gw.function
    def total(n):
        found = 0.0
        for i in gw.range(n):
            found += draw(i)
        return found

    wanted = r"GW503(?s:.)*random\.random(?s:.)*test_unread_sources\.py:\d+"
    with pytest.raises(ValueError, match=wanted):
        total(gw.constant(3))


@pytest.mark.parametrize("x", [2.5, -0.5, 7.0])
def test_numbers_that_are_rounded_are_integers(x):
    text = "def f(x):\n    return math.floor(x), math.ceil(x), round(x), pow(math.floor(x), 3, 11)\n"
    f = executed(text, math=math)
    found = quietly(lambda: gw.function(f)(gw.constant(x)))
    assert [int(one) for one in found] == list(f(x))
    assert all(one.dtype in (gw.int32, gw.int64) for one in found)


PRINTS = """
def f(n, m):
    print("given", n)
    m[-1] += 1.0
    TABLE["calls"] += 1
    return m[0] + n
"""


def test_a_tracing_that_is_repeated_prints_once(capfd):
    names = {"TABLE": {"calls": 0}}
    exec(PRINTS, names)
    f = gw.function(names["f"])
    assert quietly(lambda: f(2, gw.constant([1.0, 2.0]))).item() == 3.0
    assert capfd.readouterr().out == "given 2\n"
    assert names["TABLE"] == {"calls": 1}


def test_print_of_a_tensor_is_of_each_call(capfd):
    helper = executed("def f(x):\n    print('at', x, sep=': ')\n    return x - 1\n")

    def count_down(x):
        while x > 0:
            x = helper(x)
        return x

    count_down = gw.function(count_down)
    for _ in range(2):
        quietly(lambda: count_down(gw.constant(3)))
        assert capfd.readouterr().out == "at: 3\nat: 2\nat: 1\n"


def test_print_of_its_own_names_stays():
    names = {"said": []}
    exec("def f(x):\n    print(7)\n    return x\n\n\ndef print(x):\n    said.append(x)\n", names)
    quietly(lambda: gw.function(names["f"])(gw.constant(3)))
    assert names["said"] == [7]
