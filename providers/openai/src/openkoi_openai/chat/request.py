"""Build requests of the Chat Completions API, reusing the bytes of unchanged parts."""

import json
from collections.abc import Iterator, Mapping
from functools import partial

from openkoi_hookspecs import Arguments, Json, Request, Tool
from openkoi_http import ConversationEncoder, ToolEncoder, encode_json

from ..output_schema import convert_schema
from ..reasoning_models import is_reasoning_model
from .messages import encode_message
from .server_quirks import ServerQuirks


class ChatRequestBuilder:
    """Build the request bodies of one provider."""

    def __init__(self, quirks: ServerQuirks = ServerQuirks()) -> None:  # noqa: B008 - frozen
        self._manners = quirks
        self._story = ConversationEncoder(partial(encode_message, reasoning_key=quirks.sent_reasoning_key))
        self._tools = ToolEncoder(encode_tool)

    def build(self, request: Request) -> bytes:
        """Return the body of a request; raise KoiError when a tool call has no result."""
        messages = filter(None, (self._encode_system(request), *self._story.encode(request.messages)))
        parts = [encode_json(self._settings(request))[:-1], b',"messages":[', b",".join(messages), b"]"]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        return b"".join((*parts, b"}"))

    def _settings(self, request: Request) -> Mapping[str, object]:
        manners = self._manners
        streams = request.schema is None or manners.streams_schemas
        settings = {
            "model": request.model,
            "stream": streams,
            "stream_options": {"include_usage": True} if streams and manners.stream_options else None,
            manners.limit_key: request.max_output,
            "temperature": request.temperature
            if manners.reasoning_temperature or not is_reasoning_model(request.model)
            else None,
            "response_format": None if request.schema is None else self._response_format(request.schema),
        }
        return {key: value for key, value in settings.items() if value is not None}

    def _response_format(self, schema: Arguments) -> Mapping[str, Json]:
        if self._manners.schema_format == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": convert_schema(schema)}

    def _encode_system(self, request: Request) -> bytes:
        """Encode the system blocks as one message, because many servers accept only one."""
        text = "\n\n".join(filter(None, (*request.system, *self._schema_prompt(request))))
        return encode_json({"role": "system", "content": text}) if text else b""

    def _schema_prompt(self, request: Request) -> Iterator[str]:
        if request.schema is not None and self._manners.schema_format == "json_object":
            schema = json.dumps(dict(request.schema), ensure_ascii=False)
            yield f"Answer with a single JSON object and nothing else. It must match this JSON Schema: {schema}"


def encode_tool(tool: Tool) -> bytes:
    """Encode a tool definition."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return encode_json({"type": "function", "function": function})
