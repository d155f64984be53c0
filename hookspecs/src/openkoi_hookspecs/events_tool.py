"""Events of tool calls. Part of the catalogue ``events``."""

from .events_base import Event
from .lazy_dataclass import dataclass
from .tool import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class ToolCallStarted(Event):
    """Written before the call takes effect, so a call without a result may have happened.

    The user reads ``progress_text``. ``by_plugin``: a plugin calls the tool, so that neither the call nor its result is
    part of the conversation.
    """

    name = "tool_call"
    call: ToolCall
    progress_text: str = ""
    by_plugin: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallFinished(Event):
    """The result, as the model reads it."""

    name = "tool_result"
    batched = True
    result: ToolResult
    by_plugin: bool = False


@dataclass(frozen=True, slots=True)
class ToolResultsReady(Event):
    """All calls of a cycle have their results."""

    name = "tool.results"
    durable = False
    cycle: int
