"""Errors of processes whose computations do not fit together; all are `TypeError`s."""

__all__ = [
    "TemplateInitFnParamNotEmptyError",
    "TemplateNextFnNumArgsError",
    "TemplateNotFederatedError",
    "TemplateNotMeasuredProcessOutputError",
    "TemplatePlacementError",
    "TemplateStateNotAssignableError",
]


class TemplateInitFnParamNotEmptyError(TypeError):
    """`initialize` takes a parameter.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> import graphwright.federated as tff
      >>> same = tff.graph_computation(lambda x: x, np.int32)
      >>> tff.templates.IterativeProcess(same, same)
      Traceback (most recent call last):
      TemplateInitFnParamNotEmptyError: …
    """


class TemplateStateNotAssignableError(TypeError):
    """A state does not fit where it is to go in.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> import graphwright.federated as tff
      >>> zero = tff.graph_computation(lambda: 0)
      >>> negated = tff.graph_computation(lambda x: not x, np.bool_)
      >>> tff.templates.IterativeProcess(zero, negated)
      Traceback (most recent call last):
      TemplateStateNotAssignableError: …
    """


class TemplateNotMeasuredProcessOutputError(TypeError):
    """`next` returns no `MeasuredProcessOutput`.

    Example:
      >>> import graphwright.federated as tff
      >>> from graphwright.federated.templates import errors
      >>> zero = tff.federated_computation(lambda: tff.federated_value(0, tff.SERVER))
      >>> server = tff.FederatedType(np.int32, tff.SERVER)
      >>> same = tff.federated_computation(lambda state: state, server)
      >>> tff.templates.MeasuredProcess(zero, same)
      Traceback (most recent call last):
          ...
      graphwright.federated.templates.errors.TemplateNotMeasuredProcessOutputError: next_fn of …
    """


class TemplateNextFnNumArgsError(TypeError):
    """`next` takes another number of arguments.

    Example:
      >>> import graphwright.federated as tff
      >>> from graphwright.federated.templates import errors
      >>> zero = tff.federated_computation(lambda: tff.federated_value(0, tff.SERVER))
      >>> server = tff.FederatedType(np.int32, tff.SERVER)
      >>> @tff.federated_computation(server, server, server, server)
      ... def four_arguments(state, a, b, c):
      ...     return tff.templates.MeasuredProcessOutput(state, state, state)
      >>> tff.templates.AggregationProcess(zero, four_arguments)
      Traceback (most recent call last):
          ...
      graphwright.federated.templates.errors.TemplateNextFnNumArgsError: next
    """


class TemplateNotFederatedError(TypeError):
    """A value that is to be federated is not.

    Example:
      >>> import graphwright.federated as tff
      >>> from graphwright.federated.templates import errors
      >>> zero = tff.federated_computation(lambda: tff.federated_value(0, tff.SERVER))
      >>> server = tff.FederatedType(np.int32, tff.SERVER)
      >>> @tff.federated_computation(server, np.int32)
      ... def unplaced(state, value):
      ...     return tff.templates.MeasuredProcessOutput(state, state, state)
      >>> tff.templates.AggregationProcess(zero, unplaced)
      Traceback (most recent call last):
          ...
      graphwright.federated.templates.errors.TemplateNotFederatedError: the values of an AggregationProcess
    """


class TemplatePlacementError(TypeError):
    """A value is at another placement.

    Example:
      >>> import graphwright.federated as tff
      >>> from graphwright.federated.templates import errors
      >>> zero = tff.federated_computation(lambda: tff.federated_value(0, tff.SERVER))
      >>> server = tff.FederatedType(np.int32, tff.SERVER)
      >>> clients = tff.FederatedType(np.int32, tff.CLIENTS)
      >>> @tff.federated_computation(server, clients)
      ... def result_at_clients(state, values):
      ...     return tff.templates.MeasuredProcessOutput(state, values, state)
      >>> tff.templates.AggregationProcess(zero, result_at_clients)
      Traceback (most recent call last):
          ...
      graphwright.federated.templates.errors.TemplatePlacementError: `result` of an AggregationProcess
    """
