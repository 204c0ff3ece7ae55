"""The base of optimizers: the step, clipping, weight decay, averages; all that they keep is in variables."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from .. import _native, _weights
from .._module import init_scope
from .._native import Variable
from ..autograph import do_not_convert
from .schedules import LearningRateSchedule

Rate: TypeAlias = float | Variable | LearningRateSchedule | Callable[[], Any]


class Optimizer:
    """Base class of optimizers. One of your own has `build`, which adds its variables, and `update_step`.

    Args:
      learning_rate: a number, a variable, or a function without arguments that gives either.
      weight_decay: how much of a variable, times the learning rate, is taken from it at each step.
      clipnorm: the greatest norm of each gradient.
      clipvalue: the greatest absolute value in each gradient.
      global_clipnorm: the greatest norm of all gradients together.
      use_ema: whether `finalize_variable_values` puts averages over the steps into the variables.
      ema_momentum: how much of the average stays at each step.
      ema_overwrite_frequency: after how many steps the averages are put into the variables.
      loss_scale_factor: factor by which `scale_loss` multiplies the loss, and gradients are divided by.
      gradient_accumulation_steps: how many gradients are averaged for one update.
      name: its name.

    Example:
      >>> class Descent(gw.keras.optimizers.Optimizer):
      ...     def update_step(self, gradient, variable, learning_rate):
      ...         variable.assign_sub(learning_rate * gradient)
      >>> x = gw.Variable(1.0)
      >>> _ = Descent(0.5).apply_gradients([(gw.constant(1.0), x)])
      >>> float(x)
      0.5
    """

    def __init__(
        self,
        learning_rate: Rate,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        if sum(clip is not None for clip in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError("only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be given")
        if gradient_accumulation_steps is not None and gradient_accumulation_steps < 2:
            raise ValueError(f"`gradient_accumulation_steps` is {gradient_accumulation_steps}, not 2 or more")
        if not 0 <= ema_momentum <= 1:
            raise ValueError(f"`ema_momentum` is {ema_momentum}, not between 0 and 1")
        self.name = name or _snake_case(type(self).__name__)
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._variables: list[Variable] = []
        self._indices: dict[int, int] = {}
        self._trainable_variables: list[Variable] = []
        self._averages: list[Variable] = []
        self._accumulated: list[Variable] = []
        self._iterations = self.add_variable((), dtype=_native.int64, name="iteration")
        self._learning_rate: Any = learning_rate
        if not callable(learning_rate) and not isinstance(learning_rate, Variable):
            self._learning_rate = self.add_variable((), name="learning_rate")
            self._learning_rate.assign(learning_rate)

    @property
    def iterations(self) -> Any:
        """Number of steps made."""
        if self.gradient_accumulation_steps:
            return self._iterations // self.gradient_accumulation_steps
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a variable, or a function's result. A number is assigned to the variable."""
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._learning_rate(self.iterations)
        if callable(self._learning_rate) and not isinstance(self._learning_rate, Variable):
            return self._learning_rate()
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) or not isinstance(self._learning_rate, Variable):
            self._learning_rate = value
        else:
            self._learning_rate.assign(value)

    @property
    def variables(self) -> list[Variable]:
        """Its own variables: the number of steps, the learning rate, then those for updated variables."""
        return self._variables[:]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Replaces its own variables.

        Args:
          weights: arrays in the order of `variables`.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.SGD(0.5)
          >>> optimizer.build([gw.Variable(1.0)])
          >>> optimizer.set_weights([v.numpy() for v in optimizer.variables])
        """
        if len(weights) != len(self._variables):
            raise ValueError(f"`{self.name}` has {len(self._variables)} variables, not {len(weights)}")
        for variable, value in zip(self._variables, weights, strict=True):
            variable.assign(value)

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: float = 0.0,
        dtype: Any = _native.float32,
        name: str | None = None,
    ) -> Variable:
        """Adds a variable that no tape watches.

        Args:
          shape: tuple of lengths.
          initializer: number to fill with.
          dtype: dtype.
          name: name of the variable.

        Returns:
          Variable.

        Example:
          >>> gw.keras.optimizers.SGD().add_variable((2,)).shape
          (2,)
        """
        with init_scope():
            first = _native.fill(shape, _native.cast(initializer, dtype))
            made = Variable(first, trainable=False, name=f"{self.name}/{name or 'variable'}")
        self._variables.append(made)
        return made

    def add_optimizer_variables(
        self, trainable_variables: Iterable[Variable], name: str, initializer: float = 0.0
    ) -> list[Variable]:
        """Adds a variable like each of these, filled with one number.

        Args:
          trainable_variables: list of variables.
          name: name of the new ones.
          initializer: the number.

        Returns:
          List of variables.

        Example:
          >>> optimizer = gw.keras.optimizers.SGD()
          >>> len(optimizer.add_optimizer_variables([gw.Variable([1.0, 2.0])], "sum"))
          1
        """
        made = []
        for like in trainable_variables:
            with init_scope():
                shape = like.numpy().shape
            called = f"{like.name.partition(':')[0]}_{name}"
            made.append(self.add_variable(shape, initializer, like.dtype, called))
        return made

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # A copy has variables of its own, or those of another process.
        self._indices = {id(variable): at for at, variable in enumerate(self._trainable_variables)}

    @do_not_convert
    def build(self, variables: Iterable[Variable]) -> None:
        """Makes the variables that updates of these need; the first `apply` does so by itself.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.SGD(momentum=0.9)
          >>> optimizer.build([gw.Variable([1.0, 2.0])])
          >>> [tuple(variable.shape) for variable in optimizer.variables]
          [(), (), (2,)]
        """
        if self.built:
            return
        self.built = True
        self._trainable_variables = list(variables)
        self._indices = {id(variable): at for at, variable in enumerate(self._trainable_variables)}
        if self.use_ema:
            self._averages = self.add_optimizer_variables(self._trainable_variables, "average")
        if self.gradient_accumulation_steps:
            self._accumulated = self.add_optimizer_variables(
                self._trainable_variables, "gradient_accumulator"
            )
        self.build_slots(self._trainable_variables)
        _weights.made(self)

    def build_slots(self, variables: list[Variable]) -> None:
        """Makes the state that `update_step` needs for each variable.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.SGD(momentum=0.9)
          >>> optimizer.build([gw.Variable([1.0, 2.0], name="w")])
          >>> [(slot.name, slot.shape) for slot in optimizer.variables[2:]]
          [('sgd/w_momentum:0', (2,))]
        """

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Changes one variable by its gradient.

        Args:
          gradient: tensor in the dtype of the variable.
          variable: variable.
          learning_rate: tensor in the dtype of the variable.

        Returns:
          Nothing.

        Example:
          >>> x = gw.Variable(1.0)
          >>> optimizer = gw.keras.optimizers.SGD(0.5)
          >>> optimizer.build([x])
          >>> optimizer.update_step(gw.constant(1.0), x, gw.constant(0.5))
          >>> float(x)
          0.5
        """
        raise NotImplementedError

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> Variable:
        """Makes one step.

        Args:
          grads_and_vars: pairs of a gradient and its variable.

        Returns:
          Number of steps so far.

        Example:
          >>> x = gw.Variable(1.0)
          >>> _ = gw.keras.optimizers.SGD(0.5).apply_gradients([(gw.constant(1.0), x)])
          >>> float(x)
          0.5
        """
        pairs = list(grads_and_vars)
        self.apply([gradient for gradient, _ in pairs], [variable for _, variable in pairs])
        return self._iterations

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Variable] | None = None) -> None:
        """Makes one step.

        Args:
          grads: list of gradients; `None` stands for no gradient.
          trainable_variables: their variables; those it was built for if it is `None`.

        Returns:
          Nothing.

        Example:
          >>> x = gw.Variable(1.0)
          >>> _ = gw.keras.optimizers.SGD(0.5).apply([gw.constant(1.0)], [x])
          >>> float(x)
          0.5
        """
        gradients, variables = self._paired(grads, trainable_variables)
        if not gradients:
            return
        if self.loss_scale_factor is not None:
            gradients = [gradient / self.loss_scale_factor for gradient in gradients]
        if self.gradient_accumulation_steps is not None:
            self._accumulate(gradients, variables)
        else:
            self._update(gradients, variables)
        if self.use_ema:
            self._average()
        self._iterations.assign_add(1)

    @do_not_convert
    def _paired(self, grads: Any, trainable_variables: Any) -> tuple[list[Any], list[Variable]]:
        gradients = list(grads)
        if trainable_variables is None and not self.built:
            raise ValueError("an optimizer that is not built must be told the variables")
        variables = self._trainable_variables if trainable_variables is None else list(trainable_variables)
        if len(gradients) != len(variables):
            raise ValueError(f"there are {len(gradients)} gradients for {len(variables)} variables")
        if not gradients:
            return [], []
        self.build(variables)
        for variable in variables:
            if id(variable) not in self._indices:
                raise ValueError(f"this optimizer was built for other variables than `{variable.name}`")
        return _without_none(gradients, variables)

    @do_not_convert
    def _update(self, gradients: list[Any], variables: list[Variable]) -> None:
        gradients = self._clipped(gradients)
        for variable in variables:
            if self.weight_decay is not None:
                rate = _native.cast(self.learning_rate, variable.dtype)
                variable.assign(variable - variable * self.weight_decay * rate)
        for gradient, variable in zip(gradients, variables, strict=True):
            rate = _native.cast(self.learning_rate, variable.dtype)
            self.update_step(_native.cast(gradient, variable.dtype), variable, rate)

    def _accumulate(self, gradients: list[Any], variables: list[Variable]) -> None:
        """Updates by the mean of the last gradients, or only adds these to them."""
        steps = self.gradient_accumulation_steps or 1
        sums = [self._slot(self._accumulated, variable) for variable in variables]
        for total, gradient in zip(sums, gradients, strict=True):
            total.assign_add(gradient)
        if (self._iterations + 1) % steps == 0:
            self._update([total / steps for total in sums], variables)
            for total in sums:
                total.assign(_native.zeros_like(total))

    def _average(self) -> None:
        """Follows the variables with their averages, which begin with what the first step gives."""
        steps = self.iterations
        for average, variable in zip(self._averages, self._trainable_variables, strict=True):
            kept = _native.cast(_native.not_equal(steps, 0), variable.dtype) * self.ema_momentum
            average.assign(kept * average + (1 - kept) * variable)
        if self.ema_overwrite_frequency is not None and (steps + 1) % self.ema_overwrite_frequency == 0:
            self.finalize_variable_values(self._trainable_variables)

    def finalize_variable_values(self, var_list: Iterable[Variable]) -> None:
        """Writes averages into the variables, if it keeps averages.

        Args:
          var_list: list of variables.

        Returns:
          Nothing.

        Example:
          >>> weight = gw.Variable(1.0)
          >>> optimizer = gw.keras.optimizers.SGD(0.5, use_ema=True, ema_momentum=0.5)
          >>> for gradient in (1.0, 1.0):
          ...     _ = optimizer.apply_gradients([(gw.constant(gradient), weight)])
          >>> before = float(weight)
          >>> optimizer.finalize_variable_values([weight])
          >>> before, float(weight)
          (0.0, 0.25)
        """
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._slot(self._averages, variable))

    def scale_loss(self, loss: Any) -> Any:
        """Multiplies a loss by the factor that gradients will be divided by.

        Args:
          loss: tensor of any shape, `float32` or `float64`.

        Returns:
          Tensor of the same shape and dtype.

        Example:
          >>> gw.keras.optimizers.SGD().scale_loss(gw.constant(2.0))
          <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
        """
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def _slot(self, of_each: list[Variable], variable: Variable) -> Variable:
        """Of the variables made for each variable the one for this."""
        return of_each[self._indices[id(variable)]]

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        if self.clipnorm:
            return [_clipped_by_norm(gradient, self.clipnorm) for gradient in gradients]
        if self.global_clipnorm:
            most = self.global_clipnorm
            squares = [_native.reduce_sum(_native.square(gradient)) for gradient in gradients]
            norm = _native.sqrt(_native.reduce_sum(_native.stack(squares)))
            # The addend is zero, or NaN if the norm is not finite.
            scale = most * _native.minimum(1.0 / norm, 1.0 / most) + (norm - norm)
            return [gradient * scale for gradient in gradients]
        if self.clipvalue:
            return [_native.clip_by_value(g, -self.clipvalue, self.clipvalue) for g in gradients]
        return gradients

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make such an optimizer.

        Returns:
          Dict.

        Example:
          >>> gw.keras.optimizers.SGD(0.5).get_config()["momentum"]
          0.0
        """
        shared = (
            "name",
            "weight_decay",
            "clipnorm",
            "global_clipnorm",
            "clipvalue",
            "use_ema",
            "ema_momentum",
            "ema_overwrite_frequency",
            "loss_scale_factor",
            "gradient_accumulation_steps",
        )
        rate = self._learning_rate
        rate = float(rate.numpy()) if isinstance(rate, Variable) else rate
        return {"learning_rate": rate} | {name: getattr(self, name) for name in (*shared, *self._arguments)}

    #: The arguments that are this optimizer's own.
    _arguments: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Optimizer:
        """Makes an optimizer with the arguments of `get_config`.

        Args:
          config: dict of arguments.

        Returns:
          Optimizer.

        Example:
          >>> config = gw.keras.optimizers.SGD(0.5).get_config()
          >>> float(gw.keras.optimizers.SGD.from_config(config).learning_rate)
          0.5
        """
        return cls(**config)


def _snake_case(name: str) -> str:
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def _without_none(gradients: list[Any], variables: list[Variable]) -> tuple[list[Any], list[Variable]]:
    """The pairs that have a gradient; the others are warned of."""
    pairs = [pair for pair in zip(gradients, variables, strict=True) if pair[0] is not None]
    if not pairs:
        raise ValueError("no variable has a gradient: the loss does not depend on any")
    if len(pairs) < len(variables):
        lone = [v.name for gradient, v in zip(gradients, variables, strict=True) if gradient is None]
        warnings.warn(f"there are no gradients of the variables {lone}", stacklevel=4)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]


def _clipped_by_norm(gradient: Any, most: float) -> Any:
    norm = _native.sqrt(_native.reduce_sum(_native.square(gradient), keepdims=True))
    return gradient * most / _native.maximum(norm, most)
