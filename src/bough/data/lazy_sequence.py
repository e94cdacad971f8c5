"""Sequences whose items are made when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar, overload

Item = TypeVar("Item", covariant=True)


class LazySequence(Sequence[Item]):
    """Base class of such sequences; a subclass defines `__len__` and `_item`.

    >>> class Squares(LazySequence[int]):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def _item(self, position):
    ...         return position**2
    >>> Squares()[-1], Squares()[1:3]
    (9, [1, 4])
    >>> Squares()[7]
    Traceback (most recent call last):
    IndexError: index 7 is out of range: there are 4 items
    """

    _plural: ClassVar[str] = "items"

    @abstractmethod
    def _item(self, position: int) -> Item:
        """Return the item at a position from 0 on."""

    def _items(self, positions: range) -> list[Item]:
        return [self._item(position) for position in positions]

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return self._items(range(*index.indices(len(self))))
        position = int(index) + len(self) if index < 0 else int(index)
        if not 0 <= position < len(self):
            raise IndexError(f"index {index} is out of range: there are {len(self)} {self._plural}")
        return self._item(position)
