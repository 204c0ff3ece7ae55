"""The page of TensorFlow's names, records of `Example`, and the settings that are harmless."""

from __future__ import annotations

import operator
import re

import numpy as np
import pytest
from website import tensorflow_names

import graphwright as gw


def test_the_page_is_as_written():
    assert tensorflow_names.PAGE.read_text(encoding="utf-8") == tensorflow_names.page(), "run the script"


def test_nine_of_ten_uses_in_guides_are_there():
    assert tensorflow_names.share() >= 0.9


def test_uses_in_examples_are_there():
    assert tensorflow_names.share_of_examples() >= 0.9


def test_parts_without_a_meaning_hold_nothing_that_is_there():
    for counts in tensorflow_names.examples().values():
        assert [
            name for name in counts if tensorflow_names.left_out(name) and tensorflow_names.is_present(name)
        ] == []


def test_names_of_examples_are_counted():
    from website import tensorflow_examples

    doc = """Adds.

    >>> x = tf.constant([1.0])
    >>> tf.nn.relu(tf.constant(x.numpy())).shape
    TensorShape([1])

    ```python
    keras.layers.Dense(3)(tf.ones([2, 2]))
    ```
    """
    named = [
        {name for block in blocks(doc) for name in tensorflow_examples.chains(block)}
        for blocks in (tensorflow_examples.prompts, tensorflow_examples.fenced)
    ]
    assert named == [{"tf.constant", "tf.nn.relu"}, {"tf.keras.layers.Dense", "tf.ones"}]
    assert tensorflow_examples.public("tf.nn.relu.__name__", gw) == "tf.nn.relu"
    assert tensorflow_examples.public("tf.nn.no_such_name", gw) is None


def test_each_absent_name_has_a_remedy_that_exists():
    tables = [tensorflow_names.missing(), tensorflow_names.absent_of_examples()]
    for line in (line for table in tables for line in table.splitlines()[2:]):
        instead = line.split("|")[3]
        for name in re.findall(r"`(gw(?:\.\w+)+)", instead):
            assert tensorflow_names.is_present(name.replace("gw.", "tf.", 1)), name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nn.ctc_greedy_decoder", "compute it on the host: `gw.py_function`"),
        ("nn.lgamma", "use `gw.math.lgamma`"),
        ("saved_model", "keep variables by `gw.train.Checkpoint`"),
        ("math.relu", "use `gw.nn.relu`"),
        ("keras.layers.TextVectorization", "use `gw.strings.split`"),
        ("linalg.no_such_name", "has no attribute 'no_such_name'$"),
    ],
)
def test_absent_names_say_what_to_use(name, message):
    with pytest.raises(AttributeError, match=message):
        operator.attrgetter(name)(gw)


#: Records as TensorFlow writes them.
RECORDS = [
    (
        "a",
        gw.int64,
        [3, -4, 300],
        b"\n\x18\n\x16\n\x01a\x12\x11\x1a\x0f\n\r\x03\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02",
    ),
    ("b", gw.float32, [0.5, -2.0], b"\n\x13\n\x11\n\x01b\x12\x0c\x12\n\n\x08\x00\x00\x00?\x00\x00\x00\xc0"),
    ("c", gw.string, [b"hi", b""], b"\n\x0f\n\r\n\x01c\x12\x08\n\x06\n\x02hi\n\x00"),
]
LISTS = {gw.int64: "int64_list", gw.float32: "float_list", gw.string: "bytes_list"}
KINDS = {gw.int64: gw.train.Int64List, gw.float32: gw.train.FloatList, gw.string: gw.train.BytesList}


@pytest.mark.parametrize(("name", "dtype", "values", "content"), RECORDS)
def test_records_are_tensorflows(name, dtype, values, content):
    feature = gw.train.Feature(**{LISTS[dtype]: KINDS[dtype](value=values)})
    assert gw.train.Example(gw.train.Features({name: feature})).SerializeToString() == content
    features = {name: gw.io.FixedLenFeature([len(values)], dtype)}

    @gw.function
    def staged(records):
        return gw.io.parse_example(records, features)[name]

    for _ in range(2):
        assert staged(gw.constant([content, content])).numpy().tolist() == [values, values]
    assert gw.io.parse_single_example(content, features)[name].numpy().tolist() == values
    varying = gw.io.parse_example([content], {name: gw.io.VarLenFeature(dtype)})[name]
    assert gw.sparse.to_dense(varying).numpy().tolist() == [values]


