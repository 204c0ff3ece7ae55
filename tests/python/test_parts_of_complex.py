"""Stores through the real and imaginary parts of arrays, in graphs as in NumPy; of tensors they are refused at the line."""

from __future__ import annotations

import random
import textwrap

import numpy as np
import pytest

import graphwright as gw

PARTS = (
    "a",
    "a.real",
    "a.imag",
    "a[1:]",
    "a[1:].imag",
    "a[::2].real",
    "a.imag[1:3]",
    "np.real(a)",
    "np.imag(a[:3])",
)
VALUES = ("2.5", "a.real[0] + 1", "b[0]", "-a.imag[1]", "3")
OPERATORS = ("=", "+=", "*=", "-=")


def store(rng):
    part = rng.choice(PARTS)
    place = rng.choice(("[:]", "[0]", "[-1]", "[:2]", "[...]"))
    return f"{part}{place} {rng.choice(OPERATORS)} {rng.choice(VALUES)}"


def statement(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return f"v = {rng.choice(PARTS)}\nv[0] = {rng.choice(VALUES)}\nb = b + v[:1].real"
    if kind == 1:
        return f"for i in range(3):\n    a.imag[i] += i + b[0]\n    {store(rng)}"
    if kind == 2:
        return f"if n > {rng.randrange(4)}:\n    {store(rng)}\nelse:\n    {store(rng)}"
    if kind == 3:
        return f"a.{rng.choice(('real', 'imag'))} {rng.choice(OPERATORS)} {rng.choice(VALUES)}"
    if kind == 4:
        return "c = a.imag\na.imag[1] = 7\nb = b + c[1:2]"
    return store(rng)


def program(seed, folder):
    """A function in a file of its own, so that its text is found."""
    rng = random.Random(seed)
    body = "\n".join(statement(rng) for _ in range(3))
    text = (
        f"import numpy as np\n\ndef run(a, b, n):\n{textwrap.indent(body, '    ')}\n    return a, b, a.imag\n"
    )
    file = folder / f"parts_{seed}.py"
    file.write_text(text)
    space = {}
    exec(compile(text, str(file), "exec"), space)
    return space["run"], text


def test_random_stores_are_numpys(tmp_path):
    refused, unclear = 0, True
    for seed in range(60):
        run, text = program(seed, tmp_path)
        a, b = np.arange(5) + 1j * np.arange(5, 10), np.array([0.5])
        kept = a.copy()
        wanted = run(kept, b.copy(), np.int64(2))
        staged = gw.function(run)
        for _ in range(2):
            given = a.copy()
            try:
                found = staged(given, b.copy(), np.int64(2))
            except ValueError as error:
                refused += 1
                unclear = unclear and "GW122" in str(error)
                break
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(one), other, err_msg=text)
            np.testing.assert_allclose(given, kept, err_msg=text)
    assert refused < 6 and unclear


def test_imaginary_parts_of_real_numbers_are_only_read():
    def run(x):
        x.imag[0] = 1.0
        return x

    with pytest.raises(ValueError, match="assignment destination is read-only"):
        run(np.ones(3))
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        gw.function(run)(np.ones(3))

    def real(x):
        x.real[1:] += 2.0
        return x

    np.testing.assert_array_equal(gw.function(real)(np.ones(3)), real(np.ones(3)))


def test_tensors_refuse_what_would_be_lost():
    def run(x):
        x.imag[:] = 1.0
        return x

    z = gw.constant([1 + 2j, 3 + 4j])
    for call in (run, gw.function(run)):
        with pytest.raises(ValueError, match="GW121"):
            call(z)
    part = z.real
    part += 1.0
    assert part.tolist() == [2.0, 4.0] and z.tolist() == [1 + 2j, 3 + 4j]


def test_derivatives_of_stores_through_parts():
    def run(x):
        a = x * (1.0 + 2.0j)
        a.imag[1:] += x[:-1] * x[:-1]
        a.real[0] = x[2] * 3.0
        return np.sum(a.real * a.real + a.imag * a.real)

    x = np.array([0.3, -1.2, 2.0])
    steps = np.eye(3) * 1e-6
    wanted = [(run(x + step) - run(x - step)) / 2e-6 for step in steps]
    _, found = gw.function(gw.value_and_grad(run))(x)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5)
