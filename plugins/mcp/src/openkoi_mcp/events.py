"""The events of MCP servers."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ToolsOffered(Event):
    """A run is offered the tools of a server: how many, and whether their schemas are sent with every request."""

    name = "mcp.offered"
    server: str
    tools: int
    prompts: int
    deferred: bool


@dataclass(frozen=True, slots=True)
class CallProgressed(Event):
    """A server's progress with a call; shown, but not kept."""

    name = "mcp.progress"
    durable = False
    text: str

    @property
    def line(self) -> str:
        """The text that the user reads."""
        return self.text
