"""Arrays that a graph prints look as NumPy prints them."""

import random

import numpy as np
import pytest

import graphwright as gw

FLOATS = ["float64", "float32", "float16"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1 / 3,
    1e-5,
    1e-4,
    0.0001001,
    999999.0,
    1e6,
    1e8,
    123456789.0,
    1e300,
    5e-324,
    65504.0,
]
ENDS = [float("nan"), float("inf"), float("-inf")]
SHAPES = [
    (1,),
    (3,),
    (10,),
    (40,),
    (0,),
    (2, 3),
    (3, 25),
    (1, 1, 1),
    (2, 2, 3),
    (4, 0),
    (1001,),
    (7, 200),
    (12, 3, 40),
]


def printing(dtype: str, rank: int):
    """A graph that prints an array of a type."""

    @gw.function(input_signature=[gw.TensorSpec([None] * rank, dtype)])
    def printed(x):
        print(x)

    return printed


PRINTING = {
    (dtype, rank): printing(dtype, rank)
    for dtype in [*FLOATS, *INTEGERS, "bool", "complex64", "complex128"]
    for rank in (1, 2, 3)
}


def drawn(draw: random.Random, dtype: str) -> float:
    """One number of some size."""
    kind = draw.randrange(6)
    if kind == 0:
        return draw.choice(SPECIAL)
    if kind == 1 and draw.random() < 0.3:
        return draw.choice(ENDS)
    if kind < 4:
        return float(draw.randrange(-2000, 2000)) / draw.choice([1, 1, 4, 10, 1000])
    return draw.choice([1, -1]) * draw.random() * 10.0 ** draw.randrange(-6, 7)


def array(draw: random.Random, dtype: str) -> np.ndarray:
    """An array of numbers of one or several sizes."""
    shape = draw.choice(SHAPES)
    count = int(np.prod(shape))
    if dtype == "bool":
        return np.array([draw.random() < 0.5 for _ in range(count)], bool).reshape(shape)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        ends = draw.choice([(0, 9), (0, 100), (info.min, info.max)])
        return np.array([draw.randint(*ends) for _ in range(count)], dtype).reshape(shape)
    with np.errstate(all="ignore"):
        simple = draw.random() < 0.3
        numbers = [
            draw.choice([1.0, 2.0, 0.5, 12.25]) if simple else drawn(draw, dtype) for _ in range(2 * count)
        ]
        if dtype in FLOATS:
            return np.array(numbers[:count]).astype(dtype).reshape(shape)
        parts = np.array(numbers).reshape(2, count)
        made = np.empty(count, np.complex128)
        made.real, made.imag = parts
        return made.astype(dtype).reshape(shape)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "bool", "complex64", "complex128"])
def test_arrays_look_as_numpy_prints_them(dtype, seed, capfd):
    draw = random.Random(f"{dtype}{seed}")
    for _ in range(5):
        x = array(draw, dtype)
        PRINTING[dtype, x.ndim](gw.constant(x))
        assert capfd.readouterr().out == f"{x}\n"


def test_arrays_in_texts_and_lists(capfd):
    @gw.function
    def shown(x):
        print("x:", x, x > 4.5, f"{x * 0.5}", sep="|")

    x = np.array([4.0, 5.0, 6.0])
    shown(x)
    assert capfd.readouterr().out == f"x:|{x}|{x > 4.5}|{x * 0.5}\n"


def test_tensorflows_print_keeps_its_form(capfd):
    @gw.function
    def shown(x):
        gw.print(x, x > 4.5)

    shown(gw.constant([4.0, 5.0, 6.0]))
    assert capfd.readouterr().err == "[4 5 6] [0 1 1]\n"
