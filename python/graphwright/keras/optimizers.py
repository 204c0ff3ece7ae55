"""Keras 3's optimizers: the same arguments and update rules, in plain Python that also runs in a graph.

Their state is kept in variables, so one optimizer steps eagerly, in a graph, and in a graph's loop.
"""

from __future__ import annotations

from typing import Any

from .. import _native
from .._native import Variable
from . import schedules
from ._optimizer import Optimizer, Rate

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "get", "schedules"]


class SGD(Optimizer):
    """Gradient descent, with momentum if that is not zero.

    Args:
      learning_rate: a number, a variable, or a function that gives either.
      momentum: how much of the last step is made again, from 0 to 1.
      nesterov: whether the momentum looks one step ahead (Nesterov, 1983).
      weight_decay: as in `Optimizer`.
      others: the other arguments of `Optimizer`.

    Example:
      >>> x = gw.Variable(1.0)
      >>> optimizer = gw.keras.optimizers.SGD(0.5)
      >>> _ = optimizer.apply_gradients([(gw.constant(1.0), x)])
      >>> float(x) < 1.0
      True
    """

    _arguments = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float | None = None,
        **others: Any,
    ) -> None:
        if not 0 <= momentum <= 1:
            raise ValueError(f"`momentum` is {momentum}, not between 0 and 1")
        super().__init__(learning_rate, weight_decay, **others)
        self.momentum, self.nesterov = momentum, nesterov
        self.momentums: list[Variable] = []

    def build_slots(self, variables: list[Variable]) -> None:
        """A momentum for each variable.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.SGD(momentum=0.9)
          >>> optimizer.build([gw.Variable([1.0, 2.0], name="w")])
          >>> [slot.name for slot in optimizer.variables[2:]]
          ['sgd/w_momentum:0']
        """
        if self.momentum:
            self.momentums = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """`m = momentum m - rate g` is added, or without momentum `-rate g`.

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
          >>> float(x) < 1.0
          True
        """
        if not self.momentum:
            variable.assign_sub(gradient * learning_rate)
            return
        m = self._slot(self.momentums, variable)
        m.assign(m * self.momentum - gradient * learning_rate)
        variable.assign_add(m * self.momentum - gradient * learning_rate if self.nesterov else m)


class Adam(Optimizer):
    """Steps by means of the gradient and of its square (Kingma and Ba, 2014).

    Args:
      learning_rate: a number, a variable, or a function that gives either.
      beta_1: how much of the mean of the gradients stays.
      beta_2: how much of the mean of their squares stays.
      epsilon: number added to the root, that it is not zero.
      amsgrad: whether the greatest mean of squares so far counts (Reddi et al., 2018).
      weight_decay: as in `Optimizer`.
      others: the other arguments of `Optimizer`.

    Example:
      >>> x = gw.Variable(1.0)
      >>> optimizer = gw.keras.optimizers.Adam(0.5)
      >>> _ = optimizer.apply_gradients([(gw.constant(1.0), x)])
      >>> float(x) < 1.0
      True

    Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014.
    """

    _arguments = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        weight_decay: float | None = None,
        **others: Any,
    ) -> None:
        super().__init__(learning_rate, weight_decay, **others)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self._momentums: list[Variable] = []
        self._velocities: list[Variable] = []
        self._greatest: list[Variable] = []

    def build_slots(self, variables: list[Variable]) -> None:
        """Both means for each variable; for `amsgrad` also the greatest of the second.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.Adam()
          >>> optimizer.build([gw.Variable([1.0, 2.0], name="w")])
          >>> [slot.name for slot in optimizer.variables[2:]]
          ['adam/w_momentum:0', 'adam/w_velocity:0']
        """
        for variable in variables:
            self._momentums += self.add_optimizer_variables([variable], "momentum")
            self._velocities += self.add_optimizer_variables([variable], "velocity")
        if self.amsgrad:
            self._greatest = self.add_optimizer_variables(variables, "velocity_hat")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """`rate m / (sqrt(v) + epsilon)` is taken away, the rate corrected for means that began with zero.

        Args:
          gradient: tensor in the dtype of the variable.
          variable: variable.
          learning_rate: tensor in the dtype of the variable.

        Returns:
          Nothing.

        Example:
          >>> x = gw.Variable(1.0)
          >>> optimizer = gw.keras.optimizers.Adam(0.5)
          >>> optimizer.build([x])
          >>> optimizer.update_step(gw.constant(1.0), x, gw.constant(0.5))
          >>> float(x) < 1.0
          True
        """
        step = _native.cast(self.iterations + 1, variable.dtype)
        m, v = self._slot(self._momentums, variable), self._slot(self._velocities, variable)
        rate = learning_rate * _native.sqrt(1 - self.beta_2**step) / (1 - self.beta_1**step)
        m.assign_add((gradient - m) * (1 - self.beta_1))
        v.assign_add((_native.square(gradient) - v) * (1 - self.beta_2))
        if self.amsgrad:
            greatest = self._slot(self._greatest, variable)
            greatest.assign(_native.maximum(greatest, v))
            v = greatest
        variable.assign_sub(m * rate / (_native.sqrt(v) + self.epsilon))


