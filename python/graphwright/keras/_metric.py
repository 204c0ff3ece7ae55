"""The class of metrics: variables that gather values of batches."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._module import Module, init_scope
from .._native import Variable
from ._given import Given


class Metric(Module):
    """Gathers values: `update_state`, `result`, `reset_state`.

    Args:
      name: its name.
      dtype: dtype of the values.

    Example:
      >>> class Count(gw.keras.metrics.Metric):
      ...     def __init__(self):
      ...         super().__init__("count")
      ...         self.count = self.add_variable("count")
      ...     def update_state(self, values):
      ...         self.count.assign_add(gw.cast(gw.size(values), gw.float32))
      ...     def result(self):
      ...         return self.count.value()
      >>> count = Count()
      >>> count.update_state([1, 2])
      >>> float(count.result())
      2.0
    """

    _given: Given

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made._given = Given(args, kwargs)
        return made

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name)
        self.dtype = _native.as_dtype(dtype or _native.float32)
        self._made: list[Variable] = []

    def add_variable(self, name: str, shape: Any = (), initializer: Any = 0.0) -> Variable:
        """Adds a variable that `reset_state` sets to its first value.

        Args:
          name: name of the variable.
          shape: tuple of lengths.
          initializer: the first value of all elements.

        Returns:
          Variable.

        Example:
          >>> total = gw.keras.metrics.Metric().add_variable("total")
          >>> total.name, float(total)
          ('metric/total:0', 0.0)
        """
        with init_scope():
            first = _native.fill(list(shape), _native.cast(initializer, self.dtype))
            made = Variable(first, trainable=False, name=f"{self.name}/{name}")
        self._made.append(made)
        return made

    add_weight = add_variable

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Takes the values of a batch.

        Args:
          args: values.
          kwargs: options.

        Returns:
          Nothing.

        Example:
          >>> mean = gw.keras.metrics.Mean()
          >>> mean.update_state([1.0, 3.0])
          >>> float(mean.result())
          2.0
        """
        raise NotImplementedError

    def result(self) -> Any:
        """Gives the value of all batches.

        Returns:
          Tensor.

        Example:
          >>> float(gw.keras.metrics.Mean()([2.0]))
          2.0
        """
        raise NotImplementedError

    def reset_state(self) -> None:
        """Forgets all batches.

        Returns:
          Nothing.

        Example:
          >>> mean = gw.keras.metrics.Mean()
          >>> mean.update_state([3.0])
          >>> mean.reset_state()
          >>> float(mean.result())
          0.0
        """
        for variable in self._made:
            variable.assign(_native.zeros_like(variable))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Takes the values of a batch and gives that of all."""
        self.update_state(*args, **kwargs)
        return self.result()
