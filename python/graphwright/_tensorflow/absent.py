"""Names of TensorFlow's that are absent, and what to write instead, which `AttributeError`s say."""

from __future__ import annotations

from importlib import import_module
from typing import NoReturn

#: Remedies for a name, or for all names that begin with it.
INSTEAD: dict[str, str] = {
    "AggregationMethod": "derivatives are added: leave it out",
    "DeviceSpec": "there is one processor: leave it out",
    "IndexedSlicesSpec": "give a structure of two `gw.TensorSpec`: values and indices",
    "OptionalSpec": "write `None` or a value: `if x is None:`",
    "RaggedTensor.from_": "use `gw.RaggedTensor.from_row_splits` or `from_row_lengths`",
    "RaggedTensorSpec": "give a structure of two `gw.TensorSpec`: values and row splits",
    "RegisterGradient": "use `gw.custom_gradient`",
    "SparseTensorSpec": "give a structure of three `gw.TensorSpec`: indices, values and shape",
    "TypeSpec": "use `gw.TensorSpec`, or a dataclass of tensors as a structure",
    "UnconnectedGradients": 'write `unconnected_gradients="zero"` or `"none"`',
    "autodiff": "use `gw.jvp`",
    "compat": "names of TensorFlow 1 are absent: use those of TensorFlow 2",
    "config.experimental": "memory is the processor's and needs no setting",
    "config.set_": "there is one processor: `gw.config.list_physical_devices()` lists it",
    "data.Dataset.rejection_resample": "use `filter` with a condition on random numbers",
    "data.experimental": "use the methods of `gw.data.Dataset`",
    "data.experimental.make_csv_dataset": "use `gw.data.experimental.CsvDataset` and `batch`",
    "debugging.set_log_device_placement": "there is one processor; leave it out",
    "distribute": "use `gw.distribute`, whose strategies run on processes of Ray",
    "edit_distance": "compute it on the host: `gw.py_function`",
    "estimator": "use `gw.keras.Model`",
    "experimental.BatchableExtensionType": "use a frozen dataclass, which functions take and return",
    "experimental.DynamicRaggedShape": "use `row_splits` of the `gw.RaggedTensor`",
    "experimental.ExtensionType": "use a frozen dataclass: functions take and return it as a structure",
    "experimental.Optional": "write `None` or a value: `if x is None:`",
    "experimental.StructuredTensor": "use a dataclass of tensors and ragged tensors",
    "experimental.dispatch_for_api": "define the operators of your class",
    "experimental.dlpack": "use `gw.from_dlpack`, and `x.__dlpack__()`",
    "experimental.numpy": "use NumPy's own functions on tensors: `np.sin(x)` is part of the graph",
    "feature_column": "use layers of `gw.keras.layers`",
    "fingerprint": "use `gw.strings.to_hash_bucket_fast`",
    "get_logger": "use `logging.getLogger`",
    "gradients": "use `gw.GradientTape`",
    "image.sample_distorted_bounding_box": "use `gw.image.random_crop`",
    "image.ssim": "compute it by `gw.nn.depthwise_conv2d`",
    "image.stateless_sample_distorted_bounding_box": "use `gw.image.stateless_random_crop`",
    "io.FixedLenFeature": "store arrays in Parquet: `gw.data.ParquetDataset`",
    "io.RaggedFeature": "store arrays in Parquet: `gw.data.ParquetDataset`",
    "io.SparseFeature": "store arrays in Parquet: `gw.data.ParquetDataset`",
    "io.VarLenFeature": "store arrays in Parquet: `gw.data.ParquetDataset`",
    "io.gfile": "use `pathlib.Path`",
    "io.parse_": "read records by `gw.io.parse_tensor`, or store arrays in Parquet: `gw.data.ParquetDataset`",
    "keras.InputSpec": "check the shape in `build`",
    "keras.applications": "take the weights from Keras: `layer.set_weights(other.get_weights())`",
    "keras.callbacks.BackupAndRestore": "use `gw.keras.callbacks.ModelCheckpoint`",
    "keras.constraints": "store the weight's new value after each step: `weight.assign(…)` in a callback",
    "keras.datasets": "read the arrays by NumPy or pandas",
    "keras.layers.Masking": "give a `mask` to the layers that take one, such as `gw.keras.layers.RNN`",
    "keras.layers.TextVectorization": "use `gw.strings.split` and `gw.keras.layers.StringLookup`",
    "keras.mixed_precision": "give layers a `dtype`",
    "keras.preprocessing": "use `gw.image` in `Dataset.map`",
    "keras.utils.get_file": "download the file by `urllib.request`",
    "keras.utils.img_to_array": "use `gw.image.decode_image`",
    "keras.utils.load_img": "use `gw.io.read_file` and `gw.image.decode_image`",
    "keras.utils.normalize": "use `gw.math.l2_normalize`, or `gw.keras.layers.UnitNormalization`",
    "keras.utils.pad_sequences": "use `to_tensor` of `gw.ragged.constant`",
    "keras.utils.register_keras_serializable": "give `custom_objects` to `gw.keras.models.load_model`",
    "keras.utils.set_random_seed": "use `gw.random.set_seed`",
    "keras.utils.split_dataset": "use `take` and `skip` of the dataset",
    "linalg.LinearOperator": "use matrices, or functions of vectors",
    "make_ndarray": "use `gw.io.parse_tensor`",
    "make_tensor_proto": "use `gw.io.serialize_tensor`",
    "nn.ctc_": "compute it on the host: `gw.py_function`; `gw.nn.ctc_loss` is the loss",
    "no_gradient": "use `gw.stop_gradient`",
    "queue": "use `gw.data.Dataset`",
    "random.create_rng_state": "use `gw.random.Generator.from_seed(seed)`",
    "random.get_global_generator": "use `gw.random.Generator.from_seed`, or the functions of `gw.random`",
    "random.set_global_generator": "use `gw.random.set_seed`",
    "register_tensor_conversion_function": "give the class an `__array__`",
    "saved_model": "keep variables by `gw.train.Checkpoint`, and a graph by its text, `str(concrete.graph)`",
    "sets": "use `gw.unique` of `gw.concat`, or Python's sets",
    "sparse.": "make it dense first: `gw.sparse.to_dense`",
    "strings.unicode_decode": "use `gw.strings.unicode_split`",
    "summary.image": "write the arrays by `gw.io.write_file` and `gw.image.encode_png`",
    "summary.trace_": "use `gw.summary.graph` and `gw.profiler`",
    "test": "use `unittest` or `pytest`",
    "tpu": "graphs run on the processor, or through `gw.stablehlo`",
    "train.CheckpointOptions": "leave it out: files are written by this process",
    "train.CheckpointView": "use `gw.train.list_variables`",
    "train.Example": "write arrays by `gw.io.serialize_tensor` and `gw.io.TFRecordWriter`",
    "train.ExponentialMovingAverage": "write `average.assign(decay * average + (1 - decay) * x)`",
    "train.Feature": "write arrays by `gw.io.serialize_tensor` and `gw.io.TFRecordWriter`",
    "train.TrackableView": "use `variables` of the module",
    "train.load_checkpoint": "use `gw.train.load_variable`",
    "type_spec_from_value": "use `gw.TensorSpec(x.shape, x.dtype)`",
    "xla": "graphs are always compiled",
}

#: Modules in which a name is looked for that another one lacks.
_ELSEWHERE = (
    "",
    "math",
    "nn",
    "linalg",
    "random",
    "strings",
    "image",
    "io",
    "keras",
    "keras.layers",
    "debugging",
    "sparse",
)


def remedy(path: str) -> str | None:
    """The remedy for a name without `tf.`; `None` where there is no answer."""
    if path in INSTEAD:
        return INSTEAD[path]
    name = path.rpartition(".")[2]
    for place in _ELSEWHERE:
        module = import_module(f"graphwright.{place}".rstrip("."))
        if name in vars(module).get("__all__", ()):
            return f"use `gw.{place + '.' if place else ''}{name}`"
    begins = [key for key in INSTEAD if path == key or path.startswith(key if key[-1] in "._" else f"{key}.")]
    return INSTEAD[max(begins, key=len)] if begins else None


def refuse(module: str, name: str) -> NoReturn:
    """An `AttributeError` that says what to write instead."""
    message = f"module '{module}' has no attribute '{name}'"
    inner = module.partition(".")[2]
    found = None if name.startswith("_") else remedy(f"{inner}.{name}" if inner else name)
    raise AttributeError(message if found is None else f"{message}: {found}", name=name)
