"""Stores into classes and into a module's names that a function does not spell: the graph makes them at each call, or they are refused."""

import linecache
import textwrap

import pytest

import graphwright as gw

WORLD = """
import sys

class Kind:
    x = 1

class Derived(Kind):
    pass

class Box:
    pass

TOTAL = 5
NAMES = {"a"}
XS = [5, 6, 7]
BOX = Box()

def reset():
    global TOTAL
    TOTAL = 5
    NAMES.clear()
    NAMES.add("a")
    BOX.__dict__.clear()
    Kind.x = 1
    for owner in (Kind, Derived):
        if "y" in owner.__dict__:
            del owner.y
    globals().pop("NEW", None)

def state():
    own = [{name: value for name, value in vars(owner).items() if name in "xy"} for owner in (Kind, Derived)]
    return [globals().get("TOTAL"), globals().get("NEW"), sorted(NAMES), own, dict(BOX.__dict__)]
"""


def made(body):
    text = WORLD + "\ndef function(n):\n" + textwrap.indent(body, "    ") + "\n"
    file = f"<class stores {hash(body)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = type(gw)("class_stores")
    import sys

    sys.modules["class_stores"] = module
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def plain(value):
    if isinstance(value, gw.Tensor):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def outcome(module, function, n):
    module.reset()
    try:
        result = plain(function(n))
    except Exception as error:
        result = type(error).__name__
    return result, plain(module.state())


STORES = [
    "Kind.y = n\nreturn n",
    "Derived.y = n\nreturn Derived.y + 1",
    "setattr(Kind, 'y', n)\nreturn Kind.y",
    "del Kind.x\nreturn n",
    "Kind.x = n\nreturn Derived.x",
    "if n:\n    Kind.x = 7\nreturn Kind.x",
    "Kind.y = n\nXS[n]\nKind.y = 0\nreturn 1",
    "globals()['TOTAL'] = n\nreturn 0",
    "globals()['TOTAL'] = n\nreturn TOTAL + 1",
    "globals().update(TOTAL=n)\nreturn 0",
    "if n:\n    globals()['TOTAL'] = 8\nreturn TOTAL",
    "for i in range(n):\n    globals()['TOTAL'] += i\nreturn TOTAL",
    "globals()['NEW'] = n\nreturn 0",
    "setattr(sys.modules[__name__], 'TOTAL', n)\nreturn 0",
    "sys.modules[__name__].TOTAL = n\nreturn 0",
    "exec('global TOTAL\\nTOTAL = n', globals(), {'n': n})\nreturn 0",
    "vars(BOX)['z'] = n\nreturn 0",
    "BOX.__dict__['z'] = n\nreturn 0",
    "object.__setattr__(BOX, 'z', n)\nreturn 0",
    "try:\n    NAMES.add('b')\n    NAMES.discard('b')\n    XS[n]\nexcept IndexError:\n    return len(NAMES)\nreturn 0",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", STORES)
def test_each_call_stores(body):
    module = made(body)
    staged = gw.function(module.function)
    for n in (0, 1, 2, 6):
        native = outcome(module, module.function, n)
        for _ in range(2):
            assert outcome(module, staged, gw.constant(n, gw.int64)) == native


REFUSED = [
    ("if n:\n    Kind.y = 1\nreturn 0", "Kind.y"),
    ("if n:\n    del Kind.x\nreturn 0", "Kind.x"),
    ("for i in range(n):\n    setattr(Kind, 'y', i)\nreturn 0", "Kind.y"),
    (
        "try:\n    NAMES.add('b')\n    XS[n]\n    NAMES.discard('b')\nexcept IndexError:\n    return len(NAMES)\nreturn 0",
        "NAMES",
    ),
    (
        "s = {'a'}\ntry:\n    s.add('b')\n    XS[n]\n    s.discard('b')\nexcept IndexError:\n    pass\nreturn len(s)",
        "s",
    ),
]


@pytest.mark.parametrize(("body", "name"), REFUSED)
def test_what_a_branch_cannot_store_is_refused_with_its_name(body, name):
    module = made(body)
    module.reset()
    before = plain(module.state())
    with pytest.raises(Exception, match=f"GW10[34]: `{name}`") as caught:
        gw.function(module.function)(gw.constant(2, gw.int64))
    assert "--> <class stores" in str(caught.value)
    assert plain(module.state()) == before


def test_the_remedy_for_a_set_of_texts_works():
    body = (
        "fails = False\ntry:\n    XS[n]\nexcept IndexError:\n    fails = True\nNAMES.add('b')\nreturn fails"
    )
    module = made(body)
    staged = gw.function(module.function)
    for n in (1, 6, 2):
        assert outcome(module, staged, gw.constant(n, gw.int64)) == outcome(module, module.function, n)
