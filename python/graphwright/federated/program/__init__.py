"""Programs around computations: contexts that give references, releases, states in files, data to select."""

from ..._public import publish as _publish
from ._context import (
    FederatedContext,
    NativeFederatedContext,
    check_in_federated_context,
    contains_only_server_placed_data,
)
from ._data import DatasetDataSource, FederatedDataSource, FederatedDataSourceIterator
from ._files import CSVFileReleaseManager, CSVSaveMode, TensorBoardReleaseManager
from ._release import (
    DelayedReleaseManager,
    FilteringReleaseManager,
    GroupingReleaseManager,
    LoggingReleaseManager,
    MemoryReleaseManager,
    NotFilterableError,
    PeriodicReleaseManager,
    ReleasedValueNotFoundError,
    ReleaseManager,
)
from ._state import (
    FileProgramStateManager,
    ProgramStateExistsError,
    ProgramStateManager,
    ProgramStateNotFoundError,
)
from ._values import MaterializableValueReference, NativeValueReference, materialize_value

__all__ = [
    "CSVFileReleaseManager",
    "CSVSaveMode",
    "DatasetDataSource",
    "DelayedReleaseManager",
    "FederatedContext",
    "FederatedDataSource",
    "FederatedDataSourceIterator",
    "FileProgramStateManager",
    "FilteringReleaseManager",
    "GroupingReleaseManager",
    "LoggingReleaseManager",
    "MaterializableValueReference",
    "MemoryReleaseManager",
    "NativeFederatedContext",
    "NativeValueReference",
    "NotFilterableError",
    "PeriodicReleaseManager",
    "ProgramStateExistsError",
    "ProgramStateManager",
    "ProgramStateNotFoundError",
    "ReleaseManager",
    "ReleasedValueNotFoundError",
    "TensorBoardReleaseManager",
    "check_in_federated_context",
    "contains_only_server_placed_data",
    "materialize_value",
]

_publish(__name__)
