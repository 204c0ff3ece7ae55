"""Learning rates that change with the steps, under Keras's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _native

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]


class LearningRateSchedule:
    """A function of the number of steps. One of your own has `__call__(self, step)`.

    Example:
      >>> class Half(gw.keras.optimizers.schedules.LearningRateSchedule):
      ...     def __call__(self, step):
      ...         return 0.5 ** gw.cast(step, gw.float32)
      >>> float(Half()(gw.constant(3)))
      0.125
    """

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        raise NotImplementedError


def _float(step: Any) -> Any:
    return _native.cast(step, _native.float32)


class ExponentialDecay(LearningRateSchedule):
    """Multiplies the rate by a factor every so many steps.

    Args:
      initial_learning_rate: the first rate.
      decay_steps: number of steps of one factor.
      decay_rate: the factor.
      staircase: whether the rate stays between.
      name: accepted as in Keras; has no effect.

    Example:
      >>> float(gw.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)(20))
      0.25
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        del name
        if decay_steps <= 0:
            raise ValueError(f"`decay_steps` is {decay_steps}, not positive")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        part = _float(step) / float(self.decay_steps)
        part = _native.floor(part) if self.staircase else part
        return self.initial_learning_rate * _native.pow(
            _native.constant(self.decay_rate, _native.float32), part
        )


class PiecewiseConstantDecay(LearningRateSchedule):
    """Has one rate up to each boundary.

    Args:
      boundaries: numbers of steps, ascending.
      values: the rates, one more.
      name: accepted as in Keras; has no effect.

    Example:
      >>> float(gw.keras.optimizers.schedules.PiecewiseConstantDecay([10], [1.0, 0.5])(11))
      0.5
    """

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], name: str = "PiecewiseConstant"
    ) -> None:
        del name
        if len(boundaries) != len(values) - 1:
            raise ValueError(f"{len(boundaries)} boundaries have {len(values)} values: one more is needed")
        self.boundaries, self.values = list(boundaries), list(values)

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at, rate = _float(step), _native.constant(self.values[-1], _native.float32)
        for boundary, value in reversed(list(zip(self.boundaries, self.values, strict=False))):
            rate = _native.where(at <= float(boundary), _native.constant(value, _native.float32), rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """Goes from one rate to another by a power of the steps.

    Args:
      initial_learning_rate: the first rate.
      decay_steps: number of steps to the last rate.
      end_learning_rate: the last rate.
      power: the power.
      cycle: whether it begins again behind the last step.
      name: accepted as in Keras; has no effect.

    Example:
      >>> float(gw.keras.optimizers.schedules.PolynomialDecay(1.0, 10, 0.0)(5))
      0.5
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        del name
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at, whole = _float(step), _native.constant(float(self.decay_steps), _native.float32)
        if self.cycle:
            whole = whole * _native.maximum(_native.ceil(at / whole), 1.0)
        part = 1.0 - _native.minimum(at, whole) / whole
        span = self.initial_learning_rate - self.end_learning_rate
        return span * _native.pow(part, self.power) + self.end_learning_rate


class CosineDecay(LearningRateSchedule):
    """Goes from one rate to a share of it along half a cosine, perhaps behind a warmup.

    Args:
      initial_learning_rate: the first rate.
      decay_steps: number of steps to the last rate.
      alpha: the share that is left.
      name: accepted as in Keras; has no effect.
      warmup_target: rate at the end of the warmup.
      warmup_steps: number of steps of the warmup.

    Example:
      >>> round(float(gw.keras.optimizers.schedules.CosineDecay(1.0, 10)(5)), 3)
      0.5

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        del name
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        at, first = _float(step), self.initial_learning_rate
        if self.warmup_target is None:
            return self._decayed(at, first)
        warm = first + (self.warmup_target - first) * at / float(max(self.warmup_steps, 1))
        return _native.where(
            at < float(self.warmup_steps),
            warm,
            self._decayed(at - float(self.warmup_steps), self.warmup_target),
        )

    def _decayed(self, at: Any, first: float) -> Any:
        part = _native.minimum(_native.maximum(at, 0.0), float(self.decay_steps)) / float(self.decay_steps)
        cosine = 0.5 * (1.0 + _native.cos(math.pi * part))
        return first * ((1.0 - self.alpha) * cosine + self.alpha)


class InverseTimeDecay(LearningRateSchedule):
    """Divides the rate by a number that grows with the steps.

    Args:
      initial_learning_rate: the first rate.
      decay_steps: number of steps of one growth.
      decay_rate: the growth.
      staircase: whether the rate stays between.
      name: accepted as in Keras; has no effect.

    Example:
      >>> float(gw.keras.optimizers.schedules.InverseTimeDecay(1.0, 10, 0.5)(20))
      0.5
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        del name
        if decay_steps <= 0:
            raise ValueError(f"`decay_steps` is {decay_steps}, not positive")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        part = _float(step) / float(self.decay_steps)
        part = _native.floor(part) if self.staircase else part
        return self.initial_learning_rate / (1.0 + self.decay_rate * part)


class CosineDecayRestarts(LearningRateSchedule):
    """Lets the rate fall along a cosine, again and again.

    Args:
      initial_learning_rate: the first rate.
      first_decay_steps: number of steps of the first fall.
      t_mul: factor of the steps of each further fall.
      m_mul: factor of the rate of each further fall.
      alpha: share of the first rate that is left at the end.
      name: accepted as in Keras; has no effect.

    Example:
      >>> float(gw.keras.optimizers.schedules.CosineDecayRestarts(1.0, 10)(10))
      1.0

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017.
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: int,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        del name
        if first_decay_steps <= 0:
            raise ValueError(f"`first_decay_steps` is {first_decay_steps}, not positive")
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha = float(t_mul), float(m_mul), alpha

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        part = _float(step) / float(self.first_decay_steps)
        if self.t_mul == 1.0:
            turn = _native.floor(part)
            part = part - turn
        else:
            turn = _native.floor(_native.log(1.0 - part * (1.0 - self.t_mul)) / math.log(self.t_mul))
            factor = _native.pow(_native.constant(self.t_mul, _native.float32), turn)
            part = (part - (1.0 - factor) / (1.0 - self.t_mul)) / factor
        rate = 0.5 * _native.pow(_native.constant(self.m_mul, _native.float32), turn)
        rate = rate * (1.0 + _native.cos(math.pi * part))
        return self.initial_learning_rate * ((1.0 - self.alpha) * rate + self.alpha)
