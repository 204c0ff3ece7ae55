"""`IterativeProcess`: a computation that makes a state, and one that takes it a round further."""

from __future__ import annotations

from typing import Any

from ..framework import Computation, StructType
from .errors import TemplateInitFnParamNotEmptyError, TemplateStateNotAssignableError


class IterativeProcess:
    """A process: `initialize` makes its state, `next` takes a state and gives the one behind a round.

    Args:
      initialize_fn: a computation without a parameter.
      next_fn: a computation whose parameter, or first argument, is a state, and whose result, or its first
        element, is one.
      next_is_multi_arg: True if the state is the first of several arguments, False if it is the parameter;
        None to find it out.

    Raises:
      TypeError: one of them is no computation.
      TemplateInitFnParamNotEmptyError: `initialize_fn` takes a parameter.
      TemplateStateNotAssignableError: states do not fit.

    Example:
      >>> import graphwright.federated as tff
      >>> start = tff.federated_computation(lambda: tff.federated_value(0, tff.SERVER))
      >>> state = tff.FederatedType(np.int32, tff.SERVER)
      >>> add = tff.graph_computation(lambda a, b: a + b, [np.int32, np.int32])
      >>> @tff.federated_computation(state, tff.FederatedType(np.int32, tff.CLIENTS))
      ... def total(before, x):
      ...     return tff.federated_map(add, (before, tff.federated_sum(x)))
      >>> process = tff.templates.IterativeProcess(start, total)
      >>> int(process.next(process.initialize(), [1, 2, 3]))
      6
    """

    def __init__(self, initialize_fn: Any, next_fn: Any, next_is_multi_arg: bool | None = None) -> None:
        _check_computation("initialize_fn", initialize_fn)
        _check_computation("next_fn", next_fn)
        if initialize_fn.type_signature.parameter is not None:
            raise TemplateInitFnParamNotEmptyError(
                f"initialize_fn takes no parameter; this one takes {initialize_fn.type_signature.parameter}"
            )
        state = initialize_fn.type_signature.result
        self._state_type = _state_parameter(next_fn, state, next_is_multi_arg)
        _check_result(next_fn, self._state_type)
        self._initialize, self._next = initialize_fn, next_fn

    @property
    def initialize(self) -> Any:
        """The computation that makes a state."""
        return self._initialize

    @property
    def next(self) -> Any:
        """The computation of a round."""
        return self._next

    @property
    def state_type(self) -> Any:
        """The type of the state."""
        return self._state_type

    @property
    def is_stateful(self) -> bool:
        """False if the state holds nothing."""
        member = getattr(self._state_type, "member", self._state_type)
        return not (isinstance(member, StructType) and len(member) == 0)


def _check_computation(name: str, value: Any) -> None:
    if not isinstance(value, Computation):
        raise TypeError(f"{name} is a computation, not a value of type {type(value).__name__}")


def _state_parameter(next_fn: Any, state: Any, is_multi_arg: bool | None) -> Any:
    """Returns the type of the state that `next` takes: its parameter, or the first element of that."""
    parameter = next_fn.type_signature.parameter
    if parameter is None:
        raise TemplateStateNotAssignableError("next_fn takes no parameter, and so no state")
    if is_multi_arg is not True and parameter.is_assignable_from(state):
        return parameter
    if is_multi_arg is not False and isinstance(parameter, StructType) and len(parameter):
        first = parameter[0]
        if first.is_assignable_from(state):
            return first
    raise TemplateStateNotAssignableError(
        f"the state that initialize_fn gives, {state}, does not fit what next_fn takes, {parameter}"
    )


def _check_result(next_fn: Any, state: Any) -> None:
    result = next_fn.type_signature.result
    if state.is_assignable_from(result):
        return
    if isinstance(result, StructType) and len(result) and state.is_assignable_from(result[0]):
        return
    raise TemplateStateNotAssignableError(
        f"what next_fn gives, {result}, or its first element, is no state of type {state}"
    )
