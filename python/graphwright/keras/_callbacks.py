"""Bases of callbacks, and the small ones: history, a line for each epoch, functions."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

_MOMENTS = (
    "on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end",
    "on_train_batch_begin", "on_train_batch_end",
    "on_test_begin", "on_test_end", "on_test_batch_begin", "on_test_batch_end",
)  # fmt: skip


class Callback:
    """Functions that are called while a model is trained; those of your own replace them.

    They are `on_train_begin(logs)`, `on_epoch_begin(epoch, logs)`, `on_train_batch_begin(batch, logs)`, those
    of ends, and those of `test` in place of `train`.

    Example:
      >>> class Losses(gw.keras.callbacks.Callback):
      ...     def on_epoch_end(self, epoch, logs=None):
      ...         print(epoch, sorted(logs))
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[Losses()])
      0 ['loss']
    """

    model: Any = None
    params: dict[str, Any] | None = None

    def set_model(self, model: Any) -> None:
        """Takes the model.

        Args:
          model: the model.

        Returns:
          Nothing.

        Example:
          >>> callback = gw.keras.callbacks.Callback()
          >>> callback.set_model("model")
          >>> callback.model
          'model'
        """
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Takes the numbers of epochs and steps.

        Args:
          params: dict.

        Returns:
          Nothing.

        Example:
          >>> callback = gw.keras.callbacks.Callback()
          >>> callback.set_params({"epochs": 3})
          >>> callback.params["epochs"]
          3
        """
        self.params = params


class History(Callback):
    """Keeps the values of each epoch in `history`, and the numbers of the epochs in `epoch`.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> model.fit(np.ones((4, 2)), np.ones(4), epochs=2, verbose=0).epoch
      [0, 1]
    """

    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keeps the values.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.History()
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self


class CallbackList:
    """Callbacks as one, with a history.

    Args:
      callbacks: list of callbacks, or one.
      shows: whether there is a line for each epoch.

    Example:
      >>> len(gw.keras.callbacks.CallbackList([gw.keras.callbacks.TerminateOnNaN()], False).callbacks)
      2
    """

    def __init__(self, callbacks: Any = None, shows: bool = False) -> None:
        given = (
            list(callbacks)
            if isinstance(callbacks, (list, tuple))
            else []
            if callbacks is None
            else [callbacks]
        )
        self.callbacks = [*given, *([ProgbarLogger()] if shows else [])]
        if not any(isinstance(one, History) for one in given):
            self.callbacks.insert(0, History())

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in _MOMENTS and name not in ("set_model", "set_params"):
            raise AttributeError(name)

        def called(*args: Any) -> None:
            for callback in self.callbacks:
                other = name.replace("train_batch", "batch")
                method = getattr(callback, name, None) or getattr(callback, other, None)
                if method is not None:
                    method(*args)

        return called


class ProgbarLogger(Callback):
    """Writes a line for each epoch.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
      >>> model.compile("sgd", "mse")
      >>> _ = model.fit(np.ones((4, 2)), np.ones((4, 1)))
      Epoch 1/1: 1 step, ... s, loss: 1.0000
    """

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Looks at the clock.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ProgbarLogger()
          >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback])
          Epoch 1/1: 1 step, ... s, loss: 1.0000
        """
        self._start, self._seen = time.perf_counter(), 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Counts steps.

        Args:
          batch: number of the batch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ProgbarLogger()
          >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback])
          Epoch 1/1: 1 step, ... s, loss: 1.0000
        """
        self._seen = batch + 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes the line.

        Args:
          epoch: number of the epoch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.ProgbarLogger()
          >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback])
          Epoch 1/1: 1 step, ... s, loss: 1.0000
        """
        seconds, epochs = time.perf_counter() - self._start, (self.params or {}).get("epochs")
        values = "".join(f", {name}: {value:.4f}" for name, value in (logs or {}).items())
        steps = f"{self._seen} step{'s' if self._seen != 1 else ''}"
        sys.stdout.write(f"Epoch {epoch + 1}/{epochs}: {steps}, {seconds:.2f} s{values}\n")


class TerminateOnNaN(Callback):
    """Ends the training when the loss is no number.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> nan = np.full((4, 2), np.nan)
      >>> stop = gw.keras.callbacks.TerminateOnNaN()
      >>> model.fit(nan, np.ones(4), epochs=5, verbose=0, callbacks=[stop]).epoch
      [0]
    """

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Looks at the loss.

        Args:
          batch: number of the batch, from 0 on.
          logs: values by name.

        Returns:
          Nothing.

        Example:
          >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1, kernel_initializer="zeros")])
          >>> model.compile("sgd", "mse")
          >>> callback = gw.keras.callbacks.TerminateOnNaN()
          >>> model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[callback]).epoch
          [0]
        """
        if not math.isfinite(float((logs or {}).get("loss", 0.0))):
            self.model.stop_training = True


class LambdaCallback(Callback):
    """Calls functions.

    Args:
      functions: functions by the names of the moments.

    Example:
      >>> model = gw.keras.Sequential([gw.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> show = gw.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
      >>> _ = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[show])
      0
    """

    def __init__(self, **functions: Callable[..., Any]) -> None:
        for name, called in functions.items():
            if name not in (*_MOMENTS, "on_batch_begin", "on_batch_end"):
                raise TypeError(f"there is no moment `{name}`: there are {', '.join(_MOMENTS)}")
            self.__dict__[name] = (
                lambda one: lambda *args: one(*(args if len(args) > 1 else (*args, None))[:2])
            )(called)
