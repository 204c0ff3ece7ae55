"""Tensors of torch: taken and given without a copy, refused where they have no elements, and not searched for changes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphwright as gw

torch = pytest.importorskip("torch", reason="torch takes 5 GB of disk with what it needs")


def test_elements_are_shared_both_ways():
    given = torch.zeros(2, 3)
    taken = gw.from_dlpack(given)
    given[1, 2] = 7.0
    assert taken.numpy()[1, 2] == 7.0
    tensor = gw.constant([1.0, 2.0])
    assert torch.from_dlpack(tensor).data_ptr() == np.asarray(tensor).ctypes.data


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint16", "bool", "complex64"],
)
def test_dtypes_and_elements_arrive(dtype):
    given = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype))
    for one in (given, given.T, given[:, ::2]):
        taken = gw.constant(one)
        assert taken.dtype.name == dtype
        np.testing.assert_array_equal(taken.numpy(), one.numpy())
    back = torch.from_dlpack(gw.constant(given))
    assert back.dtype == given.dtype and torch.equal(back, given)


@gw.function
def squares(x):
    total = 0.0
    for row in x:
        if gw.reduce_sum(row) > 4.0:
            total = total + gw.reduce_sum(row * row)
    return total


def test_methods_of_arguments_would_not_be_those_of_torch():
    for given in (torch.ones(3), [torch.ones(3)], {"x": torch.ones(3)}):
        with pytest.raises(TypeError, match="GW301: an argument is a `Tensor` of torch"):
            gw.function(lambda x: x)(given)


def test_constants_captures_and_operands():
    given = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    assert squares(gw.constant(given)).numpy() == 50.0
    assert squares(gw.constant(given.T)).numpy() == 46.0
    captured = gw.function(lambda x: gw.matmul(gw.constant(given), x))
    assert captured(gw.ones([3, 1])).tolist() == [[3.0], [12.0]]
    assert (gw.constant([1.0, 2.0]) + torch.tensor([3.0, 4.0])).tolist() == [4.0, 6.0]
    rows = gw.data.Dataset.from_tensor_slices(given)
    assert [row.tolist() for row in rows] == given.tolist()


def test_the_objects_of_torch_are_not_searched():
    given = torch.ones(3)

    def scaled(x):
        return x * gw.constant(given)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gw.function(scaled)(gw.constant([1.0, 2.0, 3.0])).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: torch.ones(2, requires_grad=True), "detach"),
        (lambda: torch.ones(2, device="meta"), "cannot become a tensor"),
        (lambda: torch.eye(2).to_sparse(), "cannot become a tensor"),
        (lambda: torch.tensor([1 + 2j]).conj(), "conjugate"),
        (lambda: torch.ones(2, dtype=torch.bfloat16), "x.float()"),
        (lambda: torch.ones(2, dtype=torch.float8_e4m3fn), "cannot become a tensor"),
    ],
)
def test_what_has_no_elements_is_refused(make, text):
    with pytest.raises(TypeError, match="GW301") as caught:
        gw.constant(make())
    assert text in str(caught.value)
