"""Strings, files, images, tables and random numbers under TensorFlow's names, eagerly and in graphs."""

from __future__ import annotations

import io

import numpy as np
import pytest

import graphwright as gw


def both(call, *operands):
    """The result of a call eagerly, and those of its graph in two calls."""
    found = call(*operands)
    staged = gw.function(call)
    for _ in range(2):
        again = staged(*operands)
        for one, other in zip(leaves(found), leaves(again), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one.numpy(), other.numpy())
    return found


def leaves(value):
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def listed(value):
    return np.asarray(value.numpy(), object).tolist()


WORDS = gw.constant(["hello", "wide world", ""])


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda x: gw.strings.strip(gw.strings.join([" ", x, " "])), [b"hello", b"wide world", b""]),
        (lambda x: gw.strings.regex_replace(x, "([a-z])o", r"<\1>"), [b"hel<l>", b"wide <w>rld", b""]),
        (lambda x: gw.strings.regex_replace(x, "[a-z]", "-", False), [b"-ello", b"-ide world", b""]),
        (lambda x: gw.strings.regex_full_match(x, "[a-z]*"), [True, False, True]),
        (lambda x: gw.strings.substr(x, 0, 4), [b"hell", b"wide", b""]),
        (lambda x: gw.strings.as_string(gw.strings.length(x)), [b"5", b"10", b"0"]),
        (lambda x: gw.strings.reduce_join(x, separator="|"), b"hello|wide world|"),
        (lambda x: gw.strings.to_number(gw.strings.as_string(gw.strings.length(x)), gw.int64), [5, 10, 0]),
    ],
)
def test_strings(call, wanted):
    assert listed(both(call, WORDS)) == wanted


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [({}, b"3.141593"), ({"precision": 2}, b"3.14"), ({"precision": 1, "width": 6, "fill": "0"}, b"0003.1")],
)
def test_numbers_as_strings(arguments, wanted):
    assert gw.strings.as_string(gw.constant(3.14159265), **arguments).numpy() == wanted


def test_what_is_no_number_is_said():
    for call in (gw.strings.to_number, gw.function(lambda x: gw.strings.to_number(x))):
        with pytest.raises(gw.errors.InvalidArgumentError, match="'one' is no number"):
            call(gw.constant(["1", "one"]))
    with pytest.raises(ValueError, match="no regular expression"):
        gw.strings.regex_replace(WORDS, "(", "")


def pixels(channels, dtype=np.uint8):
    most = np.iinfo(dtype).max
    return np.random.default_rng(3).integers(0, most, (7, 5, channels), endpoint=True).astype(dtype)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_keeps_all_elements(channels, dtype):
    image = pixels(channels, dtype)
    back = both(lambda x: gw.io.decode_png(gw.io.encode_png(x), dtype=dtype.__name__), gw.constant(image))
    np.testing.assert_array_equal(back.numpy(), image)


def test_png_and_jpeg_are_those_of_others():
    pillow = pytest.importorskip("PIL.Image")
    image = np.tile(np.arange(0, 240, 8, np.uint8)[:, None, None], (1, 30, 3))
    for form, bound in (("PNG", 0), ("JPEG", 6)):
        file = io.BytesIO()
        pillow.fromarray(image).save(file, form, **({"quality": 95} if form == "JPEG" else {}))
        ours = gw.io.decode_image(file.getvalue()).numpy().astype(int)
        theirs = np.asarray(pillow.open(io.BytesIO(file.getvalue()))).astype(int)
        assert np.abs(ours - theirs).max() <= bound
        written = gw.io.encode_png(image) if form == "PNG" else gw.io.encode_jpeg(image)
        read = np.asarray(pillow.open(io.BytesIO(written.numpy()))).astype(int)
        assert np.abs(read - image).max() <= bound


