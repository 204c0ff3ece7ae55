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
      >>> issubclass(errors.TemplateInitFnParamNotEmptyError, TypeError)
      True
    """


class TemplateStateNotAssignableError(TypeError):
    """A state does not fit where it is to go in.

    Example:
      >>> from graphwright.federated.templates import errors
      >>> issubclass(errors.TemplateStateNotAssignableError, TypeError)
      True
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
