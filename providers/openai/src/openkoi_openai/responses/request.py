"""Write a request as the Responses API reads it, without writing again what was written before.

Nothing is stored at the vendor: reasoning travels with the conversation, under its seal. Knows no connection.
"""

from collections.abc import Mapping

from openkoi_hookspecs import Request, Tool
from openkoi_wire import Conversation, Serialised, written

from ..shape import shape
from ..thinkers import thinks
from .turns import turns

SHORTEST = 16


class Scribe:
    """Writes the requests of a provider. ``summary`` is how much of its thoughts a model shows."""

    def __init__(self, summary: str = "") -> None:
        self._summary = summary
        self._story = Conversation(turns)
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def write(self, request: Request) -> bytes:
        """Write a request; raises a KoiError when a tool call in it has no result."""
        items = b",".join(self._story.write(request.messages))
        parts = [written(self._settings(request))[:-1], b',"input":[', items, b"]"]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        return b"".join((*parts, b"}"))

    def _settings(self, request: Request) -> Mapping[str, object]:
        limit = request.max_output
        settings = {
            "model": request.model,
            "stream": True,
            "store": False,
            "instructions": "\n\n".join(block for block in request.system if block) or None,
            "max_output_tokens": None if limit is None else max(limit, SHORTEST),
            "text": None if request.schema is None else {"format": {"type": "json_schema", **shape(request.schema)}},
            **(self._thinking() if thinks(request.model) else {"temperature": request.temperature}),
        }
        return {key: value for key, value in settings.items() if value is not None}

    def _thinking(self) -> Mapping[str, object]:
        """Ask for the thoughts; models that have some take no temperature."""
        shown = {"summary": self._summary} if self._summary else None
        return {"include": ["reasoning.encrypted_content"], "reasoning": shown}


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool; its schema stays as it is."""
    told = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters), "strict": False}
    return written({"type": "function", **told})