@pytest.mark.parametrize("cut", [0, 1, 8, 20, 60])
def test_corrupt_images_are_refused(cut):
    file = gw.io.encode_png(pixels(3)).numpy()[:cut]
    for call in (gw.io.decode_png, gw.function(lambda x: gw.io.decode_png(x))):
        with pytest.raises(gw.errors.InvalidArgumentError, match="does not read the image"):
            call(gw.constant(file))


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int32", "uint8", "int64", "bool", "string", "float16"]
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_serialized_tensors_come_back(dtype, shape):
    count = int(np.prod(shape))
    whole = np.array([b"a\0", b"", b"c\xff"] * 2, object) if dtype == "string" else np.arange(6).astype(dtype)
    x = gw.constant(whole[:count].reshape(shape), dtype)
    file = both(gw.io.serialize_tensor, x)
    back = gw.io.parse_tensor(file, dtype)
    assert back.dtype == x.dtype and tuple(back.shape) == shape
    np.testing.assert_array_equal(back.numpy(), x.numpy())


@pytest.mark.parametrize(
    ("text", "dtype", "wanted"),
    [
        (" 1 ", "float32", 1.0),
        ("0x1p3", "float32", 8.0),
        ("1e400", "float64", np.inf),
        ("+7", "int32", 7),
        ("1_0", "float32", None),
        ("1_0", "int32", None),
        ("99999999999", "int32", None),
        ("1.0", "int32", None),
    ],
)
def test_numbers_of_texts(text, dtype, wanted):
    if wanted is None:
        with pytest.raises(gw.errors.InvalidArgumentError, match=f"is no number of {dtype}"):
            gw.strings.to_number(gw.constant(text), dtype)
    else:
        assert gw.strings.to_number(gw.constant(text), dtype).numpy() == wanted


@pytest.mark.parametrize("text", ["é", "a", "YT8+", "YQ=", "Y Q", "YT8-\n", "=", "YQ==YQ=="])
def test_other_letters_are_no_base64(text):
    with pytest.raises(gw.errors.InvalidArgumentError, match="is no base64"):
        gw.io.decode_base64(gw.constant(text))


def test_parts_up_to_the_end():
    parts = [gw.strings.substr(gw.constant("abc"), *part).numpy() for part in ((0, -1), (1, -2), (-2, -1))]
    assert parts == [b"abc", b"bc", b"bc"]


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        ([1.5, 2.25, -3.0], b"[1.5 2.25 -3]"),
        (["ab", 'q"u', "é\n"], '["ab" "q\\"u" "é\\n"]'.encode()),
        ([True, False], b"[1 0]"),
        (np.float32(1e-7), b"1e-07"),
        (1 / 3, b"0.333333343"),
        (np.float64(1 / 3), b"0.33333333333333331"),
        (np.arange(8), b"[0 1 2 ... 5 6 7]"),
        (np.arange(8).reshape(2, 2, 2), b"[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
        (np.zeros((0, 2)), b"[]"),
        ([np.inf, -np.inf, np.nan], b"[inf -inf nan]"),
    ],
)
def test_tensors_within_strings_are_tensorflows(x, wanted):
    assert both(lambda x: gw.strings.format("{}", [x]), gw.constant(x)).numpy() == wanted


def test_regular_expressions_are_those_of_re2():
    slow = gw.strings.regex_full_match(gw.constant("a" * 10_000), "(a+)+b")
    assert not slow.numpy()
    for text, pattern, rewrite, wanted in [
        ("axc", "x*", "-", "-a-c-"),
        ("axc", "", "-", "-a-x-c-"),
        ("aé٣x", r"\w", "-", "-é٣-"),
        ("a[b&c", "[[&]", "-", "a-b-c"),
        ("a b1", r"[\d\s]", "-", "a-b-"),
        ("aéc\n", ".", "-", "---\n"),
        ("É", "(?i)é", "-", "-"),
        ("a b", r"\b", "-", "-a- -b-"),
        ("]^-a", r"[]^a-]", r"\\\0", r"\]\^\-\a"),
        ("a:", "[[:alpha:]:]", "-", "--"),
    ]:
        assert gw.strings.regex_replace(gw.constant(text), pattern, rewrite).numpy() == wanted.encode()
    for pattern in ("a(?=b)", r"(a)\1", "(", "a)(b"):
        with pytest.raises(gw.errors.InvalidArgumentError, match="no regular expression"):
            gw.strings.regex_full_match(gw.constant("ab"), pattern)
    with pytest.raises(gw.errors.InvalidArgumentError, match="a group's number"):
        gw.strings.regex_replace(gw.constant("ab"), "(a)", r"\2")