def test_records_without_a_feature():
    content = RECORDS[0][3]
    usual = gw.io.FixedLenFeature([2], gw.float32, default_value=[1.0, 2.0])
    assert gw.io.parse_single_example(content, {"none": usual})["none"].numpy().tolist() == [1.0, 2.0]
    for features, message in [
        ({"none": gw.io.FixedLenFeature([], gw.int64)}, "`none` is missing"),
        ({"a": gw.io.FixedLenFeature([2], gw.int64)}, "`a` has 3 values, not 2"),
        ({"a": gw.io.FixedLenFeature([3], gw.float32)}, "`a` holds no float32"),
    ]:
        with pytest.raises(gw.errors.InvalidArgumentError, match=message):
            gw.io.parse_single_example(content, features)
    for at in range(1, len(content)):
        with pytest.raises(gw.errors.InvalidArgumentError):
            gw.io.parse_single_example(content[:at], {"a": gw.io.FixedLenFeature([3], gw.int64)})


def test_shapes_are_asserted():
    @gw.function(input_signature=[gw.TensorSpec([None, 2]), gw.TensorSpec([None])])
    def judged(x, y):
        gw.debugging.assert_shapes([(x, ("n", 2)), (y, ("n",))], message="rows")
        return gw.reduce_sum(x) + gw.reduce_sum(y)

    assert judged(gw.ones([3, 2]), gw.ones([3])).item() == 9.0
    with pytest.raises(gw.errors.InvalidArgumentError, match="rows"):
        judged(gw.ones([3, 2]), gw.ones([4]))
    with pytest.raises(ValueError, match="must have rank 1"):
        gw.debugging.assert_shapes([(gw.ones([3, 2]), ("n",))])
    with pytest.raises(ValueError, match="must have the length 3 along axis 1"):
        gw.debugging.assert_shapes([(gw.ones([3, 2]), (None, 3))])


def test_batches_of_another_size():
    batches = gw.data.Dataset.range(7).batch(3)

    @gw.function
    def sizes(dataset):
        found = []
        for batch in dataset:
            found.append(gw.size(batch))
        return gw.stack(found)

    assert sizes(batches.rebatch(2)).numpy().tolist() == [2, 2, 2, 1]
    assert sizes(batches.rebatch(4, drop_remainder=True)).numpy().tolist() == [4]
    with pytest.raises(TypeError, match="a `gw.data.Options` is wanted"):
        batches.with_options(3)


def test_settings_of_one_device():
    for device in gw.config.list_physical_devices("CPU"):
        gw.config.experimental.set_memory_growth(device, True)
    gw.config.set_visible_devices([], "GPU")
    with pytest.raises(ValueError, match="no device"):
        gw.config.experimental.set_memory_growth("GPU:0", True)
    with pytest.raises(TypeError):
        gw.random.set_global_generator(3)
    generator = gw.random.Generator.from_seed(5)
    gw.random.set_global_generator(generator)
    first = gw.random.get_global_generator().normal([3]).numpy()
    assert not np.array_equal(first, gw.random.get_global_generator().normal([3]).numpy())


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_that_is_no_class_is_refused(label):
    def loss(labels, logits):
        return gw.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    for way in (loss, gw.function(loss)):
        with pytest.raises(ValueError, match="label"):
            way(gw.constant([label]), gw.constant([[1.0, 2.0, 3.0]]))


def _split(texts):
    return gw.strings.split(texts)


def _parsed(records):
    return gw.io.parse_example(records, {"a": gw.io.VarLenFeature(gw.int64)})


@pytest.mark.parametrize("function", [_split, _parsed])
def test_rows_of_several_lengths_are_refused_at_the_line_of_a_graph(function):
    with pytest.raises(TypeError, match=r"GW120(?s:.)*return gw\."):
        gw.function(function)(gw.constant(["a b", "c"]))