class AdamW(Adam):
    """`Adam` with weight decay (Loshchilov and Hutter, 2019).

    Args:
      learning_rate: a number, a variable, or a function that gives either.
      weight_decay: how much of a variable, times the learning rate, is taken from it at each step.
      beta_1: as in `Adam`.
      beta_2: as in `Adam`.
      epsilon: as in `Adam`.
      amsgrad: as in `Adam`.
      others: the other arguments of `Optimizer`.

    Example:
      >>> x = gw.Variable(1.0)
      >>> optimizer = gw.keras.optimizers.AdamW(0.5)
      >>> _ = optimizer.apply_gradients([(gw.constant(1.0), x)])
      >>> float(x) < 1.0
      True

    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **others: Any,
    ) -> None:
        if weight_decay is None:
            raise ValueError("`weight_decay` is None: use `Adam`")
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, **others)


class RMSprop(Optimizer):
    """Gradients divided by the root of the mean of their squares (Hinton, 2012).

    Args:
      learning_rate: a number, a variable, or a function that gives either.
      rho: how much of the mean stays.
      momentum: how much of the last step is made again.
      epsilon: number added before the root, that it is not zero.
      centered: whether the variance takes the place of the mean of squares.
      weight_decay: as in `Optimizer`.
      others: the other arguments of `Optimizer`.

    Example:
      >>> x = gw.Variable(1.0)
      >>> optimizer = gw.keras.optimizers.RMSprop(0.5)
      >>> _ = optimizer.apply_gradients([(gw.constant(1.0), x)])
      >>> float(x) < 1.0
      True

    Source: Hinton, "Neural Networks for Machine Learning", lecture 6, 2012.
    """

    _arguments = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        weight_decay: float | None = None,
        **others: Any,
    ) -> None:
        super().__init__(learning_rate, weight_decay, **others)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        self._velocities: list[Variable] = []
        self._momentums: list[Variable] = []
        self._means: list[Variable] = []

    def build_slots(self, variables: list[Variable]) -> None:
        """The mean of squares for each variable, and the slots of `momentum` and `centered`.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.RMSprop()
          >>> optimizer.build([gw.Variable([1.0, 2.0], name="w")])
          >>> [slot.name for slot in optimizer.variables[2:]]
          ['rm_sprop/w_velocity:0']
        """
        self._velocities = self.add_optimizer_variables(variables, "velocity")
        if self.momentum > 0:
            self._momentums = self.add_optimizer_variables(variables, "momentum")
        if self.centered:
            self._means = self.add_optimizer_variables(variables, "average_gradient")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """`rate g / sqrt(v + epsilon)` is taken away.

        Args:
          gradient: tensor in the dtype of the variable.
          variable: variable.
          learning_rate: tensor in the dtype of the variable.

        Returns:
          Nothing.

        Example:
          >>> x = gw.Variable(1.0)
          >>> optimizer = gw.keras.optimizers.RMSprop(0.5)
          >>> optimizer.build([x])
          >>> optimizer.update_step(gw.constant(1.0), x, gw.constant(0.5))
          >>> float(x) < 1.0
          True
        """
        v = self._slot(self._velocities, variable)
        v.assign(self.rho * v + (1 - self.rho) * _native.square(gradient))
        under = v + self.epsilon
        if self.centered:
            mean = self._slot(self._means, variable)
            mean.assign(self.rho * mean + (1 - self.rho) * gradient)
            under = v - _native.square(mean) + self.epsilon
        step = learning_rate * gradient / _native.sqrt(under)
        if self.momentum > 0:
            m = self._slot(self._momentums, variable)
            m.assign(self.momentum * m + step)
            step = m
        variable.assign_sub(step)


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi et al., 2011).

    Args:
      learning_rate: a number, a variable, or a function that gives either.
      initial_accumulator_value: first value of the sums.
      epsilon: number added before the root, that it is not zero.
      weight_decay: as in `Optimizer`.
      others: the other arguments of `Optimizer`.

    Example:
      >>> x = gw.Variable(1.0)
      >>> optimizer = gw.keras.optimizers.Adagrad(0.5)
      >>> _ = optimizer.apply_gradients([(gw.constant(1.0), x)])
      >>> float(x) < 1.0
      True

    Source: Duchi, Hazan and Singer, "Adaptive Subgradient Methods", 2011.
    """

    _arguments = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        **others: Any,
    ) -> None:
        super().__init__(learning_rate, weight_decay, **others)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon
        self._accumulators: list[Variable] = []

    def build_slots(self, variables: list[Variable]) -> None:
        """The sum of squares for each variable.

        Args:
          variables: list of variables.

        Returns:
          Nothing.

        Example:
          >>> optimizer = gw.keras.optimizers.Adagrad()
          >>> optimizer.build([gw.Variable([1.0, 2.0], name="w")])
          >>> [slot.name for slot in optimizer.variables[2:]]
          ['adagrad/w_accumulator:0']
        """
        first = self.initial_accumulator_value
        self._accumulators = self.add_optimizer_variables(variables, "accumulator", first)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """`rate g / sqrt(a + epsilon)` is taken away.

        Args:
          gradient: tensor in the dtype of the variable.
          variable: variable.
          learning_rate: tensor in the dtype of the variable.

        Returns:
          Nothing.

        Example:
          >>> x = gw.Variable(1.0)
          >>> optimizer = gw.keras.optimizers.Adagrad(0.5)
          >>> optimizer.build([x])
          >>> optimizer.update_step(gw.constant(1.0), x, gw.constant(0.5))
          >>> float(x) < 1.0
          True
        """
        a = self._slot(self._accumulators, variable)
        a.assign_add(_native.square(gradient))
        variable.assign_sub(learning_rate * gradient / _native.sqrt(a + self.epsilon))


def get(identifier: Any) -> Optimizer:
    """Looks up an optimizer.

    Args:
      identifier: name, in capitals or not, or optimizer.

    Returns:
      `Optimizer`.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> round(float(gw.keras.optimizers.get("adam").learning_rate), 4)
      0.001
    """
    if isinstance(identifier, Optimizer):
        return identifier
    known: dict[str, Any] = {kind.__name__.lower(): kind for kind in (SGD, Adam, AdamW, RMSprop, Adagrad)}
    if not isinstance(identifier, str) or identifier.lower() not in known:
        raise ValueError(f"there is no optimizer {identifier!r}; those with names are {', '.join(known)}")
    made: Optimizer = known[identifier.lower()]()
    return made
