"""Build requests for the Gemini API, with tools and settings, reusing the bytes of unchanged parts.

The parts that stay the same come first, so that each request starts with the bytes of the one before it.
"""

from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Request, Tool
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import ConversationEncoder, ToolEncoder, encode_json

from .access import resource_name
from .messages import MessageEncoder

FLAT = lazy_pattern(r"(?!gemini)|gemini-[12]\b")  # Gemini 3 was the first that takes images inside of a tool's result


class GeminiRequestBuilder:
    """Build the request bodies of one provider; ``thoughts`` requests summaries of a model's reasoning."""

    def __init__(self, thoughts: bool = False) -> None:
        self._thoughts = thoughts
        self._tellers = {nested: MessageEncoder(nested=nested) for nested in (False, True)}
        self._stories = {nested: ConversationEncoder(teller.encode) for nested, teller in self._tellers.items()}
        self._tools = ToolEncoder(encode_tool)

    def build(self, request: Request) -> bytes:
        """Return the body of a request; raise KoiError when a tool call has no result."""
        return b"{" + b",".join(self._fields(request)) + b"}"

    def build_count(self, request: Request) -> bytes:
        """Return the body of a token count request; raise KoiError like ``build``."""
        named = b'"model":' + encode_text(resource_name(request.model))
        return b'{"generateContentRequest":{' + b",".join((named, *self._fields(request))) + b"}}"

    def _fields(self, request: Request) -> Iterable[bytes]:
        nested = not FLAT.match(request.model.removeprefix("models/"))
        self._tellers[nested].follow(request.messages)
        messages = self._stories[nested].encode(request.messages)
        system = [{"text": block} for block in request.system if block]
        if system:
            yield b'"systemInstruction":' + encode_json({"parts": system})
        if request.tools:
            yield b'"tools":[{"functionDeclarations":[' + self._tools.join(request.tools) + b"]}]"
        yield b'"contents":[' + b",".join(messages) + b"]"
        if settings := self._settings(request):
            yield b'"generationConfig":' + encode_json(settings)

    def _settings(self, request: Request) -> Mapping[str, object]:
        settings = {
            "maxOutputTokens": request.max_output,
            "temperature": request.temperature,
            "responseMimeType": None if request.schema is None else "application/json",
            "responseJsonSchema": None if request.schema is None else dict(request.schema),
            "thinkingConfig": {"includeThoughts": True} if self._thoughts else None,
        }
        return {key: value for key, value in settings.items() if value is not None}


def encode_tool(tool: Tool) -> bytes:
    """Encode a function declaration with its JSON Schema unchanged."""
    return encode_json(
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}
    )


def encode_text(text: str) -> bytes:
    """Encode a string as JSON."""
    return encode_json({"": text})[4:-1]
