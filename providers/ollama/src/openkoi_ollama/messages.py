"""Convert messages to Ollama's format: tool results are messages that name their tool."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_http import base64_of, result_text

Turn = Mapping[str, object]


def encode_message(message: Message, tools: Mapping[str, str]) -> Iterator[Turn]:
    """Yield a message in Ollama's format; ``tools`` maps call ids to tool names."""
    if message.role is Role.ASSISTANT:
        yield encode_assistant(message.parts)
        return
    yield from (encode_result(part, tools) for part in message.parts if isinstance(part, ToolResult))
    parts_of_user = [part for part in message.parts if isinstance(part, Text | Image)]
    if parts_of_user:
        yield encode_user(parts_of_user)


def encode_assistant(parts: Sequence[Part]) -> Turn:
    """Return an assistant message with reasoning, text and tool calls."""
    turn: dict[str, object] = {"role": "assistant", "content": join_text(parts)}
    if thoughts := "".join(part.text for part in parts if isinstance(part, Reasoning)):
        turn["thinking"] = thoughts
    if calls := [encode_call(part) for part in parts if isinstance(part, ToolCall)]:
        turn["tool_calls"] = calls
    return turn


def encode_call(call: ToolCall) -> Turn:
    """Return a tool call; servers without ids ignore the id."""
    return {"id": call.id, "function": {"name": call.tool, "arguments": dict(call.arguments)}}


def encode_result(answer: ToolResult, tools: Mapping[str, str]) -> Turn:
    """Convert a tool's result, with its images."""
    named = {"tool_name": tools[answer.call]} if answer.call in tools else {}
    parts_of_user = {"role": "tool", **named, "tool_call_id": answer.call, "content": result_text(answer)}
    return {**parts_of_user, **encode_images(answer.parts)}


def encode_user(parts_of_user: Sequence[Text | Image]) -> Turn:
    """Return a user message with text and images."""
    turn = {"role": "user", "content": "\n".join(part.text for part in parts_of_user if isinstance(part, Text))}
    return {**turn, **encode_images(parts_of_user)}


def encode_images(parts: Iterable[Part]) -> Turn:
    """Convert images, if there are any."""
    pictures = [base64_of(part) for part in parts if isinstance(part, Image)]
    return {"images": pictures} if pictures else {}


def join_text(parts: Sequence[Part]) -> str:
    """Return the text parts as one string."""
    return "".join(part.text for part in parts if isinstance(part, Text))
