"""Callables of every kind: lambdas wherever they stand, methods, wrapped and changed functions, objects."""

import contextlib
import enum
import functools
import operator

import pytest

import graphwright as gw
from doubling import staged, works

# Lambdas. The text of this part matters: several stand on one line, others over several lines.
ONE, TWO = lambda x: x * 2 if x > 0 else -x, lambda x: x * 3 if x > 0 else -x
SAME, TWIN = (lambda x: x * 2 if x > 0 else -x), (lambda x: x * 2 if x > 0 else -x)
SPREAD = (
    lambda x:
    x * 2
    if x > 0
    else -x
)  # fmt: skip


def with_default(x, g=lambda x: x * 2 if x > 0 else -x):
    return g(x)


def apply(function):
    """A decorator with arguments."""
    return lambda decorated: function


@apply(lambda x: x * 2 if x > 0 else -x)
def in_a_decorator(x): ...


IN_A_LIST = [lambda x, k=k: x * k if x > 0 else -x for k in (1, 2, 3)]
IN_A_DICT = {k: (lambda x: x * 2 if x > 0 else -x, lambda x: x + 1) for k in "ab"}
NESTED = lambda x: (lambda y: y * 2 if y > 0 else -y)(x)


def test_lambdas():
    assert works(ONE)
    assert staged(TWO, 3) == 9
    assert works(SAME)
    assert works(TWIN)
    assert works(SPREAD)
    assert works(with_default)
    assert works(in_a_decorator)
    assert [staged(f, 5) for f in IN_A_LIST] == [5, 10, 15]
    assert works(IN_A_DICT["b"][0])
    assert works(NESTED)


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@twice
@twice
def wrapped(x):
    return x * 2 if x > 0 else -x


@functools.lru_cache
def cached(k):
    return lambda x: x * k if x > 0 else -x


@functools.lru_cache
def factor(k):
    if k > 1:
        return k
    return 1


@functools.singledispatch
def generic(x):
    return x * 2 if x > 0 else -x


@generic.register
def _(x: str):
    return len(x)


@contextlib.contextmanager
def doubling(box):
    box.append(2)
    yield box
    box.pop()


class Meta(type):
    def __call__(cls, x):
        if x > 0:
            return x * 2
        return -x


class Made(metaclass=Meta):
    pass


class Scale:
    factor = 2

    def __init__(self, by=2):
        self.by = by

    def method(self, x):
        return x * self.by if x > 0 else -x

    __call__ = method

    @classmethod
    def of_class(cls, x):
        return x * cls.factor if x > 0 else -x

    @staticmethod
    def static(x):
        return x * 2 if x > 0 else -x

    @property
    def doubled(self):
        return self.by * 2

    @functools.cached_property
    def doubled_once(self):
        return self.by * 2


class Sub(Scale):
    def method(self, x):
        return super().method(x)


def once(scale, x):
    by = scale.doubled_once // 2
    return x * by if x > 0 else -x


def plus(x, y):
    return x + y if y > 0 else x - y


def test_callables_of_every_kind():
    scale = Scale()
    assert works(wrapped)
    assert works(lambda x: wrapped(x))
    assert works(cached(2))
    assert works(lambda x: x * factor(2) if x > 0 else -x * factor(1))
    assert works(generic)
    assert works(lambda x: generic(x) if generic("ab") == 2 else x)
    assert works(lambda x: Made(x))
    assert works(scale)
    assert works(scale.method)
    assert works(Scale.of_class)
    assert works(Scale.static)
    assert works(Sub().method)
    assert works(functools.partial(Scale.method, scale))
    assert works(lambda x: functools.partial(scale.method)(x))
    assert works(lambda x: scale.doubled // 2 * x if x > 0 else -x)
    assert works(lambda x: once(scale, x))
    assert staged(functools.partial(plus, y=5), 1) == 6


def test_what_c_code_calls_is_python_s():
    """`operator.methodcaller` calls the method itself: converted code does not come between."""
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match=r"(?s)GW106.*return x \* self.by"):
        staged(lambda x: operator.methodcaller("method", x)(Scale()), 3)
    assert gw.autograph.to_graph(lambda x: operator.methodcaller("method", x)(Scale()))(3) == 6


def test_builtin_functions_stay():
    assert staged(abs, -3) == 3
    items = []
    gw.function(lambda x: items.append(x.shape) or x)(gw.constant(1))
    assert len(items) == 1


def test_context_managers():
    def f(x):
        with doubling([]) as box:
            if x > 0:
                y = x * box[0]
            else:
                y = -x
        return y

    assert works(f)


def test_functions_made_in_a_loop():
    made = []
    for k in range(3):

        def f(x):
            return x * k if x > 0 else -x

        made.append(f)
    assert [staged(f, 5) for f in made] == [10, 10, 10]
    assert made[0].__code__ is made[2].__code__


def test_changed_functions():
    def f(x, k=2, *, m=0):
        return x * k + m if x > 0 else -x

    def other(x, k=2, *, m=0):
        return x * k + m + 100 if x > 0 else -x

    assert gw.autograph.to_graph(f)(3) == 6
    f.__defaults__ = (5,)
    assert gw.autograph.to_graph(f)(3) == 15
    f.__kwdefaults__ = {"m": 1}
    assert gw.autograph.to_graph(f)(3) == 16
    f.__code__ = other.__code__
    assert gw.autograph.to_graph(f)(3) == 116
    assert staged(f, 3) == 116


def test_cells_are_shared():
    def make():
        k = 2

        def f(x):
            return x * k if x > 0 else -x

        def change(to):
            nonlocal k
            k = to

        return f, change

    f, change = make()
    converted = gw.autograph.to_graph(f)
    assert converted(3) == 6
    change(7)
    assert converted(3) == 21


class Touchy:
    """Nothing of it may be asked before it is called."""

    def __eq__(self, other):
        raise AssertionError("__eq__")

    __hash__ = None

    def __bool__(self):
        raise AssertionError("__bool__")

    def __getattr__(self, name):
        raise AssertionError(f"__getattr__({name!r})")

    def __call__(self, x):
        if x > 0:
            return x * 2
        return -x


def test_nothing_of_the_users_is_asked():
    touchy = Touchy()

    def f(x):
        return touchy(x)

    assert gw.autograph.to_graph(f)(3) == 6
    assert works(f)


class Color(enum.Enum):
    RED = 2

    def times(self, x):
        return x * self.value if x > 0 else -x


def test_methods_of_enumerations():
    assert works(lambda x: Color.RED.times(x))
