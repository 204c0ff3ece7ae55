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
      >>> from graphwright.federated.templates import errors
      >>> issubclass(errors.TemplateNotMeasuredProcessOutputError, TypeError)
      True
    """


class TemplateNextFnNumArgsError(TypeError):
    """`next` takes another number of arguments.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> issubclass(errors.TemplateNextFnNumArgsError, TypeError)
      True
    """


class TemplateNotFederatedError(TypeError):
    """A value that is to be federated is not.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> issubclass(errors.TemplateNotFederatedError, TypeError)
      True
    """


class TemplatePlacementError(TypeError):
    """A value is at another placement.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> issubclass(errors.TemplatePlacementError, TypeError)
      True
    """
