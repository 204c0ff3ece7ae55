"""Lengths that only the run of a graph knows: `x.shape` there is what NumPy says."""

import random
from typing import Any

import numpy as np
import pytest

import graphwright as gw


def _read(x):
    y = x[x > 0]
    return y.shape[0] == 3, y.shape[0], y.shape


def _apart(x):
    y = x[x > 0]
    (n,) = y.shape
    return n + 1, n / 2, len(y.shape), y.shape == (3,), (3,) == y.shape, y.shape != (3,), (*y.shape, 2)


def _choice(x):
    y = x[x > 0]
    if y.shape[0] > 2:
        return y.sum()
    return y.sum() * 100.0


def _loop(x):
    y = x[x > 0]
    total = 0.0
    for i in range(y.shape[0]):
        total += y[i] * i
    return total


def _arrays(x):
    y = x[x > 0]
    return np.zeros(y.shape), np.ones((y.shape[0], 2)), y.reshape(y.shape[0], 1), np.reshape(y, (1, *y.shape))


def _mean(x):
    y = x[x > 0]
    return y.sum() / y.shape[0]


def _equal(x):
    y, z = x[x > 0], x[x < 0]
    if y.shape == z.shape:
        return y + z
    return y


def _through_a_loop(x):
    shape = x.shape
    for i in range(3):
        shape = x[x > i].shape
    return shape


def _rows(x):
    y = np.stack([x, x])[:, x > 0]
    rows, columns = y.shape
    return rows, columns, y.shape[1:], y.shape[-1] * rows, y.size


PROGRAMS = [_read, _apart, _choice, _loop, _arrays, _mean, _through_a_loop, _rows]


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return np.asarray(value).tolist()


def _check(found: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            _check(one, other)
    else:
        assert found == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("length", [0, 1, 4, 7])
def test_lengths_are_those_of_numpy(program, length):
    staged = gw.function(program)
    for seed in range(2):
        x = np.random.default_rng([length, seed]).normal(size=length)
        with np.errstate(all="ignore"):
            _check(_plain(staged(x)), _plain(program(x)))


@pytest.mark.parametrize("x", [[1.0, -1.0], [1.0, 2.0, -3.0]])
def test_shapes_are_compared_when_the_graph_runs(x):
    staged, x = gw.function(_equal, input_signature=[gw.TensorSpec([None], gw.float64)]), np.array(x)
    if (x > 0).sum() == (x < 0).sum():
        assert staged(x).numpy().tolist() == _equal(x).tolist()


def test_a_shape_is_written_when_the_graph_runs(capfd):
    @gw.function
    def f(x):
        y = x[x > 0]
        print(y.shape, y.shape[0])
        return y

    f(np.array([1.0, 2.0, -1.0]))
    assert capfd.readouterr().out == "(2,) 2\n"


def test_what_must_be_known_while_tracing_is_none():
    @gw.function
    def f(x):
        shape = x[x > 0].shape
        assert shape.as_list() == [None] and shape.rank == 1 and shape.num_elements() is None
        assert not shape.is_fully_defined() and isinstance(shape, gw.TensorShape)
        return shape[0]

    assert f(np.ones(3)) == 3


def test_random_expressions_of_shapes():
    """Expressions over the shape of a filtered matrix answer as NumPy does."""
    choose = random.Random(5)
    atoms = ["s[0]", "s[1]", "s[-1]", "len(s)", "s[0] * s[1]", "y.size", "y.shape[0]", "len(y)", "3"]
    tests = [
        "{} == {}",
        "{} < {}",
        "{} + {}",
        "{} - {}",
        "max({}, {})",
        "{} // ({} + 1)",
        "({} and {})",
        "[{}, {}]",
    ]
    for _ in range(60):
        text = choose.choice(tests).format(choose.choice(atoms), choose.choice(atoms))
        source = f"def f(x, m):\n    y = x[m]\n    s = y.shape\n    return {text}\n"
        program = _defined(source)
        staged = gw.function(program)
        for rows in (0, 2, 3):
            x, m = np.ones((4, 3)), np.arange(4) < rows
            assert _plain(staged(x, m)) == _plain(program(x, m)), source


def _defined(source: str) -> Any:
    import linecache

    name = f"<shape {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), space)
    return space["f"]


def test_texts_of_shapes_are_made_when_the_graph_runs():
    @gw.function
    def f(x):
        y = x[x > 0]
        if y.shape[0] < 2:
            raise ValueError(f"too short: {y.shape}")
        return y

    with pytest.raises(ValueError, match=r"too short: \(1,\)"):
        f(np.array([1.0, -1.0]))


@pytest.mark.parametrize(
    "text",
    ["str(y.shape)", "1 if f'{y.shape}' == '(2,)' else 2", "f'{[y[0]]}' == ''"],
)
def test_texts_are_not_compared_while_tracing(text):
    program = _defined(f"def f(x):\n    y = x[x > 0]\n    return {text}\n")
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW116"):
        gw.function(program)(np.array([1.0, 2.0, -1.0]))


@pytest.mark.parametrize("text", ["{y.shape: 5}", "{y.shape, (2,)}", "hash(y.shape)", "{}.get(y.shape, 0)"])
def test_shapes_that_only_the_run_knows_are_no_keys(text):
    program = _defined(f"def f(x):\n    y = x[x > 0]\n    return len([{text}])\n")
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="GW106"):
        gw.function(program)(np.array([1.0, 2.0, -1.0]))


def test_the_type_of_a_shape_is_the_public_one():
    program = _defined("def f(x):\n    y = x[x > 0]\n    return y, type(y.shape).__name__\n")
    assert gw.function(program)(np.array([1.0, -1.0]))[1] == "TensorShape"


@pytest.mark.parametrize(
    "text",
    ["np.linspace(0, 1, y.shape[0])", "np.broadcast_to(1.0, y.shape)", "np.array_split(x, y.shape[0])"],
)
def test_what_must_be_known_is_refused_at_the_users_line(text):
    program = _defined(f"def f(x):\n    y = x[x > 0]\n    return {text}\n")
    with pytest.raises(Exception, match="return np") as found:
        gw.function(program)(np.array([1.0, 2.0, -1.0]))
    assert "numpy/" not in str(found.value)
