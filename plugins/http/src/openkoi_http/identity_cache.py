"""Cache the encoding of immutable values: messages, since a conversation only grows, and all runs' tools."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from openkoi_hookspecs import Arguments, Tool

F = TypeVar("F")
W = TypeVar("W")

ENTRY_OVERHEAD_BYTES = 1_000  # of a message, its parts and its place in the cache
MAX_DEFINITIONS = 1_000  # a run has about 15 tools, and a few hundred with MCP servers
CACHE_BYTES = 2 * 1024 * 1024  # re-encoding as much takes 10 ms, and a process of many runs keeps what ended ones left


class IdentityCache(Generic[F, W]):
    """A least-recently-used cache of values made from immutable objects.

    An object is identified by its id and kept referenced, so that the id is not reused. ``size_of`` returns the size of
    a value in bytes, ``max_bytes`` limits the total.
    """

    def __init__(self, make: Callable[[F], W], *, size_of: Callable[[W], int], max_bytes: int = CACHE_BYTES) -> None:
        self._make = make
        self._weigh = size_of
        self._room = max_bytes
        self._kept: OrderedDict[int, tuple[F, W]] = OrderedDict()
        self.size = 0

    def get_all(self, facts: Iterable[F]) -> list[W]:
        """Return the value made from each object, in order."""
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
        self.size += self._weigh(entry[1]) + ENTRY_OVERHEAD_BYTES
        while self.size > self._room and len(self._kept) > 1:
            _, (_, forgotten) = self._kept.popitem(last=False)
            self.size -= self._weigh(forgotten) + ENTRY_OVERHEAD_BYTES
        return entry


class SerializedCache(IdentityCache[F, bytes]):
    """A cache of encoded objects."""

    def __init__(self, write: Callable[[F], bytes], *, max_bytes: int = CACHE_BYTES) -> None:
        super().__init__(write, size_of=len, max_bytes=max_bytes)

    def join(self, facts: Iterable[F]) -> bytes:
        """Return encoded objects as the inside of a JSON array; skip empty ones."""
        return b",".join(filter(None, self.get_all(facts)))


class ToolEncoder:
    """Encode tools; ``write`` encodes one. Definitions are kept, never tools: the function of a tool keeps its run."""

    def __init__(self, write: Callable[[Tool], bytes]) -> None:
        self._write = write
        self._known: dict[tuple[str, str], tuple[Arguments, bytes]] = {}

    def join(self, tools: Iterable[Tool]) -> bytes:
        """Return encoded tools as the inside of a JSON array; skip empty ones."""
        return b",".join(filter(None, map(self._encode, tools)))

    def _encode(self, tool: Tool) -> bytes:
        key = tool.name, tool.description
        parameters, encoded = self._known.get(key, (None, b""))
        if parameters is None or (parameters is not tool.parameters and parameters != tool.parameters):
            encoded = self._write(tool)
            self._known[key] = tool.parameters, encoded
            self._evict()
        return encoded

    def _evict(self) -> None:
        while len(self._known) > MAX_DEFINITIONS:
            self._known.pop(next(iter(self._known)))
