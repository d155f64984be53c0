"""Build requests for Converse, reusing the bytes of unchanged parts."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from openkoi_hookspecs import Arguments, Request, Tool, ToolCall
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import ConversationEncoder, ToolEncoder, encode_json, to_vendor_name

from .messages import encode_message
from .output_schema import ANSWER_TOOL, needs_answer_tool, output_config, tool_choice
from .prompt_caching import CACHE_POINT, Caching, add_cache_points, cache_points_for

USER_TURN_START = b'{"role":"user","content":['
ASSISTANT_TURN_START = b'{"role":"assistant","content":['
TURN_END = b"]}"
NESTING = lazy_pattern(r"anthropic\.|amazon\.nova")  # the models that take images inside of a tool's result


class ConverseRequestBuilder:
    """Build the request bodies of one provider."""

    def __init__(self, caching: Caching = "auto") -> None:
        self._caching = caching
        self._stories = {
            nested: ConversationEncoder(partial(encode_message, nested=nested)) for nested in (False, True)
        }
        self._tools = ToolEncoder(encode_tool)

    def build(self, request: Request) -> bytes:
        """Return the body of a request; raise KoiError when a tool call has no result."""
        marks = cache_points_for(request.model, self._caching)
        story = add_cache_points(
            list(merge_turns(self._stories[bool(NESTING.search(request.model))].encode(request.messages))),
            marks,
            USER_TURN_START,
        )
        fields = [
            (b"system", encode_array(encode_system(request), marks.system)),
            (b"toolConfig", self._tool_config(request, marks.tools)),
            (b"messages", b"[" + b",".join(story) + b"]"),
            *response_settings(request),
        ]
        return b"{" + b",".join(b'"' + name + b'":' + value for name, value in fields if value) + b"}"

    def _tool_config(self, request: Request, mark: bool) -> bytes:
        """Return the tool configuration, with the answer tool after the cache point; empty if there are no tools."""
        offered = self._tools.join(request.tools) or b",".join(map(encode_json, called_tools(request)))
        if request.schema is None or not needs_answer_tool(request):
            return b'{"tools":' + encode_array(offered, mark) + b"}" if offered else b""
        answering = encode_json(tool_spec(ANSWER_TOOL, "Give the complete answer, once.", request.schema))
        tools = b",".join(filter(None, (encode_array(offered, mark)[1:-1], answering)))
        return b'{"tools":[' + tools + b'],"toolChoice":' + encode_json(tool_choice(request)) + b"}"


def merge_turns(turns: Sequence[bytes]) -> Iterator[bytes]:
    """Join consecutive turns of one role, because Converse requires alternating roles."""
    for head, group in groupby(
        turns, key=lambda turn: USER_TURN_START if turn.startswith(USER_TURN_START) else ASSISTANT_TURN_START
    ):
        yield head + b",".join(turn[len(head) : -len(TURN_END)] for turn in group) + TURN_END


def encode_array(items: bytes, mark: bool) -> bytes:
    """Return an array of encoded items, with a cache point if requested; empty if there are no items."""
    if not items:
        return b""
    return b"[" + items + (b"," + CACHE_POINT if mark else b"") + b"]"


def response_settings(request: Request) -> Iterator[tuple[bytes, bytes]]:
    """Yield the encoded settings of the response."""
    longest = {} if request.max_output is None else {"maxTokens": max(request.max_output, 1)}
    warmth = {} if request.temperature is None else {"temperature": min(request.temperature, 1.0)}
    if longest or warmth:
        yield b"inferenceConfig", encode_json({**longest, **warmth})
    if request.schema is not None and not needs_answer_tool(request):
        yield b"outputConfig", encode_json(output_config(request.schema))


def encode_system(request: Request) -> bytes:
    """Encode the system blocks; skip blank ones, which are rejected."""
    return b",".join(encode_json({"text": block}) for block in request.system if block.strip())


def encode_tool(tool: Tool) -> bytes:
    """Encode a tool definition."""
    return encode_json(tool_spec(tool.name, tool.description, tool.parameters))


def tool_spec(name: str, description: str, parameters: Arguments) -> Mapping[str, object]:
    """Return a tool specification; omit a blank description, which is rejected."""
    described = {"description": description} if description.strip() else {}
    return {"toolSpec": {"name": name, **described, "inputSchema": {"json": dict(parameters)}}}


def called_tools(request: Request) -> Iterator[Mapping[str, object]]:
    """Yield specifications of tools called earlier, which Converse requires even when no tools are offered."""
    parts = (part for message in request.messages for part in message.parts)
    for name in dict.fromkeys(to_vendor_name(part.tool) for part in parts if isinstance(part, ToolCall)):
        yield tool_spec(name, "Not available now; do not call it.", {"type": "object"})
