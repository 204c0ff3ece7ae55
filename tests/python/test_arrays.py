"""Functions that are made of others: NumPy's results eagerly, staged and with unknown lengths, and their derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphwright as gw
from derivatives import numbers

BOX, SQUARES, ROW = numbers(3, 4, 2), numbers(2, 3, 3), numbers(4)

SAME = {
    "identity": (gw.identity, lambda x: x, BOX),
    "linspace": (
        lambda a, b: gw.linspace(a, b, 4, axis=1),
        lambda a, b: np.linspace(a, b, 4, axis=1),
        BOX,
        BOX + 1,
    ),
    "linspace behind": (
        lambda a, b: gw.linspace(a, b, 3, axis=-1),
        lambda a, b: np.linspace(a, b, 3, axis=-1),
        BOX,
        -BOX,
    ),
    "tile": (lambda x: gw.tile(x, [2, 1, 3]), lambda x: np.tile(x, (2, 1, 3)), BOX),
    "repeat": (lambda x: gw.repeat(x, 2, axis=1), lambda x: np.repeat(x, 2, axis=1), BOX),
    "repeat all": (lambda x: gw.repeat(x, 3), lambda x: np.repeat(x, 3), BOX),
    "repeat each": (
        lambda x: gw.repeat(x, [1, 0, 2], axis=0),
        lambda x: np.repeat(x, [1, 0, 2], axis=0),
        BOX,
    ),
    "reverse": (lambda x: gw.reverse(x, [0, -1]), lambda x: x[::-1, :, ::-1], BOX),
    "roll": (lambda x: gw.roll(x, [1, -3], [0, 1]), lambda x: np.roll(x, [1, -3], [0, 1]), BOX),
    "split": (lambda x: gw.split(x, 2, axis=1), lambda x: np.split(x, 2, axis=1), BOX),
    "split by lengths": (lambda x: gw.split(x, [1, -1]), lambda x: np.split(x, [1]), BOX),
    "pad": (
        lambda x: gw.pad(x, [[1, 2], [0, 0], [3, 1]], constant_values=7),
        lambda x: np.pad(x, [[1, 2], [0, 0], [3, 1]], constant_values=7),
        BOX,
    ),
    "pad by reflection": (
        lambda x: gw.pad(x, [[1, 2], [2, 1], [1, 1]], "REFLECT"),
        lambda x: np.pad(x, [[1, 2], [2, 1], [1, 1]], "reflect"),
        BOX,
    ),
    "pad with the edge": (
        lambda x: gw.pad(x, [[1, 2], [2, 1], [1, 2]], "symmetric"),
        lambda x: np.pad(x, [[1, 2], [2, 1], [1, 2]], "symmetric"),
        BOX,
    ),
    "pad far by reflection": (
        lambda x: gw.pad(x, [[7, 9], [0, 0], [0, 3]], "REFLECT"),
        lambda x: np.pad(x, [[7, 9], [0, 0], [0, 3]], "reflect"),
        BOX,
    ),
    "meshgrid": (gw.meshgrid, np.meshgrid, ROW, ROW[:3], ROW[:2]),
    "meshgrid by rows": (
        lambda *rows: gw.meshgrid(*rows, indexing="ij"),
        lambda *rows: np.meshgrid(*rows, indexing="ij"),
        ROW,
        ROW[:3],
    ),
    "cumsum": (lambda x: gw.cumsum(x, 1), lambda x: np.cumsum(x, 1), BOX),
    "cumsum backwards": (lambda x: gw.cumsum(x, reverse=True), lambda x: np.cumsum(x[::-1], 0)[::-1], BOX),
    "cumsum before": (lambda x: gw.cumsum(x, exclusive=True), lambda x: np.cumsum(x, 0) - x, BOX),
    "cumprod": (lambda x: gw.math.cumprod(x, -1), lambda x: np.cumprod(x, -1), BOX),
    "matrix_transpose": (gw.linalg.matrix_transpose, lambda x: np.swapaxes(x, 1, 2), BOX),
    "matvec": (gw.linalg.matvec, lambda a, x: (a @ x[..., None])[..., 0], BOX, BOX[:, 0, :]),
    "diag_part": (gw.linalg.diag_part, lambda x: np.diagonal(x, axis1=1, axis2=2), BOX),
    "diag": (gw.linalg.diag, lambda x: np.stack([np.diag(row) for row in x]), BOX[0]),
    "trace": (gw.linalg.trace, lambda x: np.trace(x, axis1=1, axis2=2), SQUARES),
    "band_part": (lambda x: gw.linalg.band_part(x, -1, 0), np.tril, BOX),
    "band_part above": (lambda x: gw.linalg.band_part(x, 0, 1), lambda x: np.triu(np.tril(x, 1)), BOX),
    "norm": (gw.norm, lambda x: np.sqrt((x * x).sum()), BOX),
    "norm 1": (lambda x: gw.norm(x, 1, -1), lambda x: np.linalg.norm(x, 1, -1), BOX),
    "norm 3": (lambda x: gw.norm(x, 3.0, 0), lambda x: np.linalg.norm(x, 3, 0), BOX),
    "greatest": (lambda x: gw.norm(x, math.inf, 1), lambda x: np.linalg.norm(x, np.inf, 1), BOX),
    "norm of columns": (lambda x: gw.norm(x, 1, [-2, -1]), lambda x: np.linalg.norm(x, 1, (-2, -1)), BOX),
    "norm of rows": (
        lambda x: gw.norm(x, math.inf, [-2, -1], keepdims=True),
        lambda x: np.linalg.norm(x, np.inf, (-2, -1), keepdims=True),
        BOX,
    ),
    "cross": (gw.linalg.cross, np.cross, SQUARES[0], SQUARES[1]),
    "tensordot": (lambda x, y: gw.tensordot(x, y, 1), lambda x, y: np.tensordot(x, y, 1), BOX, BOX[0].T),
    "tensordot of axes": (
        lambda x, y: gw.tensordot(x, y, [[0, 1], [0, 1]]),
        lambda x, y: np.tensordot(x, y, [[0, 1], [0, 1]]),
        BOX,
        BOX,
    ),
    "reduce_logsumexp": (
        lambda x: gw.reduce_logsumexp(x * 900.0, [0, 2]),
        lambda x: np.logaddexp.reduce(np.logaddexp.reduce(x * 900.0, 2), 0),
        BOX,
    ),
    "reduce_variance": (lambda x: gw.math.reduce_variance(x, 1), lambda x: np.var(x, 1), BOX),
    "reduce_std": (gw.math.reduce_std, np.std, BOX),
    "l2_normalize": (
        lambda x: gw.nn.l2_normalize(x, 1),
        lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)),
        BOX,
    ),
    "squared_difference": (gw.squared_difference, lambda x, y: (x - y) ** 2, BOX, BOX[0]),
    "reciprocal": (gw.math.reciprocal, lambda x: 1 / x, BOX),
    "softplus": (lambda x: gw.nn.softplus(x - 1.0), lambda x: np.log1p(np.exp(x - 1.0)), BOX),
}

SUMS = {
    "ij,jk->ik": (SQUARES[0], SQUARES[1]),
    "bij,bjk->bik": (SQUARES, SQUARES),
    "ii->": (SQUARES[0],),
    "ii->i": (SQUARES[0],),
    "bii->b": (SQUARES,),
    "...ij->...ji": (BOX,),
    "bij,bkj->bik": (BOX, BOX),
    "i,j->ij": (ROW, BOX[0, 0]),
    "i,i": (ROW, ROW),
    "...ij,jk": (BOX, SQUARES[0, :2]),
    "abc,cd,de->abe": (BOX, BOX[0].T, BOX[0]),
    "ba": (BOX[0],),
    "bij,bij->b": (BOX, BOX),
    "...i,i->...": (BOX, BOX[0, 0]),
    "ij,k->j": (BOX[0], ROW),
    " i j , j -> i ": (SQUARES[0], SQUARES[0, 0]),
}
for equation, operands in SUMS.items():
    SAME[f"einsum {equation}"] = (
        lambda *args, equation=equation: gw.einsum(equation, *args),
        lambda *args, equation=equation: np.einsum(equation, *args),
        *operands,
    )


def agree(found, wanted):
    """Lists of arrays or arrays."""
    if not isinstance(wanted, (list, tuple)):
        found, wanted = [found], [wanted]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SAME)
def test_means_what_it_means_in_numpy(name):
    call, meaning, *args = SAME[name]
    wanted = meaning(*args)
    tensors = [gw.constant(arg) for arg in args]
    unknown = [gw.TensorSpec([None] * arg.ndim, arg.dtype) for arg in args]
    agree(call(*tensors), wanted)
    agree(gw.function(call)(*tensors), wanted)
    agree(gw.function(call, input_signature=unknown)(*tensors), wanted)


@pytest.mark.parametrize("name", SAME)
def test_has_the_derivative_that_differences_have(name):
    call, meaning, *args = SAME[name]
    results = meaning(*args)
    weights = [
        numbers(*np.shape(one)) for one in (results if isinstance(results, (list, tuple)) else [results])
    ]

    def weighed(first):
        found = call(first, *args[1:])
        found = found if isinstance(found, (list, tuple)) else [found]
        return sum(gw.reduce_sum(one * weight) for one, weight in zip(found, weights, strict=True))

    direction, step = numbers(*args[0].shape), 1e-6
    gradient = gw.function(gw.grad(weighed))(gw.constant(args[0]))
    ahead, behind = (float(weighed(gw.constant(args[0] + side * step * direction))) for side in (1, -1))
    slope = float(gw.reduce_sum(gradient * direction))
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-6)


def test_lengths_of_one_letter_are_compared_when_the_graph_runs():
    spec = gw.TensorSpec([None, None, None], gw.float64)
    product = gw.function(lambda x, y: gw.einsum("ijk,jil->kl", x, y), input_signature=[spec, spec])
    with pytest.raises(ValueError):
        product(gw.ones([2, 6, 1], gw.float64), gw.ones([3, 4, 1], gw.float64))


def test_eye_and_counts():
    assert np.array_equal(gw.eye(2, 3), np.eye(2, 3))
    assert np.array_equal(gw.eye(2, batch_shape=[3], dtype=gw.int32), [np.eye(2)] * 3)
    assert gw.eye(2).dtype == gw.float32
    assert np.array_equal(gw.math.count_nonzero([[1, 0], [2, 3]], axis=0), [2, 1])
    assert gw.math.count_nonzero([1.0, 0.0, -0.0]).dtype == gw.int64


def test_linspace_ends_where_it_is_told():
    assert gw.linspace(0.1, 0.7, 7)[-1] == gw.constant(0.7, gw.linspace(0.1, 0.7, 7).dtype)
    assert gw.linspace(3.0, 5.0, 1).numpy().tolist() == [3.0]
    assert gw.linspace(1e30, 0.1, 3)[-1] == gw.linspace(0.1, 0.1, 1)[0]


@pytest.mark.parametrize("parts", [2, [1, 1], [4, -1]])
def test_pieces_that_do_not_fit_fail_when_the_length_is_known(parts):
    split = gw.function(lambda x: gw.split(x, parts), input_signature=[gw.TensorSpec([None])])
    with pytest.raises(ValueError):
        split(gw.constant([1.0, 2.0, 3.0]))


def test_identity_is_a_tensor_of_its_own():
    x = gw.constant([1.0, 2.0])
    y = gw.identity(x)
    y[0] = 5.0
    assert (x[0], y[0]) == (1.0, 5.0)


def test_extremes_do_not_overflow():
    assert gw.reduce_logsumexp([1e4, 1e4]) == pytest.approx(1e4 + math.log(2.0))
    assert gw.reduce_logsumexp([-math.inf, -math.inf]) == -math.inf
    assert gw.reduce_logsumexp([math.inf, 0.0]) == math.inf
    assert gw.nn.softplus([-1e4, 0.0, 1e4]).numpy().tolist() == pytest.approx([0.0, math.log(2.0), 1e4])
    assert gw.grad(gw.nn.softplus)(gw.constant(0.0)) == 0.5


WRONG = {
    "a number of multiples": (lambda x: gw.tile(x, [2]), "`multiples` has 1 numbers for 3 axes"),
    "an axis": (lambda x: gw.cumsum(x, 3), "`axis` is 3: a tensor of shape (3, 4, 2) has axes -3 to 2"),
    "an uneven split": (
        lambda x: gw.split(x, 2),
        "an axis of length 3 cannot be split into 2 pieces of one length",
    ),
    "lengths that leave something": (
        lambda x: gw.split(x, [1, 1]),
        "an axis of length 3 cannot be split into pieces of lengths [1, 1]",
    ),
    "lengths that want more": (
        lambda x: gw.split(x, [4, -1]),
        "cannot be split into pieces of lengths [4, -1]",
    ),
    "two lengths of one letter": (
        lambda x: gw.einsum("ijk,jik->k", x, x),
        "axes with the letter",
    ),
    "a mode": (lambda x: gw.pad(x, [[1, 1]] * 3, "edge"), "`mode` is 'edge'"),
    "paddings": (lambda x: gw.pad(x, [[1, 1]]), "`paddings` has 1 rows for 3 axes"),
    "indexing": (lambda x: gw.meshgrid(x, indexing="yx"), "`indexing` is 'yx'"),
    "a norm": (lambda x: gw.norm(x, 3, [0, 1]), "`ord` is 3"),
    "too few inputs": (lambda x: gw.einsum("ijk,k->i", x), "is of 2 tensors, and 1 are given"),
    "too few letters": (
        lambda x: gw.einsum("ij->i", x),
        "'ij' in the equation 'ij->i' is given a tensor of 3 axes",
    ),
    "an unknown letter": (
        lambda x: gw.einsum("ijk->l", x),
        "wants each of its letters once, and in an input",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_says_what_does_not_fit(name):
    call, message = WRONG[name]
    with pytest.raises(ValueError) as caught:
        call(gw.constant(BOX))
    assert message in str(caught.value)


def test_a_known_length_stays_known():
    shapes = []

    @gw.function(input_signature=[gw.TensorSpec([4, None])])
    def look(x):
        rows, columns = gw.shape(x)[0], gw.shape(x)[-1]
        made = gw.reshape(x, [rows, -1, 1]), gw.zeros([rows, columns]), gw.broadcast_to(x, [2, rows, columns])
        shapes.extend(tuple(one.shape.as_list()) for one in made)
        return made

    found = look(gw.ones([4, 3]))
    assert shapes == [(4, None, 1), (4, None), (2, 4, None)]
    assert [tuple(one.shape) for one in found] == [(4, 3, 1), (4, 3), (2, 4, 3)]


def test_lengths_before_a_zero_may_be_of_any_size():
    far = 2**40
    ways = [
        lambda n: gw.zeros((n, n, 0)),
        lambda n: gw.reshape(gw.zeros((0,)), [n, n, 0]),
        lambda n: np.broadcast_to(gw.zeros((1, 1, 0)), (n, n, 0)),
        lambda n: gw.zeros((0, n, n)),
    ]
    for way in ways:
        staged = gw.function(way)
        for found in (way(far), staged(far), staged(gw.constant(far))):
            assert 0 in tuple(found.shape) and list(found.shape).count(far) == 2
    with pytest.raises(MemoryError):
        gw.zeros((far, far))
