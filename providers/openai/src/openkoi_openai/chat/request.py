"""Write a request as Chat Completions reads it, without writing again what was written before.

Knows the format; knows no connection.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial

from openkoi_hookspecs import Arguments, Json, Request, Tool
from openkoi_wire import Conversation, Serialised, written

from ..shape import shape
from ..thinkers import thinks
from .manners import Manners
from .turns import turns


class Scribe:
    """Writes the requests of a provider, as its server wants them."""

    def __init__(self, manners: Manners = Manners()) -> None:  # noqa: B008 - frozen
        self._manners = manners
        self._story = Conversation(partial(turns, thoughts_back=manners.thoughts_back))
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def write(self, request: Request) -> bytes:
        """Write a request; raises a KoiError when a tool call in it has no result."""
        messages = filter(None, (self._system(request), *self._story.write(request.messages)))
        parts = [written(self._settings(request))[:-1], b',"messages":[', b",".join(messages), b"]"]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        return b"".join((*parts, b"}"))

    def _settings(self, request: Request) -> Mapping[str, object]:
        manners = self._manners
        streams = request.schema is None or manners.stream_shapes
        settings = {
            "model": request.model,
            "stream": streams,
            "stream_options": {"include_usage": True} if streams and manners.stream_options else None,
            manners.limit_key: request.max_output,
            "temperature": request.temperature if manners.warm_thinkers or not thinks(request.model) else None,
            "response_format": None if request.schema is None else self._response_format(request.schema),
        }
        return {key: value for key, value in settings.items() if value is not None}

    def _response_format(self, schema: Arguments) -> Mapping[str, Json]:
        if self._manners.shape == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": shape(schema)}

    def _system(self, request: Request) -> bytes:
        """Write the system's blocks as one message: many a server takes no second one."""
        text = "\n\n".join(filter(None, (*request.system, *self._told_shape(request))))
        return written({"role": "system", "content": text}) if text else b""

    def _told_shape(self, request: Request) -> Iterator[str]:
        if request.schema is not None and self._manners.shape == "json_object":
            schema = json.dumps(dict(request.schema), ensure_ascii=False)
            yield f"Answer with one JSON object and nothing else. It has to fit this JSON Schema: {schema}"


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return written({"type": "function", "function": function})
