"""Stacks of executors that all have to give the same, and calls of computations in them."""

from __future__ import annotations

import graphwright.federated as tff

framework = tff.framework

#: Factories of stacks by name; the first judges the others.
STACKS = {
    "reference": framework.reference_executor_factory,
    "local": framework.local_executor_factory,
    "loops of 8": lambda: framework.local_executor_factory(clients_per_loop=8),
    "composing": lambda: framework.composing_executor_factory(fan_out=3),
    "threads": lambda: framework.local_executor_factory(max_workers=2),
}


def context(name, default_num_clients=0):
    """A context with a stack of this name."""
    return framework.SyncExecutionContext(STACKS[name](), default_num_clients)


def called(stack, computation, *args, clients=0):
    """The result of a computation in a stack."""
    with framework.get_context_stack().install(context(stack, clients)):
        return computation(*args)
