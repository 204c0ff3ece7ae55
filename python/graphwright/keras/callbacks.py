"""Callbacks by Keras's names: functions that are called while a model is trained."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._callbacks import (
    Callback,
    CallbackList,
    History,
    LambdaCallback,
    ProgbarLogger,
    TerminateOnNaN,
)

__all__ = [
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "TensorBoard",
    "TerminateOnNaN",
]


class _Watching(Callback):
    """A callback that compares a value with the best one."""

    def _watch(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"`mode` is {mode!r}: it is 'auto', 'min' or 'max'")
        rises = mode == "max" or (mode == "auto" and monitor.rpartition("_")[2] in ("accuracy", "acc", "auc"))
        self.monitor, self._sign, self._delta = monitor, 1.0 if rises else -1.0, abs(min_delta)
        self.best = -math.inf * self._sign

    def _is_better(self, value: float) -> bool:
        return self._sign * value > self._sign * self.best + self._delta

    def _value(self, logs: Any) -> float | None:
        if self.monitor in (logs or {}):
            return float(logs[self.monitor])
        import warnings

        names = ", ".join(logs or {})
        warnings.warn(
            f"`{type(self).__name__}` watches {self.monitor!r}, and there are {names}", stacklevel=2
        )
        return None


class EarlyStopping(_Watching):
    """Ends the training when a value does not get better.

    Args:
      monitor: name of the value.
      min_delta: how much better it has to get.
      patience: number of epochs that are waited for it.
      verbose: accepted as in Keras; has no effect.
      mode: `"min"`, `"max"`, or `"auto"`, by the name.
      baseline: value that is to be beaten first.
      restore_best_weights: whether the model gets the weights of the best epoch.
      start_from_epoch: number of the first epoch that is looked at.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
      >>> model.compile(gw.keras.optimizers.SGD(0.0), "mse")
      >>> stop = gw.keras.callbacks.EarlyStopping("loss", patience=2)
      >>> len(model.fit(np.ones((4, 2)), np.ones(4), epochs=9, verbose=0, callbacks=[stop]).epoch)
      3
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        del verbose
        self._watch(monitor, mode, min_delta)
        self._first = self.best if baseline is None else baseline
        self.patience, self.restore_best_weights, self.start_from_epoch = (
            patience,
            restore_best_weights,
            start_from_epoch,
        )
        self.stopped_epoch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins anew.

        Args:
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.EarlyStopping("loss")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        self.wait, self.best, self.best_epoch, self._weights = 0, self._first, 0, None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Compares the value.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.EarlyStopping("loss")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        value = None if epoch < self.start_from_epoch else self._value(logs)
        if value is None:
            return
        self.wait += 1
        if self._is_better(value):
            self.best, self.best_epoch, self.wait = value, epoch, 0
            if self.restore_best_weights:
                self._weights = self.model.get_weights()
        elif self.wait >= self.patience:
            self.stopped_epoch, self.model.stop_training = epoch, True

    def on_train_end(self, logs: Any = None) -> None:
        """Gives back the best weights.

        Args:
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.EarlyStopping("loss")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        if self.restore_best_weights and self._weights is not None:
            self.model.set_weights(self._weights)


class ReduceLROnPlateau(_Watching):
    """Lowers the learning rate when a value does not get better.

    Args:
      monitor: name of the value.
      factor: factor of the learning rate.
      patience: number of epochs that are waited for it.
      verbose: accepted as in Keras; has no effect.
      mode: `"min"`, `"max"`, or `"auto"`, by the name.
      min_delta: how much better it has to get.
      cooldown: number of epochs after a change that are not looked at.
      min_lr: the least learning rate.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile(gw.keras.optimizers.SGD(1e-30), "mse")
      >>> less = gw.keras.callbacks.ReduceLROnPlateau("loss", 0.5, patience=1)
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), epochs=2, verbose=0, callbacks=[less])
      >>> float(model.optimizer.learning_rate) < 1e-30
      True
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        del verbose
        if factor >= 1.0:
            raise ValueError(f"`factor` is {factor}: it is below 1")
        self._watch(monitor, mode, min_delta)
        self.factor, self.patience, self.cooldown, self.min_lr = factor, patience, cooldown, min_lr
        self._wait = self._rest = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Compares the value.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ReduceLROnPlateau("loss")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        value = self._value(logs)
        if value is None:
            return
        if self._rest > 0:
            self._rest, self._wait = self._rest - 1, 0
        if self._is_better(value):
            self.best, self._wait = value, 0
        elif self._rest == 0:
            self._wait += 1
            if self._wait >= self.patience:
                rate = max(float(self.model.optimizer.learning_rate) * self.factor, self.min_lr)
                self.model.optimizer.learning_rate = rate
                self._wait, self._rest = 0, self.cooldown


