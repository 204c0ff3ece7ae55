"""Random expressions of NumPy over arrays of all dtypes, and a comparison of what a graph gives with what NumPy gives.

An expression is a text over the letters of its arrays. Values, dtypes and shapes have to be NumPy's; a refusal by a diagnostic
is none of ours to judge here, an exception of NumPy's has to be one of the graph's.
"""

from __future__ import annotations

import importlib.util
import math
import pathlib
import random
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import graphwright as gw

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()

Case = tuple[str, dict[str, Any]]


def plain(found: Any) -> Any:
    """Results of a graph, with NumPy's arrays in place of tensors."""
    if isinstance(found, gw.Tensor):
        return found.numpy()
    if isinstance(found, tuple | list):
        return tuple(map(plain, found))
    return found


def close(found: Any, wanted: Any, near: float) -> bool:
    """Real numbers that differ by no more than rounding: relative to the greatest of the row for sums, NaN like NaN."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    if not np.array_equal(np.isnan(found), np.isnan(wanted)):
        return False
    is_known = ~np.isnan(wanted)
    found, wanted = found[is_known], wanted[is_known]
    endless = np.isinf(wanted)
    if not np.array_equal(found[endless], wanted[endless]):
        return False
    found, wanted = found[~endless], wanted[~endless]
    size = np.abs(wanted).max(initial=0.0)
    return bool((np.abs(found - wanted) <= near * np.maximum(np.abs(wanted), min(size, 1e3))).all())


def same(found: Any, wanted: Any) -> bool:
    """True of results of one dtype and shape with equal elements."""
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        are_rows = isinstance(found, tuple) and isinstance(wanted, tuple) and len(found) == len(wanted)
        return are_rows and all(same(*pair) for pair in zip(found, wanted, strict=True))
    if wanted is None or isinstance(wanted, str | np.dtype | type):
        return bool(found == wanted)
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind in "biu":
        return np.array_equal(found, wanted)
    near = {2: 4e-3, 4: 1e-5, 8: 1e-9}[wanted.real.dtype.itemsize]
    return close(found.real, wanted.real, near) and close(found.imag, wanted.imag, near)


def outcome(function: Any, arrays: dict[str, Any]) -> Any:
    """The result of a call on copies of arrays, or the exception that it raises."""
    copies = {name: one.copy() if isinstance(one, np.ndarray) else one for name, one in arrays.items()}
    try:
        return plain(function(**copies))
    except Exception as error:
        return error


#: Errors of single numbers, which a graph has and NumPy has not: each says so at the user's line.
_STRICTER = ("integer overflow:", "negative shift count", "by zero")


def is_refusal(error: Any) -> bool:
    """True of a diagnostic, which says at the user's line what a graph cannot do."""
    text = str(error)
    return isinstance(error, Exception) and ("GW" in text or any(part in text for part in _STRICTER))


