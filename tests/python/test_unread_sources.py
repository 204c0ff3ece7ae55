"""Functions without a text, at the prompt of Python and the like: traced as they stand, with a warning."""

import subprocess
import sys
import warnings

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


@pytest.mark.parametrize("body", ["print([x])", "repr(x)", "f'{(x, 1)}'", "print({'x': x})", "'%s' % [x]"])
def test_texts_of_tensors_and_of_what_holds_them_are_refused(body):
    f = gw.function(executed(f"def f(x):\n    {body}\n"))
    with pytest.raises(TypeError, match="GW116"):
        quietly(lambda: f(gw.constant(3)))


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