class ModelCheckpoint(_Watching):
    """Writes the weights after each epoch.

    Args:
      filepath: path of the file, in which `{epoch}` and names of values may stand.
      monitor: name of the value.
      verbose: accepted as in Keras; has no effect.
      save_best_only: whether to write only when the value gets better.
      save_weights_only: accepted as in Keras; weights are written.
      mode: `"min"`, `"max"`, or `"auto"`, by the name.
      save_freq: `"epoch"`, or the number of steps from one file to the next.
      initial_value_threshold: value that is to be beaten first.

    Example:
      >>> import pathlib, tempfile
      >>> folder = pathlib.Path(tempfile.mkdtemp())
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> keep = gw.keras.callbacks.ModelCheckpoint(str(folder / "{epoch:02d}.safetensors"))
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), epochs=2, verbose=0, callbacks=[keep])
      >>> sorted(file.name for file in folder.iterdir())
      ['01.safetensors', '02.safetensors']
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = True,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:
        del verbose, save_weights_only
        self._watch(monitor, mode)
        if initial_value_threshold is not None:
            self.best = initial_value_threshold
        if save_freq != "epoch" and not (isinstance(save_freq, int) and save_freq > 0):
            raise ValueError(f"`save_freq` is {save_freq!r}: it is 'epoch' or a positive number of steps")
        self.filepath, self.save_best_only, self.save_freq = str(filepath), save_best_only, save_freq
        self._epoch = self._seen = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Keeps the number.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ModelCheckpoint(tempfile.mkdtemp() + "/a")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Writes after so many steps.

        Args:
          batch: number of the batch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ModelCheckpoint(tempfile.mkdtemp() + "/a")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        self._seen += 1
        if self.save_freq != "epoch" and self._seen % self.save_freq == 0:
            self._write(self._epoch, {name: float(value) for name, value in (logs or {}).items()})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes after an epoch.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ModelCheckpoint(tempfile.mkdtemp() + "/a")
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        if self.save_freq == "epoch":
            self._write(epoch, logs or {})

    def _write(self, epoch: int, logs: dict[str, Any]) -> None:
        if self.save_best_only:
            value = self._value(logs)
            if value is None or not self._is_better(value):
                return
            self.best = value
        self.model.save_weights(self.filepath.format(epoch=epoch + 1, **logs))


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch.

    Args:
      schedule: function of the number of the epoch and the rate so far.
      verbose: accepted as in Keras; has no effect.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> rates = gw.keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.5**epoch)
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), epochs=3, verbose=0, callbacks=[rates])
      >>> float(model.optimizer.learning_rate)
      0.25
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        del verbose
        self.schedule = schedule

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the rate.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.1)
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(optimizer.learning_rate))
        except TypeError:
            rate = self.schedule(epoch)
        optimizer.learning_rate = float(rate)


class TensorBoard(Callback):
    """Writes the values of each epoch for TensorBoard.

    Args:
      log_dir: the folder.
      histogram_freq: number of epochs from one histogram of the weights to the next; 0 for none.
      others: arguments of Keras's that have no effect here.

    Example:
      >>> import pathlib, tempfile
      >>> folder = pathlib.Path(tempfile.mkdtemp())
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> board = gw.keras.callbacks.TensorBoard(str(folder))
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[board])
      >>> [part.name for part in folder.iterdir()]
      ['train']
    """

    def __init__(self, log_dir: Any = "./logs", histogram_freq: int = 0, **others: Any) -> None:
        del others
        self.log_dir, self.histogram_freq = str(log_dir), histogram_freq
        self._writers: dict[str, Any] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes the values.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.TensorBoard(tempfile.mkdtemp())
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        from .. import summary

        for name, value in (logs or {}).items():
            part, plain = ("validation", name[4:]) if name.startswith("val_") else ("train", name)
            with self._writer(part).as_default():
                summary.scalar(f"epoch_{plain}", value, step=epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._writer("train").as_default():
                for weight in self.model.weights:
                    summary.histogram(weight.name, weight, step=epoch)

    def _writer(self, part: str) -> Any:
        from .. import summary

        if part not in self._writers:
            self._writers[part] = summary.create_file_writer(f"{self.log_dir}/{part}")
        return self._writers[part]

    def on_train_end(self, logs: Any = None) -> None:
        """Ends the files.

        Args:
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> import tempfile
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.TensorBoard(tempfile.mkdtemp())
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