def test_buckets_are_tensorflows():
    words = ["aXa", "aa", "", "x" * 5, "x" * 20, "x" * 40, "x" * 100]
    found = gw.strings.to_hash_bucket_fast(gw.constant(words), 1_000_003).numpy().tolist()
    assert found == [131790, 579386, 377723, 40416, 268677, 326595, 107918]


def test_widths_and_encodings_without_a_meaning():
    for options in ({"width": 2**31}, {"precision": 2**31}, {"fill": "x"}):
        with pytest.raises(gw.errors.InvalidArgumentError, match="`(width|precision|fill)` is"):
            gw.strings.as_string(gw.constant(1.5), **options)
    for call in (gw.strings.unicode_decode, gw.strings.unicode_split):
        with pytest.raises(gw.errors.InvalidArgumentError, match="no text in UTF-8"):
            call(gw.constant(b"\xff"), "UTF-8", "strict")
        with pytest.raises(gw.errors.InvalidArgumentError, match="no encoding"):
            call(gw.constant("a"), "UTF-99")


def test_serialized_tensors_have_their_shape_in_graphs():
    file = gw.io.serialize_tensor(gw.ones([3, 2]))
    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match="how many axes") as refused:
        gw.function(lambda text: gw.io.parse_tensor(text, gw.float32))(file)
    assert "shape=[None, 2]" in str(refused.value)
    back = both(lambda text: gw.io.parse_tensor(text, gw.float32, shape=[None, 2]), file)
    assert tuple(back.shape) == (3, 2)
    for shape in ([6], [3, 3]):
        call = gw.function(lambda text, shape=shape: gw.io.parse_tensor(text, gw.float32, shape=shape))
        with pytest.raises(gw.errors.InvalidArgumentError, match=r"the shape \[3, 2\], not"):
            call(file)


def test_serialized_tensors_are_tensorflows():
    found = gw.io.serialize_tensor(gw.constant([[1.0, 2.0]])).numpy()
    assert found == b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'


@pytest.mark.parametrize("at", range(0, 22, 3))
def test_corrupt_tensors_are_refused(at):
    file = gw.io.serialize_tensor(gw.constant([[1.0, 2.0]])).numpy()[:at]
    with pytest.raises(gw.errors.InvalidArgumentError, match="no tensor of float32"):
        gw.io.parse_tensor(file, gw.float32)


def test_tables_in_graphs():
    words = gw.lookup.KeyValueTensorInitializer(["a", "b"], gw.constant([0, 1], gw.int64))
    table = gw.lookup.StaticHashTable(words, -1)
    assert listed(both(table.lookup, gw.constant([["b", "x"], ["a", "a"]]))) == [[1, -1], [0, 0]]
    vocabulary = gw.lookup.StaticVocabularyTable(words, 3)
    found = listed(both(vocabulary.lookup, gw.constant(["b", "x", "y"])))
    assert found[0] == 1 and all(2 <= one < 5 for one in found[1:])
    with pytest.raises(TypeError, match="keys of the table are string, not int32"):
        table.lookup(gw.constant([1]))
    numbers = gw.lookup.StaticHashTable(gw.lookup.KeyValueTensorInitializer([1, 2], [10, 20]), -1)
    for lookup in (numbers.lookup, gw.function(lambda keys: numbers.lookup(keys))):
        with pytest.raises(
            TypeError, match=r"GW201: keys of the table are int32, not float32[\s\S]*gw\.cast"
        ):
            lookup(gw.constant([1.5]))


def test_devices_and_dependencies_are_checked():
    with gw.device("/device:CPU:0"), gw.control_dependencies([gw.constant(1)]), gw.control_dependencies(None):
        assert int(gw.tuple([gw.constant(2)])[0]) == 2
    with pytest.raises(gw.errors.InvalidArgumentError, match="no device '/GPU:0'"), gw.device("/GPU:0"):
        pass
    with pytest.raises(TypeError, match="a list of tensors"), gw.control_dependencies(3):
        pass


def test_files_in_graphs(tmp_path):
    path = str(tmp_path / "inner" / "file")

    @gw.function
    def copied(content):
        gw.io.write_file(path, content)
        return gw.io.read_file(path)

    assert copied(gw.constant("one")).numpy() == b"one"
    assert copied(gw.constant(b"\xff\0")).numpy() == b"\xff\0"
    with pytest.raises(FileNotFoundError):
        gw.io.read_file(str(tmp_path / "none"))


