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
    """`initialize` takes a parameter."""


class TemplateStateNotAssignableError(TypeError):
    """A state does not fit where it is to go in."""


class TemplateNotMeasuredProcessOutputError(TypeError):
    """`next` returns no `MeasuredProcessOutput`."""


class TemplateNextFnNumArgsError(TypeError):
    """`next` takes another number of arguments."""


class TemplateNotFederatedError(TypeError):
    """A value that is to be federated is not."""


class TemplatePlacementError(TypeError):
    """A value is at another placement."""