def judged(function: Any, arrays: dict[str, Any]) -> str | None:
    """The difference between NumPy and a graph; none where there is none, or where the graph refuses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted, found = outcome(function, arrays), outcome(gw.function(function), arrays)
    if is_refusal(found):
        return None
    if isinstance(wanted, Exception):
        return None if isinstance(found, Exception) else f"{found!r} where NumPy raises {wanted!r}"
    if isinstance(found, Exception):
        return f"{found!r} for {wanted!r}"
    return None if same(found, wanted) else f"{found!r} for {wanted!r}"


def functions(cases: list[Case], folder: pathlib.Path) -> list[Any]:
    """A function for each case, in a file that can be read."""
    path = folder / "expressions.py"
    lines = ["import cmath, math\nimport numpy as np\n"]
    for number, (text, arrays) in enumerate(cases):
        body = text if "\n" in text else f"return {text}"
        body = "".join(f"    {line}\n" for line in body.split("\n"))
        lines.append(f"def f{number}({', '.join(arrays)}):\n{body}")
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(f"expressions_{id(cases)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"f{number}") for number in range(len(cases))]


def differences(cases: list[Case], folder: pathlib.Path) -> list[str]:
    """Faults that were found, with the expression and its arrays."""
    found = []
    for function, (text, arrays) in zip(functions(cases, folder), cases, strict=True):
        if (wrong := judged(function, arrays)) is not None:
            found.append(f"{text} of {arrays}: {wrong}")
    return found


ELEMENTS = (
    "abs negative positive sign square sqrt exp log sin cos tan arctan tanh sinh cosh arcsinh floor ceil rint trunc fabs isnan isfinite "
    "isinf signbit conj real imag angle reciprocal expm1 log1p log2 log10 exp2 cbrt degrees radians logical_not invert "
    "nan_to_num fix sinc i0 isreal iscomplex modf frexp"
).split()
PAIRS = (
    "add subtract multiply divide floor_divide remainder power maximum minimum fmax fmin fmod hypot arctan2 copysign logaddexp "
    "heaviside float_power bitwise_and bitwise_or bitwise_xor left_shift right_shift logical_and logical_or logical_xor equal "
    "not_equal less less_equal greater greater_equal gcd lcm isclose divmod"
).split()
FOLDS = (
    "sum prod max min mean var std any all argmax argmin ptp median count_nonzero nansum nanprod nanmax nanmin nanmean nanvar nanstd "
    "average nanmedian"
).split()
ROWS = (
    "np.cumsum({a}) np.cumprod({a}) np.sort({a},axis=None) np.argsort({a},axis=None,kind='stable') np.unique({a}) np.diff({a}.ravel()) "
    "np.ravel({a}) np.flip({a}) np.cumulative_sum(np.ravel({a})) np.ediff1d({a}) np.trim_zeros({a}.ravel()) np.roll({a},1) "
    "np.repeat({a},2) np.tile({a},2) np.atleast_1d({a}) np.atleast_2d({a}) np.transpose({a}) np.squeeze({a}) np.expand_dims({a},0) "
    "np.zeros_like({a}) np.ones_like({a}) np.full_like({a},2) np.count_nonzero({a}) np.nonzero(np.atleast_1d({a})) np.shape({a}) "
    "np.pad({a}.ravel(),1) np.vander({a}.ravel()[:3]) np.linspace(0,{a}.ravel()[0],3) np.gradient({a}.ravel()[:3]) np.trapezoid({a}.ravel()) "
    "np.round({a}) np.round({a},1) np.clip({a},0,2) np.clip({a},1,None) np.clip({a},0.5,1.5) np.ptp({a}) np.nan_to_num({a}) "
    "np.polyval([1,2],{a}) np.polyval({a}.ravel(),2) np.linalg.norm({a}.ravel()) np.linalg.norm({a}.ravel(),1) np.trace(np.atleast_2d({a})) "
    "np.cov({a}.ravel()) np.histogram({a}.ravel())[0] np.bincount({a}.ravel()) np.cross({a}.ravel()[:3],{a}.ravel()[:3]) "
    "np.median({a},axis=0) np.argwhere({a}) np.flatnonzero({a}) np.nancumsum({a}) np.array({a}) np.array([{a},{a}]) np.asarray({a}) "
    "np.isscalar({a}) np.ndim({a}) np.size({a}) np.tril(np.atleast_2d({a})) np.diag({a}.ravel()) np.triu(np.atleast_2d({a})) "
    "np.rot90(np.atleast_2d({a})) np.swapaxes(np.atleast_2d({a}),0,1) np.moveaxis(np.atleast_2d({a}),0,1) np.result_type({a})"
).split()
JOINS = (
    "np.where({c},{a},{b}) np.concatenate([np.ravel({a}),np.ravel({b})]) np.append({a},{b}) np.outer({a},{b}) np.kron({a},{b}) "
    "np.dot(np.ravel({a})[:2],np.ravel({b})[:2]) np.select([{c}],[{a}],{b}) np.convolve(np.ravel({a})[:2],np.ravel({b})[:2]) "
    "np.isin({a},{b}) np.array_equal({a},{b}) np.allclose({a},{b}) np.searchsorted(np.sort(np.ravel({a})),{b}) np.polyadd(np.ravel({a}),np.ravel({b})) "
    "np.inner(np.ravel({a})[:2],np.ravel({b})[:2]) np.vdot(np.ravel({a})[:2],np.ravel({b})[:2]) np.result_type({a},{b}) "
    "np.stack([np.ravel({a})[:1],np.ravel({b})[:1]]) np.minimum.outer({a},{b}) np.add.outer({a},{b}) np.union1d({a},{b}) "
    "np.intersect1d({a},{b}) np.setdiff1d({a},{b}) np.interp({a},[0,1,2],[0.5,1,3]) np.digitize({a},[0,1,2]) np.insert(np.ravel({a}),0,np.ravel({b})[:1]) "
    "np.linspace(np.ravel({a})[0],np.ravel({b})[0],3) np.choose(np.zeros(1,int),[np.ravel({a})[:1],np.ravel({b})[:1]]) np.broadcast_arrays({a},{b})[0] "
    "np.clip({a},{b},None) np.diff(np.ravel({a}),prepend=np.ravel({b})[:1])"
).split()
OPERATORS = "+ - * / // % ** & | ^ << >> == != < <= > >=".split()
METHODS = (
    "sum() prod() max() min() mean() var() std() any() all() cumsum() argmax() argmin() ravel() round() conj() T real imag clip(0,2) astype(float) "
    "astype('int32') astype(bool) astype('float32') item() tolist() dtype shape size ndim flatten() copy() transpose() nonzero() sum(axis=0) mean(axis=0) "
    "sum(axis=-1,keepdims=True) max(axis=0) squeeze() sum(dtype='int8') sum(dtype=float) mean(dtype='float32') std(ddof=1)"
).split()
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-2",
    "0.5",
    "2.0",
    "-1.5",
    "True",
    "False",
    "1j",
    "(2+1j)",
    "7",
    "100",
    "300",
    "1000",
    "np.inf",
    "np.nan",
]
LISTS = [
    "[1]",
    "[1,2]",
    "[0.5]",
    "[True]",
    "[-1]",
    "(1,2)",
    "[1j]",
    "[[1],[2]]",
    "[]",
    "np.float32(2)",
    "np.int8(3)",
    "np.arange(2)",
]
SHAPES = [(), (1,), (2,), (3,), (2, 2), (0,), (2, 1), (1, 3), (2, 0), (3, 2), (2, 3)]
MEMBERS = [0, 1, 2, 3, -1, -2, 5, 7, 100, 120, -100]


def array(one: random.Random) -> np.ndarray:
    """An array of any dtype and a small shape, whose numbers its dtype holds."""
    dtype, shape = np.dtype(one.choice(DTYPES)), one.choice(SHAPES)
    size = math.prod(shape)
    members = [one.choice(MEMBERS) for _ in range(size)]
    if dtype.kind == "u":
        members = [abs(member) for member in members]
    if dtype.kind in "fc":
        members = [one.choice([member, member / 4, 0.0, 1.5]) for member in members]
    found = np.array(members, np.complex128 if dtype.kind == "c" else None)
    if dtype.kind == "c":
        found = found + 1j * np.array([one.choice([0, 1, -0.5]) for _ in range(size)])
    return np.asarray(found.astype(dtype).reshape(shape))


def atom(one: random.Random, name: str) -> str:
    """An array, a part of it, or something beside it."""
    return one.choice([name, name, name, name, f"{name}[...]", f"np.ravel({name})", f"{name}.T"])


def beside(one: random.Random, name: str) -> str:
    """The other operand: another array, a number of Python's or a list."""
    return one.choice([name, name, name, one.choice(NUMBERS), one.choice(NUMBERS), one.choice(LISTS)])