SEED = gw.constant([3, 4], gw.int64)


@pytest.mark.parametrize(
    ("draw", "mean", "variance"),
    [
        (lambda: gw.random.stateless_truncated_normal([20000], SEED, dtype=gw.float64), 0.0, 0.774),
        (
            lambda: gw.random.stateless_gamma([20000], SEED, alpha=2.5, beta=2.0, dtype=gw.float64),
            1.25,
            0.625,
        ),
        (lambda: gw.random.stateless_gamma([20000], SEED, alpha=0.4, dtype=gw.float64), 0.4, 0.4),
        (lambda: gw.random.stateless_poisson([20000], SEED, lam=3.0, dtype=gw.float64), 3.0, 3.0),
        (lambda: gw.random.stateless_poisson([20000], SEED, lam=90.0, dtype=gw.float64), 90.0, 90.0),
        (lambda: gw.random.stateless_poisson([20000], SEED, lam=0.0, dtype=gw.float64), 0.0, 0.0),
    ],
)
def test_distributions(draw, mean, variance):
    x = both(draw).numpy()
    assert abs(x.mean() - mean) < 5 * np.sqrt(variance / x.size) + 1e-9
    assert abs(x.var() - variance) <= 0.06 * variance


def test_categories_are_drawn_by_their_logits():
    logits = gw.constant(np.log([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-9]]))
    found = both(lambda x: gw.random.stateless_categorical(x, 20000, SEED), logits).numpy()
    shares = np.stack([np.bincount(row, minlength=3) for row in found]) / 20000
    np.testing.assert_allclose(shares, [[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]], atol=0.02)


def test_draws_differ_from_call_to_call_and_not_from_run_to_run():
    draws = gw.function(lambda: gw.random.categorical(gw.zeros([1, 1000]), 8))
    assert draws().numpy().tolist() != draws().numpy().tolist()
    gw.random.set_seed(5)
    first = gw.random.truncated_normal([4]).numpy().tolist()
    gw.random.set_seed(5)
    assert gw.random.truncated_normal([4]).numpy().tolist() == first


def test_samples_of_gamma_have_no_derivative_by_alpha():
    alpha, beta = gw.constant(2.0), gw.constant(3.0)
    with gw.GradientTape() as tape:
        tape.watch(beta)
        x = gw.random.stateless_gamma([], SEED, alpha, beta)
    assert abs(float(tape.gradient(x, beta)) + float(x) / 3.0) < 1e-6
    with gw.GradientTape() as tape:
        tape.watch(alpha)
        x = gw.random.stateless_gamma([], SEED, alpha, beta)
    assert tape.gradient(x, alpha) is None


def test_ragged_tensors_pass_through_graphs():
    rows = gw.ragged.constant([[1.0, 2.0], [], [3.0]])

    @gw.function
    def doubled(rows):
        return rows * 2.0 + 1.0

    for _ in range(2):
        assert doubled(rows).to_list() == [[3.0, 5.0], [], [7.0]]
    with gw.GradientTape() as tape:
        tape.watch(rows.values)
        total = gw.reduce_sum(gw.square(rows.to_tensor()))
    assert tape.gradient(total, rows.values).numpy().tolist() == [2.0, 4.0, 6.0]
    assert [row.numpy().tolist() for row in rows] == [[1.0, 2.0], [], [3.0]]
    assert (
        rows[1:].to_list() == [[], [3.0]] and rows[-1].numpy().tolist() == [3.0] and float(rows[0, 1]) == 2.0
    )
    assert gw.ragged.constant([[[1], []], [[2, 3]]]).to_list() == [[[1], []], [[2, 3]]]
    with pytest.raises(gw.errors.InvalidArgumentError, match="do not ascend"):
        gw.RaggedTensor.from_row_splits([1, 2], [0, 3, 2])


def test_sparse_tensors_pass_through_graphs():
    x = gw.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
    staged = gw.function(lambda x: gw.sparse.sparse_dense_matmul(x, gw.ones([2, 1])))
    for _ in range(2):
        assert staged(x).numpy().tolist() == [[5.0], [6.0]]
    with pytest.raises((IndexError, ValueError)):
        gw.sparse.to_dense(gw.SparseTensor([[4]], [1], [2]))
