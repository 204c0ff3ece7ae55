"""Checkpoints, files of weights and pickles: what is written comes back, and what is damaged changes nothing."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphwright as gw
from graphwright.keras import layers, optimizers


class Model(gw.Module):
    """Two layers and a list of variables."""

    def __init__(self, seed=0):
        super().__init__()
        self.first = layers.Dense(3, activation="tanh", name="first")
        self.second = layers.Dense(1, name="second")
        self.scales = [gw.Variable(float(seed)), gw.Variable([1, 2], dtype=gw.int64)]

    def __call__(self, x):
        return self.second(self.first(x)) * self.scales[0]


X = gw.constant(np.linspace(-1, 1, 8).reshape(4, 2), gw.float32)


def trained(model, optimizer, steps):
    """Steps of training, and the last loss."""

    @gw.function
    def step(x):
        with gw.GradientTape() as tape:
            loss = gw.reduce_mean(gw.square(model(x) - 1.0))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return [float(step(X)) for _ in range(steps)]


def parts(seed=1.0):
    model, optimizer = Model(seed), optimizers.Adam(0.1)
    return model, optimizer, gw.train.Checkpoint(model=model, optimizer=optimizer)


def test_training_goes_on_where_it_was(tmp_path):
    model, optimizer, checkpoint = parts()
    trained(model, optimizer, 3)
    path = checkpoint.save(tmp_path / "ckpt")
    expected = trained(model, optimizer, 3)
    again, other, fresh = parts(0.0)
    status = fresh.restore(gw.train.latest_checkpoint(tmp_path))
    assert trained(again, other, 3) == expected
    status.assert_existing_objects_matched()
    checkpoint.restore(path).assert_consumed()
    assert trained(model, optimizer, 3) == expected


def test_a_manager_keeps_the_latest(tmp_path):
    step = gw.Variable(0)
    manager = gw.train.CheckpointManager(gw.train.Checkpoint(step=step), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None and manager.latest_checkpoint is None
    for _ in range(4):
        step.assign_add(1)
        manager.save()
    assert [Path(path).name for path in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint",
        "ckpt-3.safetensors",
        "ckpt-4.safetensors",
    ]
    step.assign(9)
    again = gw.train.CheckpointManager(gw.train.Checkpoint(step=step), tmp_path, max_to_keep=2)
    assert again.restore_or_initialize() == manager.latest_checkpoint and int(step) == 4
    assert gw.train.load_variable(tmp_path, "step") == 4


def test_intervals_and_first_values(tmp_path):
    step, calls = gw.Variable(0), []
    manager = gw.train.CheckpointManager(
        gw.train.Checkpoint(step=step), tmp_path, 3, step_counter=step, checkpoint_interval=2,
        init_fn=lambda: calls.append(1),
    )  # fmt: skip
    manager.restore_or_initialize()
    assert calls == [1]
    saved = []
    for _ in range(5):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert saved == [True, False, True, False, True]


def test_damaged_files_change_nothing(tmp_path):
    model, optimizer, checkpoint = parts()
    trained(model, optimizer, 1)
    path = checkpoint.save(tmp_path / "ckpt")
    file = Path(path + ".safetensors")
    whole = file.read_bytes()
    kernel = gw.train.load_variable(path, "model/first/kernel")
    trained(model, optimizer, 1)
    before = [variable.numpy() for variable in model.variables]
    for at in range(0, len(whole), 97):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
            file.write_bytes(damaged)
            try:
                found = gw.train.load_variable(path, "model/first/kernel")
            except (gw.errors.DataLossError, KeyError):
                pass
            else:  # the name of the check sum is no part of the values
                np.testing.assert_array_equal(found, kernel)
                continue
            with pytest.raises((gw.errors.DataLossError, AssertionError)):
                checkpoint.restore(path).assert_consumed()
            for old, variable in zip(before, model.variables, strict=True):
                np.testing.assert_array_equal(old, variable.numpy())
    file.write_bytes(whole)
    checkpoint.restore(path).assert_consumed()


def test_another_shape_changes_nothing(tmp_path):
    path = gw.train.Checkpoint(a=gw.Variable([1.0, 2.0]), b=gw.Variable(1.0)).write(tmp_path / "a")
    a, b = gw.Variable([5.0, 6.0]), gw.Variable([1.0])
    with pytest.raises(ValueError, match="`b` has the shape \\(1,\\), and \\(\\) in"):
        gw.train.Checkpoint(a=a, b=b).read(path)
    assert a.numpy().tolist() == [5.0, 6.0]
    with pytest.raises(ValueError, match="`b` has the dtype int32, and float32 in"):
        gw.train.Checkpoint(a=a, b=gw.Variable(1)).read(path)
    with pytest.raises(AssertionError, match="without a variable: b"):
        gw.train.Checkpoint(a=a).read(path).assert_consumed()
    with pytest.raises(AssertionError, match="lacks values of: c"):
        gw.train.Checkpoint(a=a, b=gw.Variable(0.0), c=gw.Variable(1)).read(path).assert_consumed()
    with pytest.raises(TypeError, match="`x` is a `int`"):
        gw.train.Checkpoint(x=3)
    with pytest.raises(FileNotFoundError):
        gw.train.Checkpoint(a=a).restore(tmp_path / "none")


def test_a_failed_write_keeps_the_old_file(tmp_path):
    value = gw.Variable([1.0])
    checkpoint = gw.train.Checkpoint(value=value)
    path = checkpoint.write(tmp_path / "a")
    with pytest.raises(TypeError, match="`text` has the dtype"):
        gw.train.Checkpoint(value=value, text=gw.Variable("a")).write(tmp_path / "a")
    assert [one.name for one in tmp_path.iterdir()] == ["a.safetensors"]
    checkpoint.read(path).assert_consumed()


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64"]
)
def test_dtypes_come_back(tmp_path, dtype):
    first, other = gw.Variable(gw.cast([0, 1, 3], dtype)), gw.Variable(gw.cast([0, 0, 0], dtype))
    path = gw.train.Checkpoint(x=first).write(tmp_path / "a")
    gw.train.Checkpoint(x=other).read(path).assert_consumed()
    assert other.numpy().tolist() == first.numpy().tolist() and other.dtype == first.dtype


def test_generators_are_kept(tmp_path):
    generator = gw.random.Generator.from_seed(3)
    path = gw.train.Checkpoint(random=generator).write(tmp_path / "a")
    expected = generator.normal([3]).numpy().tolist()
    gw.train.Checkpoint(random=generator).read(path).assert_consumed()
    assert generator.normal([3]).numpy().tolist() == expected


def test_weights_of_modules(tmp_path):
    model, other = Model(2), Model()
    model(X), other(X)
    model.save_weights(tmp_path / "model.safetensors")
    other.load_weights(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(model(X).numpy(), other(X).numpy())
    with pytest.raises(FileExistsError):
        model.save_weights(tmp_path / "model.safetensors", overwrite=False)
    with pytest.raises(ValueError, match="the file lacks"):
        layers.Dense(2).load_weights(tmp_path / "model.safetensors") or Model().first.load_weights(
            tmp_path / "model.safetensors"
        )
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(gw.errors.DataLossError):
        other.load_weights(tmp_path / "model.safetensors")


def test_weights_are_read_by_others(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model = Model(2)
    model(X)
    model.save_weights(tmp_path / "model.safetensors")
    found = safetensors.load_file(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(found["first/kernel"], model.first.kernel.numpy())


@gw.function
def doubled(x):
    return x * 2


@pytest.mark.parametrize(
    "value",
    [
        gw.TensorSpec([None, 2], gw.float32, "x"),
        gw.TensorSpec(None, gw.int32),
        gw.float32,
        gw.TensorShape([2, None]),
    ],
)
def test_values_are_pickled(value):
    assert pickle.loads(pickle.dumps(value)) == value


def test_objects_are_pickled():
    generator = gw.random.Generator.from_seed(3)
    generator.normal([3])
    again = pickle.loads(pickle.dumps(generator))
    assert again.normal([4]).numpy().tolist() == generator.normal([4]).numpy().tolist()
    rows = pickle.loads(pickle.dumps(gw.ragged.constant([[1, 2], []])))
    assert rows.to_list() == [[1, 2], []]
    model = Model(3)
    model(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model))(X).numpy(), model(X).numpy())
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_functions_are_pickled_by_value(tmp_path):
    pytest.importorskip("cloudpickle")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, cloudpickle\nimport graphwright as gw\nfactor = 3\n"
        "@gw.function\ndef scaled(x):\n    return x * factor if x > 0 else x\n"
        f"open({str(tmp_path / 'f')!r}, 'wb').write(cloudpickle.dumps(scaled))\n"
        f"open({str(tmp_path / 'g')!r}, 'wb').write(cloudpickle.dumps(gw.function(lambda x: x + 1)))\n",
        encoding="utf-8",
    )
    subprocess.run([sys.executable, str(program)], check=True)
    scaled = pickle.loads((tmp_path / "f").read_bytes())
    assert scaled(gw.constant(2)).item() == 6 and scaled(gw.constant(-2)).item() == -2
    assert pickle.loads((tmp_path / "g").read_bytes())(gw.constant(2)).item() == 3
