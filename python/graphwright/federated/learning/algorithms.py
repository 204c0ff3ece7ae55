"""Federated averaging: clients train a model on their data, the server averages their models."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _native
from ..._gradients import GradientTape
from ...autograph import do_not_convert
from ...keras.optimizers import SGD
from .. import (
    aggregators,
    federated_broadcast,
    federated_computation,
    federated_eval,
    federated_map,
    federated_sum,
    federated_zip,
    graph_computation,
)
from .._execution.returned import _element_type
from ..framework import CLIENTS, SERVER, FederatedType, SequenceType
from ._process import LearningProcess, LearningProcessOutput
from .models import Model, ModelWeights, parts

__all__ = ["build_weighted_fed_avg"]


def build_weighted_fed_avg(
    model_fn: Callable[[], Model],
    client_optimizer_fn: Callable[[], Any],
    server_optimizer_fn: Callable[[], Any] | None = None,
    *,
    model_aggregator: Any = None,
) -> LearningProcess:
    """Returns a process that trains a model by federated averaging, weighted by numbers of examples.

    Args:
      model_fn: makes the model, `models.from_layer(…)`; it is called once.
      client_optimizer_fn: makes the optimizer of the clients, which begins anew with each client.
      server_optimizer_fn: makes the optimizer of the server; without it, the average is taken as it is.
      model_aggregator: the factory of the weighted mean of the models of clients;
        `aggregators.MeanFactory()` if not given.

    Returns:
      `LearningProcess`.

    Raises:
      TypeError: `model_fn` makes no model.

    Example:
      >>> import graphwright.federated as tff
      >>> def model_fn():
      ...     layer = gw.keras.layers.Dense(1, kernel_initializer="zeros")
      ...     batch = (gw.TensorSpec([None, 1]), gw.TensorSpec([None, 1]))
      ...     loss = lambda y, found: gw.reduce_mean((y - found) ** 2)
      ...     return tff.learning.models.from_layer(layer, loss, batch)
      >>> build = tff.learning.algorithms.build_weighted_fed_avg
      >>> process = build(model_fn, lambda: gw.keras.optimizers.SGD(0.1))
      >>> x = np.array([[1.0], [2.0]], "float32")
      >>> client = gw.data.Dataset.from_tensor_slices((x, 3 * x)).batch(2)
      >>> state = process.initialize()
      >>> for _ in range(50):
      ...     state = process.next(state, [client]).state
      >>> abs(float(process.get_model_weights(state).trainable[0][0, 0]) - 3.0) < 0.5
      True

    Source: McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data", 2017.
    """
    model = model_fn()
    if not isinstance(model, Model):
        raise TypeError(f"model_fn makes a model of learning.models, not a {type(model).__name__}")
    client, server = (
        _Optimizer(make(), model) for make in (client_optimizer_fn, server_optimizer_fn or _plain)
    )
    train, initial, update = _trained(model, client), _initial(model, server), _updated(model, server)
    learned = train.type_signature.result["learned"]
    weight = train.type_signature.result["examples"]
    average = (model_aggregator or aggregators.MeanFactory()).create(learned, weight)

    @federated_computation
    def initialize() -> Any:
        start = federated_eval(initial, SERVER)
        weights, optimizer = start["weights"], start["optimizer"]
        return _state(weights, optimizer, average.initialize())

    def next_round(state: Any, data: Any) -> Any:
        weights = state["global_model_weights"]
        found = federated_map(train, (federated_broadcast(weights), data))
        averaged = average.next(state["aggregator"], found["learned"], found["examples"])
        examples = federated_sum(found["examples"])
        new = federated_map(update, (weights, state["optimizer"], averaged.result, examples))
        losses = federated_map(_mean, (federated_sum(found["loss"]), examples))
        metrics = federated_zip(OrderedDict(loss=losses, num_examples=examples))
        return LearningProcessOutput(_state(new["weights"], new["optimizer"], averaged.state), metrics)

    data_type = FederatedType(train.type_signature.parameter[1], CLIENTS)
    next_fn = federated_computation(next_round, initialize.type_signature.result, data_type)
    return LearningProcess(initialize, next_fn, next_is_multi_arg=True)


def _plain() -> Any:
    return SGD(1.0)


def _state(weights: Any, optimizer: Any, aggregator: Any) -> Any:
    return federated_zip(
        OrderedDict(global_model_weights=weights, optimizer=optimizer, aggregator=aggregator)
    )


_mean = graph_computation(
    lambda total, count: _native.where(count > 0.0, total / _native.maximum(count, 1.0), 0.0),
    np.float32,
    np.float32,
)


class _Optimizer:
    """An optimizer built for a model, with what its variables hold before the first step."""

    def __init__(self, optimizer: Any, model: Model) -> None:
        optimizer.build(model.trainable)
        self.optimizer = optimizer
        self.variables = list(optimizer.variables)
        self.initial = [variable.numpy() for variable in self.variables]


@do_not_convert
def _assign(variables: Any, values: Any) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)


@do_not_convert
def _values(variables: Any) -> list[Any]:
    return [variable.value() for variable in variables]


@do_not_convert
def _weights(model: Model) -> ModelWeights:
    return ModelWeights(_values(model.trainable), _values(model.non_trainable))


def _initial(model: Model, server: _Optimizer) -> Any:
    """Returns the graph computation that gives the weights with which training begins."""
    own = [variable.numpy() for variable in model.trainable]
    others = [variable.numpy() for variable in model.non_trainable]

    def initial() -> Any:
        constants = [[_native.constant(one) for one in values] for values in (own, others, server.initial)]
        return {"weights": ModelWeights(constants[0], constants[1]), "optimizer": constants[2]}

    return graph_computation(initial)


def _trained(model: Model, client: _Optimizer) -> Any:
    """Returns the graph computation that trains the model on the data of a client."""
    optimizer, trainable, others = client.optimizer, model.trainable, model.non_trainable
    state, begun = client.variables, client.initial

    def trained(weights: Any, batches: Any) -> Any:
        _assign(trainable, weights.trainable)
        _assign(others, weights.non_trainable)
        _assign(state, begun)
        total, examples = _native.constant(0.0), _native.constant(0.0)
        for batch in batches:
            inputs, wanted = parts(batch)
            with GradientTape() as tape:
                loss = model.loss(wanted, model.layer(inputs))
            gradients = tape.gradient(loss, trainable)
            optimizer.apply_gradients(zip(gradients, trainable, strict=True))
            count = _native.cast(_native.shape(inputs)[0], _native.float32)
            total = total + _native.cast(loss, _native.float32) * count
            examples = examples + count
        learned = _less(weights.trainable, _values(trainable))
        # All processes hold the same again.
        _assign(trainable, weights.trainable)
        _assign(others, weights.non_trainable)
        _assign(state, begun)
        return {"learned": learned, "examples": examples, "loss": total}

    weights = graph_computation(lambda: _weights(model)).type_signature.result
    return graph_computation(trained, weights, SequenceType(_element_type(model.input_spec)))


@do_not_convert
def _less(before: Any, behind: Any) -> list[Any]:
    """Returns what training has taken off each weight: the gradient for the server's optimizer."""
    return [one - other for one, other in zip(before, behind, strict=True)]


def _updated(model: Model, server: _Optimizer) -> Any:
    """Returns the graph computation that takes the average of what clients have learned into the weights."""
    optimizer, trainable, state = server.optimizer, model.trainable, server.variables

    def updated(weights: Any, held: Any, learned: Any, examples: Any) -> Any:
        _assign(trainable, weights.trainable)
        _assign(state, held)
        if examples > 0.0:
            optimizer.apply_gradients(zip(learned, trainable, strict=True))
        new = ModelWeights(_values(trainable), weights.non_trainable)
        return {"weights": new, "optimizer": _values(state)}

    initial = graph_computation(lambda: (_weights(model), _values(server.variables))).type_signature.result
    return graph_computation(updated, initial[0], initial[1], initial[0]["trainable"], np.float32)
