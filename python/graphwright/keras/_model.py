"""Models: layers with a loss, an optimizer and metrics, which are trained on arrays and datasets."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native, nest
from .._function import function
from .._gradients import GradientTape
from ..autograph import do_not_convert
from ..data import Dataset
from . import callbacks, losses, metrics, optimizers
from ._batches import _Batches, _numbers, _split, _unpacked
from ._layer import Layer


@functools.cache
def _takes_training(call: Callable[..., Any]) -> bool:
    return "training" in inspect.signature(call).parameters


def _options(layer: Any, training: Any) -> dict[str, Any]:
    """`training`, if the layer's `call` takes it."""
    return {"training": training} if isinstance(layer, Layer) and _takes_training(type(layer).call) else {}


class Model(Layer):
    """A layer that can be trained. One of your own has `call`; one of symbols is `Model(inputs, outputs)`.

    Args:
      args: the inputs and outputs, symbols of `gw.keras.Input`.
      kwargs: `inputs`, `outputs`, and the arguments of `Layer`.

    Example:
      >>> class Line(gw.keras.Model):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.dense = gw.keras.layers.Dense(1)
      ...     def call(self, x):
      ...         return self.dense(x)
      >>> model = Line()
      >>> model.compile(optimizer="sgd", loss="mse")
      >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=2, verbose=0)
      >>> len(history.history["loss"])
      2
    """

    #: Attributes whose variables are no part of checkpoints.
    _untracked = ("_given_to_compile", "_metrics", "_mean", "_steps", "history", "loss")

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Model and (args or "inputs" in kwargs):
            from ._composed import Functional

            return super().__new__(Functional, *args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.optimizer: Any = None
        self.loss: Any = None
        self.stop_training = False
        self.history: Any = None
        self._metrics: list[metrics.Metric] = []
        self._mean = metrics.Mean("loss")
        self._steps: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The attributes without the graphs of steps, which are made again on demand."""
        return {**vars(self), "_steps": {}}

    @property
    def layers(self) -> list[Layer]:
        """The layers in it, in the order of its attributes."""
        return [layer for part in vars(self).values() for layer in _layers(part)]

    @property
    def metrics(self) -> list[metrics.Metric]:
        """The mean of the loss, and the metrics that `compile` was given."""
        return [self._mean, *self._metrics]

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        run_eagerly: bool = False,
        **others: Any,
    ) -> None:
        """Says how the model is trained.

        Args:
          optimizer: name or optimizer.
          loss: name, function of labels and predictions, or loss.
          metrics: list of names, functions or metrics.
          run_eagerly: whether steps run without a graph.
          others: `jit_compile`, `steps_per_execution` and `auto_scale_loss`, which have no effect.

        Returns:
          Nothing.

        Raises:
          ValueError: a name is not known.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
          >>> model.compile("adam", "mse", metrics=["mae"])
          >>> [metric.name for metric in model.metrics]
          ['loss', 'mae']
        """
        for argument, value in others.items():
            if (
                argument not in ("jit_compile", "steps_per_execution", "auto_scale_loss")
                and value is not None
            ):
                raise ValueError(f"`compile` has no `{argument}`")
        self._given_to_compile = loss, metrics
        self.optimizer = optimizers.get(optimizer)
        self.loss = None if loss is None else losses.get(loss)
        self._metrics = [self._metric(one) for one in metrics or []]
        self._run_eagerly, self._steps = run_eagerly, {}

    def _metric(self, given: Any) -> Any:
        from . import metrics as known

        if given not in ("accuracy", "acc"):
            return known.get(given)
        name = getattr(self.loss, "name", "")
        kinds: dict[str, Any] = {
            "sparse_categorical_crossentropy": known.SparseCategoricalAccuracy,
            "categorical_crossentropy": known.CategoricalAccuracy,
            "binary_crossentropy": known.BinaryAccuracy,
        }
        return kinds.get(name, known.Accuracy)(name=given)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Computes the loss of a batch; models of your own may have another one.

        Args:
          x: inputs.
          y: labels.
          y_pred: predictions.
          sample_weight: weight of each example.
          training: whether it is a step of training.

        Returns:
          Scalar.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
          >>> model.compile(loss="mse")
          >>> float(model.compute_loss(y=[[1.0]], y_pred=[[3.0]]))
          4.0
        """
        del x, training
        if self.loss is None:
            raise ValueError(f"`{self.name}` has no loss: give one to `compile`")
        found = self.loss(y, y_pred, sample_weight)
        for penalty in self.losses:
            found = found + _native.cast(penalty, found.dtype)
        return found

    def train_step(self, data: Any) -> dict[str, Any]:
        """Trains with a batch; models of your own may have another step.

        Args:
          data: inputs, labels, and weights of examples.

        Returns:
          dict of the values of the metrics.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
          >>> model.compile("sgd", "mse")
          >>> list(model.train_step((gw.ones([2, 3]), gw.ones([2, 1]))))
          ['loss']
        """
        x, y, weight = _unpacked(data)
        with GradientTape() as tape:
            y_pred = self(x, **_options(self, True))
            loss = self.compute_loss(x, y, y_pred, weight)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return self._measured(loss, x, y, y_pred, weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """Evaluates a batch; models of your own may have another step.

        Args:
          data: inputs, labels, and weights of examples.

        Returns:
          dict of the values of the metrics.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
          >>> model.compile("sgd", "mse")
          >>> list(model.test_step((gw.ones([2, 3]), gw.ones([2, 1]))))
          ['loss']
        """
        x, y, weight = _unpacked(data)
        y_pred = self(x, **_options(self, False))
        return self._measured(self.compute_loss(x, y, y_pred, weight, False), x, y, y_pred, weight)

    def predict_step(self, data: Any) -> Any:
        """Computes the predictions of a batch.

        Args:
          data: inputs.

        Returns:
          Tensor or structure of tensors.

        Example:
          >>> gw.keras.Sequential([gw.keras.layers.Dense(2)]).predict_step(gw.ones([4, 3])).shape
          (4, 2)
        """
        return self(_unpacked(data)[0] if isinstance(data, tuple) else data, **_options(self, False))

    def _measured(self, loss: Any, x: Any, y: Any, y_pred: Any, weight: Any) -> dict[str, Any]:
        self._mean.update_state(
            loss, sample_weight=_native.cast(_native.shape(nest.flatten(x)[0])[0], loss.dtype)
        )
        for metric in self._metrics:
            metric.update_state(y, y_pred)
        return {metric.name: metric.result() for metric in self.metrics}

    @do_not_convert
    def _step(self, name: str) -> Any:
        """A step as a function of the graph, made once."""
        if name not in self._steps:
            plain = getattr(self, name)
            self._steps[name] = plain if getattr(self, "_run_eagerly", False) else function(plain)
        return self._steps[name]

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: int = 1,
    ) -> Any:
        """Trains the model.

        Args:
          x: array of inputs, or a dataset of batches of inputs and labels.
          y: array of labels.
          batch_size: number of rows of a step; 32 if it is `None`.
          epochs: how often all data are gone through.
          verbose: 0 for silence, 1 or `"auto"` for a line for each epoch.
          callbacks: list of callbacks.
          validation_split: share of the arrays, at their ends, that is evaluated and not trained with.
          validation_data: inputs and labels, or a dataset, that are evaluated after each epoch.
          shuffle: whether rows are in another order in each epoch.
          class_weight: dict from numbers of classes to weights of their rows in the loss; 1 of others.
          sample_weight: array of the weight of each row.
          initial_epoch: number of the first epoch.
          steps_per_epoch: number of batches of an epoch; all if it is `None`.
          validation_steps: number of batches that are evaluated.
          validation_batch_size: number of rows of a batch that is evaluated.
          validation_freq: number of epochs from one evaluation to the next.

        Returns:
          `gw.keras.callbacks.History`, whose `history` has a list for each metric.

        Raises:
          RuntimeError: the model is not compiled.
          ValueError: `batch_size` is below 1.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
          >>> model.compile("sgd", "mse")
          >>> sorted(model.fit(np.ones((4, 2)), np.ones(4), validation_split=0.5, verbose=0).history)
          ['loss', 'val_loss']
        """
        if self.optimizer is None:
            raise RuntimeError(f"`{self.name}` is not compiled: call `compile` with an optimizer and a loss")
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = _split(x, y, sample_weight, validation_split)
        batches = _Batches(x, y, sample_weight, batch_size, shuffle, steps_per_epoch, class_weight)
        watchers = _watchers(self, callbacks, verbose, epochs, batches.count)
        self.stop_training = False
        logs: dict[str, Any] = {}
        watchers.on_train_begin()
        for epoch in range(initial_epoch, epochs):
            logs = self._epoch(epoch, batches, watchers)
            if validation_data is not None and (epoch + 1) % validation_freq == 0:
                size = batch_size if validation_batch_size is None else validation_batch_size
                found = self._evaluated(validation_data, size, validation_steps, watchers)
                logs |= {f"val_{name}": value for name, value in found.items()}
            watchers.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        watchers.on_train_end(logs)
        return self.history

    def _epoch(self, epoch: int, batches: _Batches, watchers: Any) -> dict[str, Any]:
        for metric in self.metrics:
            metric.reset_state()
        watchers.on_epoch_begin(epoch)
        step, found = self._step("train_step"), {}
        for at, batch in enumerate(batches):
            watchers.on_train_batch_begin(at)
            found = step(batch)
            watchers.on_train_batch_end(at, found)
            if self.stop_training:
                break
        if not found:
            raise ValueError("there is no batch to train with")
        return _numbers(found)

    def _evaluated(self, data: Any, size: int | None, steps: int | None, watchers: Any) -> dict[str, Any]:
        x, y, weight = (data, None, None) if isinstance(data, Dataset) else (*data, None)[:3]
        for metric in self.metrics:
            metric.reset_state()
        watchers.on_test_begin()
        step, found = self._step("test_step"), {}
        for at, batch in enumerate(_Batches(x, y, weight, size, False, steps)):
            watchers.on_test_batch_begin(at)
            found = step(batch)
            watchers.on_test_batch_end(at, found)
        logs = _numbers(found)
        watchers.on_test_end(logs)
        return logs

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """Computes the loss and the metrics.

        Args:
          x: array of inputs, or a dataset of batches of inputs and labels.
          y: array of labels.
          batch_size: number of rows of a batch; 32 if it is `None`.
          verbose: accepted as in Keras; nothing is printed.
          sample_weight: array of the weight of each row.
          steps: number of batches; all if it is `None`.
          callbacks: list of callbacks.
          return_dict: whether to give a dict by names.

        Returns:
          The loss, a list of the loss and the metrics, or a dict.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile(loss="mse")
          >>> model.evaluate(np.ones((4, 2)), np.ones((4, 1)))
          1.0
        """
        del verbose
        data = x if isinstance(x, Dataset) else (x, y, sample_weight)
        found = self._evaluated(data, batch_size, steps, _watchers(self, callbacks, 0, 1, None))
        values = list(found.values())
        return found if return_dict else values[0] if len(values) == 1 else values

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """Computes predictions, batch by batch.

        Args:
          x: array of inputs, or a dataset of batches of inputs.
          batch_size: number of rows of a batch; 32 if it is `None`.
          verbose: accepted as in Keras; nothing is printed.
          steps: number of batches; all if it is `None`.
          callbacks: accepted as in Keras; has no effect.

        Returns:
          NumPy array, or a structure of arrays.

        Example:
          >>> gw.keras.Sequential([gw.keras.layers.Dense(2)]).predict(np.ones((5, 3))).shape
          (5, 2)
        """
        del verbose, callbacks
        step = self._step("predict_step")
        found = [step(batch[0]) for batch in _Batches(x, None, None, batch_size, False, steps)]
        if not found:
            raise ValueError("there is no batch to predict")
        return nest.map_structure(lambda *parts: np.concatenate([part.numpy() for part in parts]), *found)

    def save(self, filepath: str | os.PathLike[str], overwrite: bool = True) -> None:
        """Writes the whole model to a file: how it is made, its weights, and the state of its optimizer.

        Args:
          filepath: path of the file.
          overwrite: whether a file that is there is replaced; else it is an error.

        Returns:
          Nothing.

        Raises:
          FileExistsError: the file is there.
          ValueError: the model holds a function without a name, or a class in a function.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="ones")])
          >>> model(gw.ones([1, 2])).numpy().tolist()
          [[2.0]]
          >>> path = tempfile.mkdtemp() + "/model.safetensors"
          >>> model.save(path)
          >>> gw.keras.models.load_model(path)(gw.ones([1, 2])).numpy().tolist()
          [[2.0]]
        """
        from ._saving import save

        save(self, filepath, overwrite)

    def summary(self, line_length: int | None = None, print_fn: Callable[[str], Any] | None = None) -> None:
        """Prints a table of the layers and the numbers in their weights.

        Args:
          line_length: width of the table.
          print_fn: function that takes the text.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(2, name="first")])
          >>> model.build((None, 3))
          >>> model.summary(60)
          Model: sequential
          layer (type)                             weights     numbers
          ------------------------------------------------------------
          first (Dense)                       (3, 2), (2,)           8
          ------------------------------------------------------------
          total: 8, trainable: 8, not trainable: 0
        """
        width = line_length or 78
        rows = [("layer (type)", "weights", "numbers")]
        for layer in self.layers:
            shapes = ", ".join(str(tuple(weight.shape)) for weight in layer.weights)
            rows.append(
                (f"{layer.name} ({type(layer).__name__})", shapes or "-", f"{layer.count_params():,}")
            )
        lines = [f"{first:<{width - 36}} {middle:>23} {last:>11}" for first, middle, last in rows]
        whole = sum(weight.numpy().size for weight in self.weights)
        trained = sum(weight.numpy().size for weight in self.trainable_weights)
        end = f"total: {whole:,}, trainable: {trained:,}, not trainable: {whole - trained:,}"
        text = "\n".join([f"Model: {self.name}", lines[0], "-" * width, *lines[1:], "-" * width, end])
        (print_fn or (lambda text: sys.stdout.write(text + "\n")))(text)


def _layers(part: Any) -> list[Layer]:
    if isinstance(part, Layer):
        return [part]
    return [layer for one in part for layer in _layers(one)] if isinstance(part, (list, tuple)) else []


def _watchers(model: Model, given: Any, verbose: Any, epochs: int, steps: int | None) -> Any:
    found = callbacks.CallbackList(given, verbose not in (0, "0"))
    found.set_model(model)
    found.set_params({"epochs": epochs, "steps": steps, "verbose": verbose})
    return found
