"""What was written once is not written again: a conversation only grows, so what was made of it is kept.

Knows that facts are frozen; knows neither messages nor vendors.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

F = TypeVar("F")
W = TypeVar("W")

ENTRY = 400
ROOM = 64 * 1024 * 1024


class Kept(Generic[F, W]):
    """What was made of frozen facts, the least recently used forgotten first.

    A fact is known by its identity and held, so that no other can take its place while what was made of it is kept.
    ``weigh`` tells how many bytes something takes, ``room`` how many there are for all.
    """

    def __init__(self, make: Callable[[F], W], *, weigh: Callable[[W], int], room: int = ROOM) -> None:
        self._make = make
        self._weigh = weigh
        self._room = room
        self._kept: OrderedDict[int, tuple[F, W]] = OrderedDict()
        self.size = 0

    def all(self, facts: Iterable[F]) -> list[W]:
        """Return what is made of each fact, in order."""
        found = []
        for fact in facts:
            entry = self._kept.get(id(fact))
            if entry is None:
                entry = self._add(fact)
            else:
                self._kept.move_to_end(id(fact))
            found.append(entry[1])
        return found

    def _add(self, fact: F) -> tuple[F, W]:
        entry = self._kept[id(fact)] = (fact, self._make(fact))
        self.size += self._weigh(entry[1]) + ENTRY
        while self.size > self._room and len(self._kept) > 1:
            _, (_, forgotten) = self._kept.popitem(last=False)
            self.size -= self._weigh(forgotten) + ENTRY
        return entry


class Serialised(Kept[F, bytes]):
    """The bytes of frozen facts."""

    def __init__(self, write: Callable[[F], bytes], *, room: int = ROOM) -> None:
        super().__init__(write, weigh=len, room=room)

    def join(self, facts: Iterable[F]) -> bytes:
        """Write facts as the inside of a JSON array; those that write nothing are left out."""
        return b",".join(filter(None, self.all(facts)))
