"""Objects that find an attribute in their class until a statement of the graph gives them one of their own.

Every way to store it stands before every way in which it matters whose it is, against Python.
"""

import copy
import itertools
import re
from typing import Any

import pytest

import graphwright as gw
from array_programs import function_of

HEAD = """
import copy

class Base:
    lim = 10

class Kind(Base):
    pass

KEPT = [None]

def put(o, n):
    if n > 1:
        o.lim = n

def f(n):
    a = Kind()
"""

STORES = {
    "branch": "if n > 1:\n    a.lim = n",
    "other branch": "if n > 1:\n    pass\nelse:\n    a.lim = n",
    "both branches": "if n > 1:\n    a.lim = n\nelse:\n    a.lim = 7",
    "for": "for i in range(n):\n    a.lim += i",
    "while": "while a.lim < n * 6:\n    a.lim += 5",
    "helper": "put(a, n)",
    "try": "try:\n    if n > 1:\n        raise ValueError\n    a.lim = n\nexcept ValueError:\n    pass",
    "nested": "for i in range(n):\n    if i > 1:\n        a.lim = i",
}

USES = {
    "read": "",
    "getattr": "return getattr(a, 'lim')",
    "hasattr": "return hasattr(a, 'lim'), a.lim",
    "store": "a.lim = n + 1",
    "second statement": "if n > 2:\n    a.lim += 1",
    "class": "Kind.lim = 50",
    "base": "Base.lim = 50",
    "its class": "type(a).lim = 50",
    "setattr": "setattr(Kind, 'lim', 50)",
    "class for a time": "Base.lim = 50\nr = a.lim\nBase.lim = 10\nreturn r",
    "class in a branch": "if n > 0:\n    Kind.lim = 50",
    "class in a helper": "def g():\n    Base.lim = 50\ng()\nr = a.lim\nBase.lim = 10\nreturn r",
    "del": "del a.lim",
    "delattr": "delattr(a, 'lim')",
    "dict": "return 'lim' in a.__dict__",
    "items": "return [k for k in a.__dict__]",
    "copy": "b = copy.copy(a)\nBase.lim = 50\nr = b.lim\nBase.lim = 10\nreturn r",
    "kept": "KEPT[0] = a",
}


def program(store: str, use: str) -> str:
    body = STORES[store] + "\n" + USES[use] + "\nreturn a.lim"
    return HEAD + "".join(f"    {line}\n" for line in body.splitlines())


def outcome(f: Any, names: dict[str, Any], n: Any) -> object:
    names["Base"].lim = 10
    if "lim" in vars(names["Kind"]):
        del names["Kind"].lim
    names["KEPT"][0] = None
    try:
        found: object = numbers(f(n))
    except Exception as error:
        code = re.match(r"GW\d+", str(error))
        return code.group() if code else type(error).__name__
    kept = names["KEPT"][0]
    return found, numbers(names["Base"].lim), kept and {k: numbers(v) for k, v in vars(kept).items()}


def numbers(value: Any) -> object:
    if isinstance(value, (tuple, list)):
        return [numbers(one) for one in value]
    return value.numpy().item() if isinstance(value, gw.Tensor) else copy.copy(value)


@pytest.mark.parametrize(("store", "use"), itertools.product(STORES, USES))
def test_stores_and_uses(store: str, use: str) -> None:
    f, _ = function_of(program(store, use), f"{store}, {use}")
    names = f.__globals__
    g = gw.function(f)
    for n in (0, 3, 1, 5):
        expected = outcome(f, names, n)
        found = outcome(g, names, gw.constant(n))
        assert found in (expected, "GW103"), n
        if use in {"read", "getattr", "store", "second statement"}:
            assert found == expected, n


def test_message_names_attribute_and_statement() -> None:
    f, _ = function_of(program("branch", "del"), "message")
    g = gw.function(f)
    with pytest.raises(ValueError, match=r"(?s)GW103: .*`lim`.*a.lim = n.*__init__"):
        g(gw.constant(3))
