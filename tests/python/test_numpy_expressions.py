"""A graph gives what NumPy gives for its arrays, in value, dtype and shape: expressions that once differed, and random ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import graphwright as gw
from numpy_expressions import Case, differences, expressions, functions, indices, is_refusal, outcome

INF, NAN = math.inf, math.nan

ROWS = {
    "bool": np.array([True, False]),
    "int8": np.array([1, 2, 127], np.int8),
    "uint8": np.array([1, 2, 200], np.uint8),
    "int64": np.arange(3),
    "float16": np.array([1.5, 2.0], np.float16),
    "float32": np.arange(4, dtype=np.float32),
    "float64": np.arange(4.0),
}

#: Expressions by what they are about; `a` is each of the rows.
OF_ROWS = {
    "choices": "np.select([a > 1], [a]); np.select([a > 1, a < 1], [a, a], 3); np.select([a > 1], [a], 0.5); np.select([a > 1], [2], 0.5); "
    "np.where(a > 0, 0.1j, 2); np.where(a > 0, 0.1j, a); np.where(a > 0, a, 1.5); np.fmax(a, 1); np.fmin(a, 0.5)",
    "polynomials": "np.vander(a); np.vander(a, 3, increasing=True); np.polyval([1, 2], a); np.polyval(a, 2); np.polyval([], a); "
    "np.polyval([1.0, 2.0], a); np.polyder(a); np.polyint(a); np.polyadd(a, [1]); np.diff(a, prepend=0); np.kron(a, 2)",
    "rows": "np.linspace(0, a[1], 5); np.linspace(0, a, 3); np.linspace(a[0], 3, 4, endpoint=False); np.linspace(0, a[1], 5, dtype=int); "
    "np.logspace(0, a[1], 3); np.linspace(False, a, 2)",
    "floats": "np.heaviside(a, 0.5); np.heaviside(a, 1); np.heaviside(0.5, a); np.heaviside(a, a); np.nextafter(a + 1, 7); np.nextafter(1, a + 1); "
    "np.angle(a); np.angle(a, deg=True); np.sinc(a); np.reciprocal(a + 1.0); np.conj(a); np.copysign(a, -1); np.float_power(a, 2)",
    "statistics": "np.median(a[:0]); np.nanmedian(a[:0]); np.cov(a); np.corrcoef(a); np.nanvar(a); np.nanmean(a); np.average(a); "
    "np.min(a, initial=0); np.min(a, initial=0.5); np.max(a, initial=100); np.sum(a, initial=1.5); a.min(initial=0); a.sum(dtype=float); "
    "a.max(initial=2.5); a.mean(dtype=np.float32); np.cumsum(a); np.sum(a, dtype=np.int8)",
    "powers and rounding": "a ** 2; a ** 1; a ** 0.5; a ** True; a ** a; 2 ** a; np.square(a); np.round(a); np.round(a + 0, -1); np.clip(a, 0, 1); "
    "np.clip(a, 0.5, 1.5); np.clip(a, np.arange(1), None)",
    "beside lists": "a / [1]; a * [0.5]; np.add(a, [1]); a + np.float32(2); np.outer(a, 7); np.add.outer(a, 7); np.union1d(a, [1])",
    "products": "np.dot(a, a); np.inner(a, a); np.vdot(a, a); np.kron(a, a); np.convolve(a, a); np.einsum('i,i', a, a); np.tensordot(a, a, 1)",
}

NUMBERS = [
    complex(INF, 0), complex(-INF, 710), complex(0, INF), complex(NAN, 0), complex(0, -0.0), complex(1, 2), complex(INF, -1e300), complex(-INF, -1),
    complex(1, INF), complex(-3, -0.0), complex(5e-324, 1), complex(1, 5e-324), complex(1e-200, 1), complex(1e200, 1e-200),
]  # fmt: skip

OF_NUMBERS = (
    "np.sign(a); a ** -1; np.reciprocal(a); a ** 0.5; a ** 1; np.sqrt(a); np.arctan(a); np.arcsin(a); np.arccos(a); np.arcsinh(a); np.arccosh(a); "
    "np.isclose(a, a); np.isclose(a, a, equal_nan=True); np.nan_to_num(a); np.nan_to_num(a, nan=3.0, posinf=9.0)"
)

OF_COMPLEX = (
    "np.allclose(a, a + 1e-12); np.linalg.norm(a); np.linalg.norm(a, 1); np.linalg.norm(a, np.inf); np.linalg.norm(a, 3); np.linalg.norm(a, 0); "
    "np.linalg.norm(a.reshape(2, -1), 'fro'); np.linalg.norm(a.reshape(2, -1), 1); np.median(a); np.nanmedian(a); np.nanmean(a); np.nanstd(a); np.nanmax(a); "
    "np.max(a); np.min(a.reshape(2, -1), axis=1); np.argmax(a); np.ptp(a); np.sort(a); np.argsort(a); np.unique(a); np.maximum(a, a[::-1]); np.fmin(a, 1); "
    "np.clip(a, 0, 1); a > 1; a >= a[::-1]; np.gradient(a); np.trapezoid(a); np.cov(a); np.corrcoef(a); np.average(a, weights=a); np.linspace(0, a[1], 4); "
    "np.sinc(a); np.float_power(a, 2); a.max(); a.argmin()"
)

WITHOUT_AXES = "; ".join(
    f"np.{name}(a, axis={axis})"
    for name in "sum prod max min any all argmax argmin cumsum cumprod ptp count_nonzero nansum nanmax add.reduce".split()
    for axis in (0, -1, None)
)

SINGLE: list[Case] = [
    ("np.cumsum(a)", {"a": np.array([-0.0, -0.0])}),
    ("np.cumsum(a)", {"a": np.array([-0.0 - 0.0j])}),
    ("a * [0.5]", {"a": np.array(100, np.int16)}),
    ("a[...] * 0.5", {"a": np.array(2, np.int8)}),
    ("np.bincount(x, minlength=n)", {"x": np.array([1, 1, 2]), "n": np.array(5)}),
    ("x[::n], x[n::n], x[::-n], x[3:0:-n], x[..., ::n]", {"x": np.arange(7.0), "n": np.array(2)}),
    ("x[::n] = 0\nreturn x", {"x": np.arange(7.0), "n": np.array(3)}),
    ("x[:, ::n]", {"x": np.arange(12.0).reshape(3, 4), "n": np.array(2)}),
    ("x[::n]", {"x": np.arange(7.0), "n": np.array(0)}),
    ("n = 1\nfor x in a:\n    n += 1\nreturn n ** 0.5, n / 2, n ** -1", {"a": np.arange(4.0)}),
    ("z = 1j\nfor x in a:\n    z = z * x\nreturn isinstance(z, complex), z", {"a": np.arange(4.0)}),
    ("z = 1j\nfor x in a:\n    z = z * (1 + 1j)\nreturn isinstance(z, complex), isinstance(z, float)", {"a": np.arange(4.0)}),
    ("isinstance(x[0], float), isinstance(x[0], np.floating), isinstance(x.sum(), float), isinstance(x, np.ndarray)", {"x": np.arange(3.0)}),
    ("isinstance(x[0], int), isinstance(x[0], np.integer), isinstance(int(x[0]), int)", {"x": np.arange(3)}),
    ("t = x.sum()\nt += 1\nreturn t", {"x": np.arange(3.0)}),
    *((f"z.{part} = {value}\nreturn z", {"z": np.array([1 + 2j, 3 - 1j])}) for part in ("real", "imag") for value in ("3.0", "[1, 2]", "z.real")),
    *((f"{name}(a)", {"a": np.array([1.5])}) for name in ("complex", "float", "int")),
    *((f"a {operator} -1", {"a": ROWS["uint8"]}) for operator in "* + - // % & | ^ << / > ==".split()),
    *((f"np.{name}(a, 300)", {"a": ROWS["uint8"]}) for name in ("add", "maximum", "fmod", "divide", "less", "hypot")),
    *(
        (f"a {operator} b, b {operator} a", {"a": np.array([1, 2, 2**63 + 3], np.uint64), "b": np.array([1, -2, 3])})
        for operator in "+ - * / // % > <= == !=".split()
    ),
    *(
        (text, {"a": np.array([1, 2, 2**63 + 3], np.uint64), "b": np.array([1, -2, 3], np.int8)})
        for text in "np.maximum(a, b); np.dot(a, b); a @ b; np.outer(a, b); a[0] + b[0]; a.sum() * b; np.less(a, b); np.where(a > 1, a, b)".split("; ")
    ),
]  # fmt: skip


def cases(texts: str, rows: dict[str, np.ndarray] | list[np.ndarray]) -> list[Case]:
    """Each expression of each array."""
    arrays = rows.values() if isinstance(rows, dict) else rows
    return [(text.strip(), {"a": row}) for row in arrays for text in texts.split(";")]


@pytest.mark.parametrize("about", OF_ROWS)
def test_expressions_of_rows_of_all_dtypes_give_what_numpy_gives(about, tmp_path):
    assert differences(cases(OF_ROWS[about], ROWS), tmp_path) == []


def test_functions_of_complex_numbers_at_their_limits_give_what_numpy_gives(tmp_path):
    assert differences(cases(OF_NUMBERS, [np.array([number]) for number in NUMBERS]), tmp_path) == []


def test_functions_that_order_and_measure_complex_numbers_give_what_numpy_gives(tmp_path):
    row = np.array([1 + 2j, 3 - 1j, 0j, 1 + 1j])
    unknown = np.array([1 + 2j, complex(NAN, 1), complex(1, NAN), 0j])
    assert differences(cases(OF_COMPLEX, [row, row.astype(np.complex64)]), tmp_path) == []
    assert (
        differences(cases("np.sort(a); np.max(a); np.argmin(a); np.nanmax(a); a > 1", [unknown]), tmp_path)
        == []
    )


def test_reductions_of_arrays_without_axes_take_the_axes_that_numpy_takes(tmp_path):
    assert differences(cases(WITHOUT_AXES, [np.array(3.5), np.array(3), np.array(True)]), tmp_path) == []


def test_single_expressions_give_what_numpy_gives(tmp_path):
    assert differences(SINGLE, tmp_path) == []


def test_all_pairs_of_dtypes_meet_in_numpys_dtype(tmp_path):
    arrays = [
        np.array([1, 2, 0], name)
        for name in "bool int8 int16 int32 int64 uint8 uint32 uint64 float16 float32 float64 complex64".split()
    ]
    pairs = itertools.product(["a + b", "a * b", "a / (b + 1)", "np.add(a, b)"], arrays, arrays)
    assert differences([(text, {"a": a, "b": b}) for text, a, b in pairs], tmp_path) == []


@pytest.mark.parametrize("seed", [1, 2])
def test_random_expressions_give_what_numpy_gives(seed, tmp_path):
    assert differences(list(itertools.islice(expressions(seed), 300)), tmp_path) == []


@pytest.mark.parametrize("seed", [1, 2])
def test_random_indices_give_what_numpy_gives(seed, tmp_path):
    assert differences(list(itertools.islice(indices(seed), 200)), tmp_path) == []


def test_slices_with_steps_of_the_graph_are_staged(tmp_path):
    """Beside numbers, slices and arrays, read, stored into, and as views."""
    cases = [case for case in itertools.islice(indices(78), 1200) if "::i" in case[0] or "::-i" in case[0]]
    assert len(cases) > 100
    assert differences(cases, tmp_path) == []
    for function, (text, arrays) in zip(functions(cases, tmp_path), cases, strict=True):
        if not isinstance(outcome(function, arrays), Exception):
            assert not is_refusal(outcome(gw.function(function), arrays)), text


def test_views_with_steps_of_the_graph_share_memory():
    def run(x, n):
        view, other = x[::n], x[::-n]
        view += 1
        other[0] = 7
        if n > 1:
            x[::n] *= 2
        for k in range(2):
            x[1::n] -= k
        return x, view, other

    for n in (1, 2, 3):
        first, second = np.arange(6.0), np.arange(6.0)
        wanted, found = run(first, np.int64(n)), gw.function(run)(second, np.int64(n))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)
        np.testing.assert_array_equal(first, second)
