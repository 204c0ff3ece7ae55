"""Programs over the implicit methods of the data model of Python, as text, and replacements of these methods."""

from __future__ import annotations

# For each protocol: statements that use the object `o`, what its class declares, what is replaced, and by what.
PROTOCOLS = {
    "property get": (
        "return x + o.p",
        "p = property(lambda self: 1.0)",
        "p",
        "property(lambda self: 10.0)",
    ),
    "property set": (
        "o.p = x\nreturn o.v",
        "p = property(lambda self: self.v, lambda self, y: self.__dict__.__setitem__('v', y + 1.0))",
        "p",
        "property(lambda self: self.v, lambda self, y: self.__dict__.__setitem__('v', y * 10.0))",
    ),
    "property aug": (
        "o.p += x\nreturn o.v",
        "p = property(lambda self: 0.0, lambda self, y: self.__dict__.__setitem__('v', y + 1.0))",
        "p",
        "property(lambda self: 0.0, lambda self, y: self.__dict__.__setitem__('v', y * 10.0))",
    ),
    "property del": (
        "o.v = x\ndel o.p\nreturn o.v",
        "p = property(None, None, lambda self: self.__dict__.__setitem__('v', self.v + 1.0))",
        "p",
        "property(None, None, lambda self: self.__dict__.__setitem__('v', self.v * 10.0))",
    ),
    "descr get": (
        "return x + o.p",
        "p = D()",
        "D.__get__",
        "lambda self, o, k: 10.0",
    ),
    "descr set": (
        "o.p = x\nreturn o.v",
        "p = D()",
        "D.__set__",
        "lambda self, o, y: o.__dict__.__setitem__('v', y * 10.0)",
    ),
    "descr delete": (
        "o.v = x\ndel o.p\nreturn o.v",
        "p = D()",
        "D.__delete__",
        "lambda self, o: o.__dict__.__setitem__('v', o.v * 10.0)",
    ),
    "__setattr__": (
        "o.q = x\nreturn o.v",
        "def __setattr__(self, n, y): self.__dict__['v'] = y + 1.0",
        "__setattr__",
        "lambda self, n, y: self.__dict__.__setitem__('v', y * 10.0)",
    ),
    "__delattr__": (
        "o.v = x\ndel o.q\nreturn o.v",
        "def __delattr__(self, n): self.v = self.v + 1.0",
        "__delattr__",
        "lambda self, n: self.__dict__.__setitem__('v', self.v * 10.0)",
    ),
    "__getattr__": (
        "return x + o.q",
        "def __getattr__(self, n): return 1.0",
        "__getattr__",
        "lambda self, n: 10.0",
    ),
    "__getattribute__": (
        "return x + o.q",
        "def __getattribute__(self, n): return 1.0",
        "__getattribute__",
        "lambda self, n: 10.0",
    ),
    "__getitem__": (
        "return x + o[0]",
        "def __getitem__(self, n): return 1.0",
        "__getitem__",
        "lambda self, n: 10.0",
    ),
    "__setitem__": (
        "o[0] = x\nreturn o.v",
        "def __setitem__(self, n, y): self.v = y + 1.0",
        "__setitem__",
        "lambda self, n, y: setattr(self, 'v', y * 10.0)",
    ),
    "setitem key": (
        "o['k'] = x\nreturn o.v",
        "def __setitem__(self, n, y): self.v = y + 1.0",
        "__setitem__",
        "lambda self, n, y: setattr(self, 'v', y * 10.0)",
    ),
    "__delitem__": (
        "o.v = x\ndel o[0]\nreturn o.v",
        "def __delitem__(self, n): self.v = self.v + 1.0",
        "__delitem__",
        "lambda self, n: setattr(self, 'v', self.v * 10.0)",
    ),
    "__iadd__": (
        "w = o\nw += x\nreturn w.v",
        "def __iadd__(self, y):\n  self.v = y + 1.0\n  return self",
        "__iadd__",
        "lambda self, y: (setattr(self, 'v', y * 10.0), self)[1]",
    ),
    "__add__": (
        "return o + x",
        "def __add__(self, y): return y + 1.0",
        "__add__",
        "lambda self, y: y * 10.0",
    ),
    "__radd__": (
        "return x + o",
        "def __radd__(self, y): return y + 1.0",
        "__radd__",
        "lambda self, y: y * 10.0",
    ),
    "__lshift__": (
        "return o << x",
        "def __lshift__(self, y): return y + 1.0",
        "__lshift__",
        "lambda self, y: y * 10.0",
    ),
    "__rlshift__": (
        "return (2 << o) + x",
        "def __rlshift__(self, y): return y + 1.0",
        "__rlshift__",
        "lambda self, y: y * 10.0",
    ),
    "__ror__": (
        "return (2 | o) + x",
        "def __ror__(self, y): return y + 1.0",
        "__ror__",
        "lambda self, y: y * 10.0",
    ),
    "__divmod__": (
        "return divmod(o, 3) + x",
        "def __divmod__(self, y): return 1.0",
        "__divmod__",
        "lambda self, y: 10.0",
    ),
    "__neg__": (
        "return -o + x",
        "def __neg__(self): return 1.0",
        "__neg__",
        "lambda self: 10.0",
    ),
    "__abs__": (
        "return abs(o) + x",
        "def __abs__(self): return 1.0",
        "__abs__",
        "lambda self: 10.0",
    ),
    "__invert__": (
        "return ~o + x",
        "def __invert__(self): return 1.0",
        "__invert__",
        "lambda self: 10.0",
    ),
    "__enter__": (
        "with o as e:\n  return e + x",
        "def __enter__(self): return 1.0\n def __exit__(self, *a): pass",
        "__enter__",
        "lambda self: 10.0",
    ),
    "__exit__": (
        "o.v = x\nwith o:\n  pass\nreturn o.v",
        "def __enter__(self): return 1.0\n def __exit__(self, *a): self.v = self.v + 1.0",
        "__exit__",
        "lambda self, *a: setattr(self, 'v', self.v * 10.0)",
    ),
    "__call__": (
        "return o(x)",
        "def __call__(self, y): return y + 1.0",
        "__call__",
        "lambda self, y: y * 10.0",
    ),
    "__len__": (
        "return len(o) + x",
        "def __len__(self): return 1",
        "__len__",
        "lambda self: 10",
    ),
    "__len__ truth": (
        "if o:\n  return x\nreturn x + 9.0",
        "def __len__(self): return 1",
        "__len__",
        "lambda self: 0",
    ),
    "__bool__": (
        "if o:\n  return x\nreturn x + 9.0",
        "def __bool__(self): return True",
        "__bool__",
        "lambda self: False",
    ),
    "__bool__ not": (
        "return x + (not o)",
        "def __bool__(self): return True",
        "__bool__",
        "lambda self: False",
    ),
    "__iter__": (
        "for e in o: x = x + e\nreturn x",
        "def __iter__(self): return iter([1.0])",
        "__iter__",
        "lambda self: iter([10.0])",
    ),
    "__iter__ unpack": (
        "(e,) = o\nreturn x + e",
        "def __iter__(self): return iter([1.0])",
        "__iter__",
        "lambda self: iter([10.0])",
    ),
    "__iter__ star": (
        "return sum([*o], x)",
        "def __iter__(self): return iter([1.0])",
        "__iter__",
        "lambda self: iter([10.0])",
    ),
    "__next__": (
        "return x + next(o)",
        "def __next__(self): return 1.0",
        "__next__",
        "lambda self: 10.0",
    ),
    "__reversed__": (
        "for e in reversed(o): x = x + e\nreturn x",
        "def __reversed__(self): return iter([1.0])",
        "__reversed__",
        "lambda self: iter([10.0])",
    ),
    "__contains__": (
        "return x + (3 in o)",
        "def __contains__(self, y): return False",
        "__contains__",
        "lambda self, y: True",
    ),
    "__eq__": (
        "return x + (o == 3)",
        "def __eq__(self, y): return False",
        "__eq__",
        "lambda self, y: True",
    ),
    "__eq__ in list": (
        "return x + (o in [3])",
        "def __eq__(self, y): return False",
        "__eq__",
        "lambda self, y: True",
    ),
    "__ne__": (
        "return x + (o != 3)",
        "def __ne__(self, y): return False",
        "__ne__",
        "lambda self, y: True",
    ),
    "__lt__": (
        "return x + (o < 3)",
        "def __lt__(self, y): return False",
        "__lt__",
        "lambda self, y: True",
    ),
    "__gt__ reflected": (
        "return x + (3 < o)",
        "def __gt__(self, y): return False",
        "__gt__",
        "lambda self, y: True",
    ),
    "__hash__": (
        "return x + hash(o)",
        "def __hash__(self): return 1",
        "__hash__",
        "lambda self: 10",
    ),
    "__str__": (
        "return x + len(str(o))",
        "def __str__(self): return 'a'",
        "__str__",
        "lambda self: 'aaaa'",
    ),
    "__repr__": (
        "return x + len(f'{o!r}')",
        "def __repr__(self): return 'a'",
        "__repr__",
        "lambda self: 'aaaa'",
    ),
    "__format__": (
        "return x + len(f'{o:3}')",
        "def __format__(self, s): return 'a'",
        "__format__",
        "lambda self, s: 'aaaa'",
    ),
    "__float__": (
        "return x + float(o)",
        "def __float__(self): return 1.0",
        "__float__",
        "lambda self: 10.0",
    ),
    "__int__": (
        "return x + int(o)",
        "def __int__(self): return 1",
        "__int__",
        "lambda self: 10",
    ),
    "__index__": (
        "return x + [1, 2, 3][o]",
        "def __index__(self): return 1",
        "__index__",
        "lambda self: 2",
    ),
    "__round__": (
        "return x + round(o)",
        "def __round__(self): return 1",
        "__round__",
        "lambda self: 10",
    ),
    "__trunc__": (
        "return x + __import__('math').trunc(o)",
        "def __trunc__(self): return 1",
        "__trunc__",
        "lambda self: 10",
    ),
    "__floor__": (
        "return x + math.floor(o)",
        "def __floor__(self): return 1",
        "__floor__",
        "lambda self: 10",
    ),
    "__missing__": (
        "return x + m['q']",
        "",
        "M.__missing__",
        "lambda self, k: 10.0",
    ),
    "dict __setitem__": (
        "m['q'] = x\nreturn m['r']",
        "",
        "M.__setitem__",
        "lambda self, k, v: dict.__setitem__(self, 'r', v * 10.0)",
    ),
    "__instancecheck__": (
        "return x + isinstance(3, K)",
        "",
        "Meta.__instancecheck__",
        "lambda self, k: True",
    ),
    "__class_getitem__": (
        "return x + K[3]",
        "",
        "K.__class_getitem__",
        "classmethod(lambda self, k: 10.0)",
    ),
    "meta __call__": (
        "return x + K(3)",
        "",
        "Meta.__call__",
        "lambda self, k: 10.0",
    ),
    "__new__": (
        "return x + N(3)",
        "",
        "N.__new__",
        "lambda self, k: 10.0",
    ),
    "__init_subclass__": (
        "class L(N): pass\nreturn x + L.z",
        "",
        "N.__init_subclass__",
        "classmethod(lambda self: setattr(self, 'z', 10.0))",
    ),
    "helper default": (
        "o.p = x\nreturn o.v",
        "p = property(None, lambda self, y: helper(self, y))",
        "helper.__defaults__",
        "(10.0,)",
    ),
    "helper code": (
        "o[0] = x\nreturn o.v",
        "def __setitem__(self, n, y): helper(self, y)",
        "helper.__code__",
        "(lambda self, y, k=1.0: setattr(self, 'v', y * 10.0)).__code__",
    ),
    "global in setter": (
        "o.p = x\nreturn o.v",
        "p = property(None, lambda self, y: self.__dict__.__setitem__('v', y + G))",
        "G",
        "10.0",
    ),
}

