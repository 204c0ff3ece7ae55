"""The shape of a tensor, as a tuple."""

from __future__ import annotations


class TensorShape(tuple[int | None, ...]):
    """Lengths of the axes; `None` where a length is known only when the graph runs."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    ndims = rank

    def as_list(self) -> list[int | None]:
        """The lengths as a list."""
        return list(self)

    def is_fully_defined(self) -> bool:
        """Whether every length is known now."""
        return None not in self

    def num_elements(self) -> int | None:
        """The number of elements, or `None` if it is not known now."""
        count = 1
        for length in self:
            if length is None:
                return None
            count *= length
        return count
