"""Build requests for the Messages API with breakpoints for prompt caching (``cache_control``).

Tools, system and messages stand first and settings last, and the bytes of unchanged parts are reused, so that each
request starts with the bytes of the one before it and the vendor's prompt cache applies.
"""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Message, Request, Tool
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import ConversationEncoder, SerializedCache, ToolEncoder, encode_json

from .messages import CACHE_BREAKPOINT, add_breakpoint, encode_message, encode_message_with_breakpoint, encode_text
from .output_schema import convert_schema
from .thinking import Thinking, thinking_for

TEMPERATURE_MODELS = lazy_pattern(r"claude-(?:3|haiku-4|sonnet-4|opus-4-(?:[015]\b|20))")
MAX_TEMPERATURE = 1.0


class MessagesRequestBuilder:
    """Build the request bodies of one provider.

    Up to four cache breakpoints are set: after the first system block (or the tools when there is only one block),
    after the last system block, after the first message, and one that the vendor moves along with the last message.
    """

    def __init__(self, thinking: Thinking = "off") -> None:
        self._thinking = thinking
        self._story = ConversationEncoder(encode_message)
        self._openings: SerializedCache[Message] = SerializedCache(encode_first_message)
        self._tools = ToolEncoder(lambda tool: encode_json(describe_tool(tool)))
        self._last_tools = ToolEncoder(lambda tool: encode_json(add_breakpoint(describe_tool(tool))))

    def build(self, request: Request, output: int) -> bytes:
        """Return the body of a request; ``output`` is the token limit when the request has none.

        Raise KoiError when a tool call has no result.
        """
        limit = request.max_output or output
        thinking = thinking_for(request, self._thinking, limit)
        settings = {
            "max_tokens": limit,
            "stream": True,
            "thinking": thinking,
            "temperature": None if thinking else temperature_for(request),
        }
        return self._encode(request, settings)

    def build_count(self, request: Request, output: int) -> bytes:
        """Return the body of a token count request."""
        thinking = thinking_for(request, self._thinking, request.max_output or output)
        return self._encode(request, {"thinking": thinking})

    def _encode(self, request: Request, settings: Mapping[str, object]) -> bytes:
        system = [block for block in request.system if block.strip()]
        shape = (
            {"format": {"type": "json_schema", "schema": convert_schema(request.schema)}} if request.schema else None
        )
        last = {**settings, "output_config": shape, "cache_control": CACHE_BREAKPOINT}
        lists = {
            "tools": self._encode_tools(request.tools, mark=len(system) < 2),
            "system": b",".join(encode_system(system)),
            "messages": b",".join(self._encode_messages(request.messages)),
        }
        parts = [b'"%s":[%s]' % (name.encode(), inside) for name, inside in lists.items() if inside]
        tail = encode_json({key: value for key, value in last.items() if value is not None})[1:]
        return b",".join((encode_json({"model": request.model})[:-1], *parts, tail))

    def _encode_tools(self, tools: Sequence[Tool], mark: bool) -> bytes:
        if not mark:
            return self._tools.join(tools)
        return b",".join(filter(None, (self._tools.join(tools[:-1]), self._last_tools.join(tools[-1:]))))

    def _encode_messages(self, messages: Sequence[Message]) -> Sequence[bytes]:
        encoded = self._story.encode(messages)
        opening = self._openings.join(messages[:1])
        return [opening, *encoded[1:]] if opening else encoded


def encode_first_message(message: Message) -> bytes:
    """Encode the first message with a cache breakpoint."""
    return b",".join(map(encode_json, encode_message_with_breakpoint(message)))


def encode_system(blocks: Sequence[str]) -> list[bytes]:
    """Encode the system blocks with cache breakpoints on the first and the last."""
    ends = {0, len(blocks) - 1}
    encoded = [encode_text(block) for block in blocks]
    return [encode_json(add_breakpoint(block) if place in ends else block) for place, block in enumerate(encoded)]


def describe_tool(tool: Tool) -> Mapping[str, object]:
    """Return the definition of a tool."""
    words = {"description": tool.description} if tool.description.strip() else {}
    return {"name": tool.name, **words, "input_schema": {"type": "object", **tool.parameters}}


def temperature_for(request: Request) -> float | None:
    """Return the temperature, or None for models that reject one."""
    if request.temperature is None or ("claude" in request.model and not TEMPERATURE_MODELS.search(request.model)):
        return None
    return min(request.temperature, MAX_TEMPERATURE)
