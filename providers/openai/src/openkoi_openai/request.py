"""Write a request as Chat Completions reads it, without writing again what was written before.

Knows the format; knows no connection.
"""

import re
from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json, Request, Tool
from openkoi_wire import Serialised

from .story import Story, written

NOT_A_NAME = re.compile(r"[^\w-]+", re.ASCII)


class Scribe:
    """Writes the requests of a provider. ``limit_key`` is the name of the longest answer."""

    def __init__(self, limit_key: str) -> None:
        self._limit_key = limit_key
        self._story = Story()
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def write(self, request: Request) -> bytes:
        """Write a request; raises a KoiError when a tool call in it has no result."""
        messages = filter(None, (written_system(request), self._story.write(request.messages)))
        parts = [written(self._settings(request))[:-1], b',"messages":[', b",".join(messages), b"]"]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        return b"".join((*parts, b"}"))

    def _settings(self, request: Request) -> Mapping[str, object]:
        settings = {
            "model": request.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            self._limit_key: request.max_output,
            "temperature": request.temperature,
            "response_format": None if request.schema is None else response_format(request.schema),
        }
        return {key: value for key, value in settings.items() if value is not None}


def response_format(schema: Arguments) -> Mapping[str, Json]:
    """Ask for an answer of this shape."""
    name = NOT_A_NAME.sub("_", str(schema.get("title") or "answer"))[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}


def written_system(request: Request) -> bytes:
    """Write the system's blocks as one message: many a server takes no second one."""
    text = "\n\n".join(block for block in request.system if block)
    return written({"role": "system", "content": text}) if text else b""


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return written({"type": "function", "function": function})
