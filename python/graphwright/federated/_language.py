"""The public names of the federated language, from the native module."""

from __future__ import annotations

import abc

from .. import _federated as native


class TypedObject(abc.ABC):
    """An object with a `type_signature`; values, computations and building blocks are such objects.

    Raises:
      TypeError: an abstract class is instantiated.

    Example:
      >>> import graphwright.federated as tff
      >>> @tff.graph_computation(np.int32)
      ... def add_one(x):
      ...     return x + 1
      >>> objects = add_one, add_one.to_building_block()
      >>> [str(each.type_signature) for each in objects if isinstance(each, tff.TypedObject)]
      ['(int32 -> int32)', '(int32 -> int32)']
    """

    @property
    @abc.abstractmethod
    def type_signature(self) -> native.Type:
        """The type."""


for _kind in (
    native.Value,
    native.Computation,
    native.ComputationBuildingBlock,
):
    TypedObject.register(_kind)