def expression(one: random.Random) -> Case:
    """An expression over two arrays, of one or two steps."""
    arrays = {"a": array(one), "b": array(one)}
    a, b = atom(one, "a"), beside(one, "b")
    kind = one.randrange(7)
    if kind == 0:
        text = f"np.{one.choice(ELEMENTS)}({a})"
    elif kind == 1:
        first, second = (a, b) if one.random() < 0.7 else (b, a)
        text = f"np.{one.choice(PAIRS)}({first}, {second})"
    elif kind == 2:
        options = one.choice(["", "", ", axis=0", ", axis=-1", ", keepdims=True", ", axis=0, keepdims=True"])
        text = f"np.{one.choice(FOLDS)}({a}{options})"
    elif kind == 3:
        text = one.choice(ROWS).format(a=a)
    elif kind == 4:
        text = one.choice(JOINS).format(a=a, b=b, c=one.choice([f"{a} > 0", f"np.ravel({a}) != 1", "True"]))
    elif kind == 5:
        left, right = (a, b) if one.random() < 0.7 else (b, a)
        text = f"{left} {one.choice(OPERATORS)} {right}"
    else:
        text = f"{a}.{one.choice(METHODS)}"
    if one.random() < 0.25 and not any(
        pair in text for pair in ("modf", "frexp", "divmod", "dtype", "shape")
    ):
        text = one.choice(["np.sum({0})", "({0}) * 2", "1 + ({0})", "({0}) * b", "np.sqrt({0})"]).format(text)
    is_complex = "1j" in text or any(value.dtype.kind == "c" for value in arrays.values())
    if is_complex:
        # Powers of complex numbers at their limits are those of the machine's C library.
        text = text.replace("**", "*").replace("np.power", "np.add").replace("np.float_power", "np.add")
    used = {name: value for name, value in arrays.items() if _is_read(name, text)}
    return text, used or {"a": arrays["a"]}


