"""Build requests of OpenAI's Responses API, reusing the bytes of unchanged parts.

Nothing is stored at the vendor: encrypted reasoning is sent with the conversation.
"""

from collections.abc import Mapping

from openkoi_hookspecs import Request, Tool
from openkoi_http import ConversationEncoder, ToolEncoder, encode_json

from ..output_schema import convert_schema
from ..reasoning_models import is_reasoning_model
from .messages import encode_message

MIN_OUTPUT_TOKENS = 16  # the smallest limit that OpenAI accepts


class ResponsesRequestBuilder:
    """Build the request bodies of one provider; ``summary`` requests summaries of reasoning."""

    def __init__(self, summary: str = "") -> None:
        self._summary = summary
        self._story = ConversationEncoder(encode_message)
        self._tools = ToolEncoder(encode_tool)

    def build(self, request: Request) -> bytes:
        """Return the body of a request; raise KoiError when a tool call has no result."""
        items = b",".join(self._story.encode(request.messages))
        parts = [encode_json(self._settings(request))[:-1], b',"input":[', items, b"]"]
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
            "max_output_tokens": None if limit is None else max(limit, MIN_OUTPUT_TOKENS),
            "text": None
            if request.schema is None
            else {"format": {"type": "json_schema", **convert_schema(request.schema)}},
            **(
                self._reasoning_settings()
                if is_reasoning_model(request.model)
                else {"temperature": request.temperature}
            ),
        }
        return {key: value for key, value in settings.items() if value is not None}

    def _reasoning_settings(self) -> Mapping[str, object]:
        """Return the settings of reasoning models, which accept no temperature."""
        shown = {"summary": self._summary} if self._summary else None
        return {"include": ["reasoning.encrypted_content"], "reasoning": shown}


def encode_tool(tool: Tool) -> bytes:
    """Encode a tool definition with its schema unchanged."""
    definition = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return encode_json({"type": "function", **definition, "strict": False})
