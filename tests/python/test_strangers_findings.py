"""Programs of strangers that gave wrong answers: each gives Python's answer now, or is refused with its line."""

from __future__ import annotations

import itertools
import warnings

import pytest

import graphwright as gw

FILES = itertools.count()

HEAD = """
class A:
    cnt = 0
class Meta(type):
    cnt = 0
class B(A):
    @classmethod
    def bump(cls, n):
        if n > 1:
            cls.cnt += n
    def store(self, n):
        if n > 1:
            self.__class__.cnt = n
class M(metaclass=Meta):
    pass
class D:
    pass
W = 0
"""

#: What walrus targets in `any` and `all` hold is what they hold where Python stops.
WITNESSES = {
    "any": "if any((m := k) % 2 == 0 for k in [n, n + 1, n + 3]):\n    return m\nreturn -1",
    "all": "if not all((w := k) > 1 for k in (n, -1, 3)):\n    return -w\nreturn 0",
    "a global": "global W\nany((W := k) > 1 for k in (n, 2, 3))\nreturn W",
    "a list": "x = [0]\nany((x := [k]) and k > 1 for k in (n, 2, 3))\nreturn x[0]",
    "behind": "m = 0\nany(k > 2 for k in (n, 3, 9) if (m := k) or True)\nreturn m",
    "nested": "any(any((m := k * j) > 3 for k in (n, 2)) for j in (1, 2))\nreturn m",
    "a list first": "r = any([(m := k) > 2 for k in (n, 2, 3)])\nreturn m + r",
    "no walrus": "m = 2\nreturn int(any(k > m for k in (n, 2, 1)))",
}

#: A class has an attribute of its own after such a store on the paths that take it, and its base's on the others.
INHERITED = {
    "augmented": "if n > 1: B.cnt += n\nA.cnt += 10\nreturn B.cnt",
    "stored": "if n > 1: B.cnt = n\nA.cnt = 10\nreturn B.cnt",
    "a class method": "B.bump(n)\nA.cnt = 7\nreturn B.cnt",
    "__class__": "B().store(n)\nA.cnt = 7\nreturn B.cnt",
    "try": "try:\n    if n > 1: raise ValueError\n    B.cnt = 5\nexcept ValueError: pass\nA.cnt = 7\nreturn B.cnt",
    "a metaclass": "if n > 1: M.cnt = n\nMeta.cnt = 7\nreturn M.cnt",
    "a loop": "for i in range(n): B.cnt += i\nA.cnt = 7\nreturn B.cnt",
    "of the base": "if n > 1: A.cnt += n\nreturn B.cnt",
}

#: What fails first is what is raised, though a class gets a new attribute behind it.
FAILURES = {
    "modulo": "i = n % 0\nD.tot = n\nreturn i",
    "division": "i = n // (n - n)\nD.tot = n\nreturn i",
    "a function in a class": "i = n % (n - n)\nD.tot = abs\nreturn i",
}

#: A dict that an exception path has as it was before, and a loop over it.
ENTRIES = {
    "items": "d = {'a': 2, 'b': 3}\ntry:\n    if n < 0: raise ValueError\n    d.clear()\n"
    "finally:\n    for k in d.items(): d['a'] = 5\nreturn len(d)",
    "setdefault": "d = {'a': 2, 'b': 3}\nfor i in range(4):\n    try:\n        if n < i: raise ValueError\n"
    "        d.clear()\n    except KeyError: pass\n    finally:\n        for k in d.items(): d.setdefault('a', i)\n"
    "        d['a'] = i\nreturn len(d)",
}


def function(body, tmp_path):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path = tmp_path / f"stranger{next(FILES)}.py"
    path.write_text(f"{HEAD}\ndef f(n):\n{lines}")
    names = {"__name__": "strangers"}
    exec(compile(path.read_text(), path, "exec"), names)
    return names


def outcome(names, call, n):
    """The answer and the state behind it, or what is raised."""
    try:
        answer = int(call(n))
    except Exception as error:
        return type(error).__name__, str(error)
    state = [names["W"], *(vars(names[kind]).get("cnt", "absent") for kind in ("A", "B", "M", "Meta"))]
    return answer, [one if isinstance(one, str) else int(one) for one in state]


@pytest.mark.parametrize("numbers", [(1, 3), (3, 1), (5, 2)], ids=str)
@pytest.mark.parametrize("family", ["WITNESSES", "INHERITED", "FAILURES", "ENTRIES"])
def test_the_answer_is_pythons_or_a_refusal(family, numbers, tmp_path):
    for body in globals()[family].values():
        expected, found = [], []
        names = function(body, tmp_path)
        for n in numbers:
            expected.append(outcome(names, names["f"], n))
        names = function(body, tmp_path)
        staged = gw.function(names["f"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for n in numbers:
                found.append(outcome(names, lambda n: staged(gw.constant(n, gw.int64)), n))
        if isinstance(found[0][0], str) and found[0][1].startswith("GW"):
            assert "stranger" in found[0][1], found[0][1]
            continue
        assert found == expected, body
