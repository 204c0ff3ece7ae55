"""Names of contexts and executors for those who build with them; `framework` has them too."""

from .contexts import AsyncExecutionContext, SyncExecutionContext
from .executors import (
    ComposingExecutor,
    Executor,
    FederatingExecutor,
    LeafExecutor,
    ReferenceExecutor,
    ReferenceResolvingExecutor,
    SequenceExecutor,
)
from .factories import (
    ExecutorFactory,
    composing_executor_factory,
    local_executor_factory,
    reference_executor_factory,
)
from .observing import observe_aggregation
from .remote import RayExecutionContext, RemoteExecutor, ray_executor_factory

__all__ = [
    "AsyncExecutionContext",
    "ComposingExecutor",
    "Executor",
    "ExecutorFactory",
    "FederatingExecutor",
    "LeafExecutor",
    "RayExecutionContext",
    "ReferenceExecutor",
    "ReferenceResolvingExecutor",
    "RemoteExecutor",
    "SequenceExecutor",
    "SyncExecutionContext",
    "composing_executor_factory",
    "local_executor_factory",
    "observe_aggregation",
    "ray_executor_factory",
    "reference_executor_factory",
]
