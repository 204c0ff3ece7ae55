"""Processes: iterative, measured, aggregating and estimating ones, and computations that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright.federated as tff

INT, FLOAT = np.int32, np.float32
templates, errors = tff.templates, tff.templates.errors

zero = tff.graph_computation(lambda: np.int32(0))
add = tff.graph_computation(lambda a, b: a + b, INT, INT)
add_one = tff.graph_computation(lambda x: x + 1, INT)


def server(member):
    return tff.FederatedType(member, tff.SERVER)


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


@tff.federated_computation
def zero_at_server():
    return tff.federated_value(0, tff.SERVER)


@tff.federated_computation(server(INT), clients(INT))
def summed(state, values):
    total = tff.federated_sum(values)
    state = tff.federated_map(add, (state, total))
    return templates.MeasuredProcessOutput(state, total, tff.federated_zip({"count": state}))


def test_an_iterative_process_with_the_state_alone():
    process = templates.IterativeProcess(zero, add_one)
    state = process.initialize()
    for _ in range(3):
        state = process.next(state)
    assert state == 3
    assert process.state_type == tff.TensorType(INT)
    assert process.is_stateful


def test_an_iterative_process_with_more_arguments():
    process = templates.IterativeProcess(zero, tff.graph_computation(lambda s, x: (s + x, x), INT, INT))
    assert process.next(process.initialize(), 5) == (5, 5)
    assert process.state_type == tff.TensorType(INT)


def test_a_state_that_is_a_struct_is_the_parameter_if_that_fits():
    pair = tff.graph_computation(lambda: (np.int32(1), np.int32(2)))
    swap = tff.graph_computation(lambda x: (x[1], x[0]), tff.to_type((INT, INT)))
    process = templates.IterativeProcess(pair, swap)
    assert process.next(process.initialize()) == (2, 1)
    with pytest.raises(errors.TemplateStateNotAssignableError):
        templates.IterativeProcess(pair, swap, next_is_multi_arg=True)


@pytest.mark.parametrize(
    ("initialize", "next_fn", "error", "text"),
    [
        (lambda: 0, add_one, TypeError, "initialize_fn is a computation"),
        (zero, lambda x: x, TypeError, "next_fn is a computation"),
        (add_one, add_one, errors.TemplateInitFnParamNotEmptyError, "int32"),
        (zero, zero, errors.TemplateStateNotAssignableError, "no parameter"),
        (zero, tff.graph_computation(lambda x: x, FLOAT), errors.TemplateStateNotAssignableError, "float32"),
        (
            zero,
            tff.graph_computation(lambda x: np.float32(1.0), INT),
            errors.TemplateStateNotAssignableError,
            "float32",
        ),
    ],
)
def test_computations_that_make_no_process(initialize, next_fn, error, text):
    assert issubclass(error, TypeError)
    with pytest.raises(error, match=text):
        templates.IterativeProcess(initialize, next_fn)


def test_a_measured_process():
    process = templates.MeasuredProcess(zero_at_server, summed)
    output = process.next(process.initialize(), [1, 2, 3])
    assert output == templates.MeasuredProcessOutput(6, 6, {"count": 6})
    assert process.next(output.state, [4]).state == 10
    with pytest.raises(errors.TemplateNotMeasuredProcessOutputError):
        templates.MeasuredProcess(zero, add_one)


def test_an_aggregation_process():
    process = templates.AggregationProcess(zero_at_server, summed)
    assert not process.is_weighted
    assert process.next(process.initialize(), [1, 2]).result == 3

    @tff.federated_computation(server(INT), clients(FLOAT), clients(FLOAT))
    def mean(state, values, weights):
        found = tff.federated_mean(values, weights)
        return templates.MeasuredProcessOutput(state, found, tff.federated_value((), tff.SERVER))

    weighted = templates.AggregationProcess(zero_at_server, mean)
    assert weighted.is_weighted
    assert weighted.next(0, [1.0, 4.0], [1.0, 3.0]).result == 3.25


def _output(state, value):
    return templates.MeasuredProcessOutput(state, value, state)


@pytest.mark.parametrize(
    ("initialize", "types", "body", "error"),
    [
        (zero_at_server, [server(INT)], lambda s: _output(s, s), errors.TemplateNextFnNumArgsError),
        (zero, [INT, clients(INT)], _output, errors.TemplateNotFederatedError),
        (zero_at_server, [server(INT), server(INT)], _output, errors.TemplatePlacementError),
        (zero_at_server, [server(INT), clients(INT)], _output, errors.TemplatePlacementError),
        (zero_at_server, [server(INT), INT], _output, errors.TemplateNotFederatedError),
    ],
    ids=["one argument", "unplaced state", "values at the server", "result at clients", "unplaced values"],
)
def test_computations_that_make_no_aggregation(initialize, types, body, error):
    if len(types) == 1:
        next_fn = tff.federated_computation(lambda arguments: body(arguments[0]), tff.StructType(types))
    else:
        next_fn = tff.federated_computation(body, *types)
    with pytest.raises(error):
        templates.AggregationProcess(initialize, next_fn)


def test_an_estimation_process():
    double = tff.federated_computation(
        lambda s: tff.federated_map(tff.graph_computation(lambda x: x * 2, INT), s), server(INT)
    )

    @tff.federated_computation(server(INT), clients(INT))
    def added(state, values):
        return tff.federated_map(add, (state, tff.federated_sum(values)))

    process = templates.EstimationProcess(zero_at_server, added, double)
    state = process.next(process.initialize(), [1, 2])
    assert process.report(state) == 6
    assert process.map(add_one).report(state) == 7
    assert process.map(double).report(state) == 12
    with pytest.raises(TypeError, match="map_fn"):
        process.map(tff.graph_computation(lambda x: x, FLOAT))
    with pytest.raises(errors.TemplateStateNotAssignableError):
        templates.EstimationProcess(zero_at_server, added, tff.graph_computation(lambda x: x, FLOAT))