def _is_read(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){name}(?!\w)", text) is not None


def expressions(seed: int) -> Iterator[Case]:
    """Random expressions, the same for a seed."""
    one = random.Random(seed)
    while True:
        yield expression(one)


INDICES = "0 1 -1 -2 : 1: :-1 ::2 ::-1 1::2 :0 ... None i j -i i: :i :-i i:j ::-2 ::i ::-i k m p".split()


def index(one: random.Random) -> Case:
    """An index expression, or a store, over an array of up to three axes; `i` and `j` are numbers of the graph."""
    shape = tuple(one.choice([0, 1, 2, 3, 4]) for _ in range(one.randrange(4)))
    x = np.arange(math.prod(shape), dtype=one.choice(["int64", "float32", "int8", "float64"])).reshape(shape)
    length = shape[0] if shape else 1
    arrays: dict[str, Any] = {
        "x": x,
        "i": np.array(one.choice([0, 1, 2, -1, 3, 5])),
        "j": np.array(one.choice([0, 1, 2, -1, 3])),
        "k": np.array([one.choice([0, 1, -1, 2]) for _ in range(one.randrange(1, 3))]),
        "m": np.array([one.random() < 0.5 for _ in range(length)], bool),
        "p": np.array([[one.choice([0, 1])] for _ in range(2)]),
    }
    entries = [one.choice(INDICES) for _ in range(one.choice([1, 1, 1, 2, 2, 3]))]
    key = ", ".join(entries)
    kind = one.randrange(5)
    if kind < 3:
        text = f"x[{key}]"
        if one.random() < 0.3:
            text += one.choice(["[0]", "[::-1]", ".sum()", " + 1", ".shape", "[i]", "[1:]"])
    elif kind == 3:
        value = one.choice(["5", "-1", "2.5", "x[0]", "x.sum()", "[1, 2]", "k", "np.zeros(2)"])
        text = f"x[{key}] = {value}\nreturn x"
    else:
        text = (
            f"x[{key}] {one.choice(['+=', '*=', '-='])} {one.choice(['1', '2', 'j', 'x[0]', 'x'])}\nreturn x"
        )
    return text, {name: value for name, value in arrays.items() if _is_read(name, text)}


def indices(seed: int) -> Iterator[Case]:
    """Random index expressions, the same for a seed."""
    one = random.Random(seed)
    while True:
        yield index(one)
