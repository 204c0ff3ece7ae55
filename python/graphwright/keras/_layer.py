"""The base of layers: weights made at the first call, `get_weights` and `set_weights` as Keras has them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import _native, _weights
from .._module import Module, init_scope
from .._native import Tensor, Variable
from ..autograph import do_not_convert
from . import _added, _symbols, initializers, regularizers
from ._given import Given

#: Arguments that Keras's layers also take and these do not, with the only value that means nothing.
_ABSENT: dict[str, Any] = {
    "kernel_constraint": None,
    "bias_constraint": None,
    "recurrent_constraint": None,
    "embeddings_constraint": None,
    "beta_constraint": None,
    "gamma_constraint": None,
    "alpha_constraint": None,
    "depthwise_constraint": None,
    "pointwise_constraint": None,
    "data_format": "channels_last",
    "groups": 1,
    "mask_zero": False,
    "noise_shape": None,
    "recurrent_dropout": 0.0,
    "stateful": False,
    "use_cudnn": "auto",
}


#: The weights whose penalties layers take as arguments.
_PENALIZED = {
    "kernel_regularizer": "kernel",
    "bias_regularizer": "bias",
    "recurrent_regularizer": "recurrent_kernel",
    "embeddings_regularizer": "embeddings",
    "beta_regularizer": "beta",
    "gamma_regularizer": "gamma",
    "depthwise_regularizer": "depthwise_kernel",
    "pointwise_regularizer": "pointwise_kernel",
}


class _Made:
    """The building of a layer: outside of graphs, wherever it is called first."""

    def __init__(self) -> None:
        self.built = False
        self.weights: list[Variable] = []
        self.penalties: list[tuple[Variable, Any]] = []
        #: The attributes that `build` has made. A trace that is not run takes them back, but not the weights.
        self.attributes: dict[str, Any] = {}
        #: Arguments of `build`, once it was called.
        self.shape: Any = None


def _marking(build: Callable[..., None]) -> Callable[..., None]:
    """A `build` behind which the layer is built, whoever calls it."""

    @functools.wraps(build)
    def built(self: Any, *args: Any, **kwargs: Any) -> None:
        before = set(vars(self))
        build(self, *args, **kwargs)
        self._made.attributes |= {name: value for name, value in vars(self).items() if name not in before}
        self.built = True
        self._made.shape = args[0] if args else kwargs.get("input_shape", ())
        _weights.made(self)
        _symbols.built(self)

    return built


class Layer(Module):
    """A function with weights. One of your own has `call`, and `build` if it has weights.

    Args:
      trainable: whether its weights are watched by tapes.
      dtype: the dtype of its weights; floats that it is called with are cast to it.
      name: its name.
      activity_regularizer: name or function of an output; its result, divided by the rows of the batch, is
        among the `losses`.
      others: arguments of Keras's layers that have no meaning here, accepted where they ask for nothing.

    Example:
      >>> class Scale(gw.keras.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_weight((), "ones")
      ...     def call(self, inputs):
      ...         return inputs * self.factor
      >>> Scale()(gw.constant([1.0, 2.0])).numpy().tolist()
      [1.0, 2.0]
    """

    #: True of a class whose methods name `add_loss`.
    _adds = False
    _given: Given

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made._given = Given(args, kwargs)
        return made

    def __init__(
        self,
        *,
        trainable: bool = True,
        dtype: Any = None,
        name: str | None = None,
        activity_regularizer: Any = None,
        **others: Any,
    ) -> None:
        super().__init__(name)
        self._regularizers = {
            kind: regularizers.get(others.pop(argument, None)) for argument, kind in _PENALIZED.items()
        }
        for argument, value in others.items():
            if argument not in _ABSENT:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{argument}'")
            if value is not None and value != _ABSENT[argument]:
                raise ValueError(f"{type(self).__name__} has no `{argument}={value!r}`")
        self.trainable, self.dtype = trainable, _native.as_dtype(dtype or _native.float32)
        self._made = _Made()
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._added: Any = 0.0
        if self.activity_regularizer is not None or self._adds:
            _added.watch(self)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "build" in vars(cls):
            cls.build = _marking(cls.build)  # type: ignore[method-assign]
        cls._adds = cls._adds or _added.is_named_in(cls)

    @property
    def built(self) -> bool:
        """True if its weights are made."""
        return self._made.built

    @built.setter
    def built(self, value: bool) -> None:
        self._made.built = value

    def build(self, input_shape: Sequence[int | None]) -> None:
        """Makes the weights for inputs of a shape; the first call does so by itself.

        Args:
          input_shape: tuple of lengths; the first is that of the batch.

        Returns:
          Nothing.

        Example:
          >>> layer = gw.keras.layers.Dense(3)
          >>> layer.build((None, 2))
          >>> [tuple(w.shape) for w in layer.weights]
          [(2, 3), (3,)]
        """

    def call(self, inputs: Any) -> Any:
        """Computes the layer.

        Args:
          inputs: tensor or structure of tensors.

        Returns:
          Tensor or structure of tensors.

        Example:
          >>> gw.keras.layers.Dense(1, kernel_initializer="ones")(gw.constant([[1.0, 2.0]])).numpy().tolist()
          [[3.0]]
        """
        raise NotImplementedError

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output of the layer; the first time it makes its weights."""
        if _symbols.holds(inputs):
            return _symbols.record(self, (inputs, *args), kwargs)
        inputs = self._ready(inputs)
        for layer in self._adding():
            layer._added = 0.0
        outputs = self.call(inputs, *args, **kwargs)
        if self.activity_regularizer is not None:
            self._added = self._added + _added.penalty(self.activity_regularizer, outputs)
        return outputs

    @do_not_convert
    def _ready(self, inputs: Any) -> Any:
        """The input as a tensor of the layer's dtype, if it is one of floats, and the layer built for it."""
        if isinstance(inputs, (Tensor, Variable, np.ndarray, np.generic, int, float, list)):
            inputs = _native.convert_to_tensor(inputs)
            if inputs.dtype.is_floating and inputs.dtype != self.dtype:
                inputs = _native.cast(inputs, self.dtype)
            if not self.built:
                with init_scope():
                    self.build(tuple(inputs.shape))
                self.built = True
        self._restore()
        return inputs

    def _restore(self) -> None:
        """Gives the layer what `build` made of it, if a trace that was not run has taken it back."""
        own = vars(self)
        for name, value in self._made.attributes.items():
            if name not in own:
                setattr(self, name, value)

    def add_weight(
        self,
        shape: Sequence[int | None],
        initializer: str | Callable[..., Any] = "glorot_uniform",
        dtype: Any = None,
        trainable: bool = True,
        name: str = "weight",
    ) -> Variable:
        """Adds a variable to the layer.

        Args:
          shape: tuple of lengths.
          initializer: name of an initializer, or a function of the shape and dtype.
          dtype: dtype; that of the layer if it is `None`.
          trainable: whether optimizers change it.
          name: name of the variable.

        Returns:
          Variable.

        Example:
          >>> gw.keras.layers.Layer().add_weight((2,), "zeros").shape
          (2,)
        """
        lengths = [length for length in shape if length is not None]
        if len(lengths) < len(shape):
            raise ValueError(f"`{self.name}` needs the length of each axis of `{name}`, not {tuple(shape)}")
        with init_scope():
            first = initializers.get(initializer)(lengths, _native.as_dtype(dtype or self.dtype))
            made = Variable(first, trainable=trainable and self.trainable, name=f"{self.name}/{name}")
        self._made.weights.append(made)
        if (penalty := self._regularizers.get(name.split("/")[-1])) is not None:
            self._made.penalties.append((made, penalty))
        return made

    def _bias(self, units: int, initializer: Callable[..., Any], use_bias: bool) -> Variable | None:
        """The weight that is added to each row, if there is to be one."""
        return self.add_weight((units,), initializer, name="bias") if use_bias else None

    @property
    def weights(self) -> list[Variable]:
        """Its weights, the trainable first, then those of the layers in it, one after the other."""
        return list(self._all_weights())

    def _all_weights(self) -> Iterator[Variable]:
        yield from sorted(self._made.weights, key=lambda weight: not weight.trainable)
        for part in vars(self).values():
            for layer in part if isinstance(part, (list, tuple)) else [part]:
                if isinstance(layer, Layer):
                    yield from layer._all_weights()

    def add_loss(self, loss: Any) -> None:
        """Adds to the losses of the layer; the next call of the outermost layer around it forgets them.

        Args:
          loss: scalar, or list of scalars.

        Returns:
          Nothing.

        Raises:
          ValueError: a loss is no scalar.

        Example:
          >>> class Small(gw.keras.layers.Layer):
          ...     def call(self, inputs):
          ...         self.add_loss(gw.reduce_sum(inputs))
          ...         return inputs
          >>> layer = Small()
          >>> _ = layer(gw.constant([1.0, 2.0]))
          >>> [float(one) for one in layer.losses]
          [3.0]
        """
        self._added = self._added + _added.summed(loss)

    @property
    def losses(self) -> list[Any]:
        """Losses that the last call of it and of the layers in it has added, and penalties of weights."""
        return self._penalties()

    @do_not_convert
    def _penalties(self) -> list[Any]:
        layers = self._within()
        added = [layer._added for layer in layers if not isinstance(layer._added, float)]
        kept = [pair for layer in layers for pair in layer._made.penalties]
        return added + [penalty(weight.value()) for weight, penalty in kept]

    @do_not_convert
    def _adding(self) -> list[Layer]:
        """The layers in it that may add losses, if its call is in no call of another layer."""
        found = [layer for layer in self._within() if _added.may_add(layer)] if _added.is_watching() else []
        return found if found and _added.is_outermost(self) else []

    @do_not_convert
    def _within(self) -> list[Layer]:
        """The layer and the layers in it, each once."""
        found = {id(self): self}
        for part in vars(self).values():
            for layer in part if isinstance(part, (list, tuple)) else [part]:
                if isinstance(layer, Layer) and id(layer) not in found:
                    found |= {id(one): one for one in layer._within()}
        return list(found.values())

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]  # Keras gives a list
        """Its weights."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The weights that tapes watch."""
        return [weight for weight in self.weights if weight.trainable]

    @property
    def non_trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The weights that tapes do not watch."""
        return [weight for weight in self.weights if not weight.trainable]

    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def get_weights(self) -> list[Any]:
        """Returns the values of its weights in Keras's order.

        Returns:
          List of NumPy arrays.

        Example:
          >>> layer = gw.keras.layers.Dense(1, kernel_initializer="ones")
          >>> layer.build((None, 2))
          >>> [w.tolist() for w in layer.get_weights()]
          [[[1.0], [1.0]], [0.0]]
        """
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Replaces its weights.

        Args:
          weights: list of arrays in the order of `get_weights`.

        Returns:
          Nothing.

        Raises:
          ValueError: the number or a shape is another one.

        Example:
          >>> layer = gw.keras.layers.Dense(1)
          >>> layer.build((None, 2))
          >>> layer.set_weights([[[1.0], [2.0]], [0.5]])
          >>> layer(gw.constant([[1.0, 1.0]])).numpy().tolist()
          [[3.5]]
        """
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(f"`{self.name}` has {len(own)} weights, not {len(weights)}")
        arrays = [np.asarray(value) for value in weights]
        for weight, array in zip(own, arrays, strict=True):
            if tuple(weight.shape) != array.shape:
                raise ValueError(f"`{weight.name}` has the shape {tuple(weight.shape)}, not {array.shape}")
        for weight, array in zip(own, arrays, strict=True):
            weight.assign(array)

    def count_params(self) -> int:
        """Counts the numbers in its weights.

        Returns:
          int.

        Example:
          >>> layer = gw.keras.layers.Dense(3)
          >>> layer.build((None, 2))
          >>> layer.count_params()
          9
        """
        return sum(weight.numpy().size for weight in self.weights)