# Places of the object `o`.
PLACES = {
    "global": "def f(x):\n{body}",
    "argument": "def f(x, o):\n{body}",
    "item": "def f(x):\n  o = LIST[0]\n{body}",
    "attribute": "def f(x):\n  o = HOLDER.o\n{body}",
    "made": "def f(x):\n  o = C()\n{body}",
    "result": "def f(x):\n  o = get()\n{body}",
    "branch": "def g(x, o):\n{body}\ndef f(x):\n  if x > 0.0:\n    y = g(x, o)\n  else:\n    y = x * 1.0\n  return y",
}

DECLARATIONS = """
import math
class D:
  def __get__(self, o, k): return 1.0
  def __set__(self, o, y): o.__dict__['v'] = y + 1.0
  def __delete__(self, o): o.__dict__['v'] = o.v + 1.0
class M(dict):
  def __missing__(self, k): return 1.0
  def __setitem__(self, k, v): dict.__setitem__(self, 'r', v + 1.0)
class Meta(type):
  def __instancecheck__(self, k): return False
  def __call__(self, k): return 1.0
class K(metaclass=Meta):
  def __class_getitem__(cls, k): return 1.0
class N:
  def __new__(self, k): return 1.0
  def __init_subclass__(cls): cls.z = 1.0
m = M()
G = 1.0
def helper(self, y, k=1.0): self.__dict__['v'] = y + k
class Plain: pass
class C(Plain):
  v = 0.0
  {declared}
o = C()
o.__dict__['v'] = 0.0
LIST = [o]
HOLDER = Plain()
HOLDER.o = o
def get(): return o
"""


def text(protocol: str, place: str) -> str:
    """The program of a protocol with its object at a place."""
    body, declared, _, _ = PROTOCOLS[protocol]
    indented = "\n".join("  " + line for line in body.split("\n"))
    return DECLARATIONS.replace("{declared}", declared or "pass") + PLACES[place].replace("{body}", indented)
