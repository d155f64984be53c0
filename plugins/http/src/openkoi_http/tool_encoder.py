"""Encode the definitions of tools, each once for all runs."""

from collections.abc import Callable, Iterable

from openkoi_hookspecs import Arguments, Tool

MAX_DEFINITIONS = 1_000  # a run has about 15 tools, and a few hundred with MCP servers


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
