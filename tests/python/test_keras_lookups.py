"""Layers with vocabularies: those that are given and those of data, back and forth, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers


def test_vocabularies_of_data():
    layer = layers.StringLookup(max_tokens=4)
    layer.adapt(np.array(["a", "b", "b", "c", "c", "d"]))
    assert layer.get_vocabulary() == ["[UNK]", "c", "b", "d"]
    batches = layers.IntegerLookup()
    batches.adapt(gw.data.Dataset.from_tensor_slices(np.array([3, 7, 7, 1, 3, 3])).batch(2))
    assert batches.get_vocabulary() == [-1, 3, 7, 1] and batches.vocabulary_size() == 4
    assert batches(gw.constant([7, 9])).numpy().tolist() == [2, 0]


def test_there_and_back():
    there = layers.StringLookup(vocabulary=["a", "b"], mask_token="")
    back = layers.StringLookup(vocabulary=["a", "b"], mask_token="", invert=True)
    assert there.get_vocabulary() == ["", "[UNK]", "a", "b"] == back.get_vocabulary()
    assert back.get_vocabulary(include_special_tokens=False) == ["a", "b"]
    staged = gw.function(lambda x: back(there(x)))
    for _ in range(2):
        assert staged(gw.constant(["b", "z", ""])).numpy().tolist() == [b"b", b"[UNK]", b""]


def test_vocabularies_of_files(tmp_path):
    (tmp_path / "words").write_text("red\ngreen\n", encoding="utf-8")
    layer = layers.StringLookup(vocabulary=str(tmp_path / "words"))
    assert layer(gw.constant(["green"])).numpy().tolist() == [2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: layers.StringLookup(vocabulary=["a", "a"]), "more than once"),
        (lambda: layers.StringLookup(vocabulary=["a", "b"], max_tokens=2), "more than 2"),
        (lambda: layers.StringLookup()(gw.constant(["a"])), "has no vocabulary"),
        (lambda: layers.StringLookup(num_oov_indices=3), "`num_oov_indices` is 3"),
        (lambda: layers.StringLookup(output_mode="tf_idf"), "`output_mode` is 'tf_idf'"),
        (lambda: layers.StringLookup(invert=True, output_mode="count"), "needs `output_mode='int'`"),
        (
            lambda: layers.IntegerLookup(num_oov_indices=0, vocabulary=[1])(gw.constant([2])),
            "not in the vocab",
        ),
    ],
)
def test_wrong_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
