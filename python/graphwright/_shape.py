"""The shape of a tensor, as a tuple."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from ._native import diagnosed as _diagnosed


class TensorShape(tuple[int | None, ...]):
    """Lengths of the axes; `None` where a length is known only when the graph runs.

    `TensorShape(None)` is the shape of which not even the number of axes is known.

    Example:
      >>> shape = gw.TensorShape([2, None])
      >>> shape.rank, shape.as_list()
      (2, [2, None])
    """

    __slots__ = ()

    def __new__(cls, dims: Iterable[int | None] | None = ()) -> TensorShape:
        """Of these lengths."""
        return super().__new__(UnknownShape) if dims is None else super().__new__(cls, dims)

    @property
    def rank(self) -> int | None:
        """The number of axes, `None` if it is not known."""
        return len(self)

    ndims = rank

    def as_list(self) -> list[int | None]:
        """Returns the lengths as a list.

        Returns:
          List of ints, with `None` for lengths that are not known.

        Raises:
          ValueError: the number of axes is not known.

        Example:
          >>> gw.ones([2, 3]).shape.as_list()
          [2, 3]
        """
        return list(self)

    def is_fully_defined(self) -> bool:
        """Tells whether every length is known now.

        Returns:
          bool.

        Example:
          >>> gw.TensorShape([2, None]).is_fully_defined()
          False
        """
        return None not in self

    def num_elements(self) -> int | None:
        """Returns the number of elements.

        Returns:
          int, or `None` if a length is not known.

        Example:
          >>> gw.TensorShape([2, 3]).num_elements()
          6
        """
        count = 1
        for length in self:
            if length is None:
                return None
            count *= length
        return count

    def __eq__(self, other: object) -> bool:
        """True if they are the same lengths; those of a list too."""
        return tuple(self) == tuple(other) if isinstance(other, tuple | list) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return super().__hash__()


class StagedShape(TensorShape):
    """The shape of a tensor of a graph; a length that only the run knows is a value of the graph.

    What must be known while tracing, such as `as_list()`, has `None` there.
    """

    __slots__ = ()

    def as_list(self) -> list[int | None]:
        """The lengths, `None` for those that only the run knows."""
        return [length if isinstance(length, int) else None for length in self]

    def is_fully_defined(self) -> bool:
        """Tells whether every length is known while tracing."""
        return None not in self.as_list()

    def num_elements(self) -> int | None:
        """The number of elements, `None` if it is not known while tracing."""
        return TensorShape(self.as_list()).num_elements()

    def __eq__(self, other: object) -> Any:
        """Compares lengths: a value of the graph, unless their number tells already."""
        if not isinstance(other, tuple | list):
            return NotImplemented
        if len(self) != len(other):
            return False
        equal: Any = True
        for own, one in zip(self, other, strict=True):
            same = own == one
            equal = same if equal is True else equal & same
        return equal

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else equal ^ True

    def __hash__(self) -> int:
        raise _diagnosed(
            "GW106",
            "a shape with a length that only the run of the graph knows is used as a key, or kept in a set",
            "use a length of it, `x.shape[0]`, or `tuple(x.shape.as_list())`, which has `None` for it",
        )


StagedShape.__name__ = StagedShape.__qualname__ = "TensorShape"


class UnknownShape(TensorShape):
    """The shape of which not even the number of axes is known."""

    __slots__ = ()

    @property
    def rank(self) -> None:
        """Is not known."""
        return None

    ndims = rank

    def is_fully_defined(self) -> bool:
        """It is not."""
        return False

    def num_elements(self) -> None:
        """Is not known."""
        return None

    def as_list(self) -> NoReturn:
        """There is none."""
        raise ValueError("the number of axes is not known, so there is no list of their lengths")

    def __len__(self) -> NoReturn:
        raise ValueError("the number of axes is not known")

    def __iter__(self) -> Iterator[int | None]:
        raise ValueError("the number of axes is not known")

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownShape)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, UnknownShape)

    def __hash__(self) -> int:
        return hash(UnknownShape)

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"
