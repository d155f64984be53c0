"""The turns of a conversation as Ollama has them: results are messages of their own, and name their tool.

Knows facts and the format; writes no bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import base64_of, result_text

Turn = Mapping[str, object]


def turns(message: Message, tools: Mapping[str, str]) -> Iterator[Turn]:
    """Tell one message as the turns that it is. ``tools`` names the tool of each call that it answers."""
    if message.role is Role.ASSISTANT:
        yield assistant(message.parts)
        return
    yield from (result(part, tools) for part in message.parts if isinstance(part, ToolResult))
    said = [part for part in message.parts if isinstance(part, Text | Image)]
    if said:
        yield user(said)


def assistant(parts: Sequence[Part]) -> Turn:
    """Tell what the model thought, said and asked for."""
    turn: dict[str, object] = {"role": "assistant", "content": words(parts)}
    if thoughts := "".join(part.text for part in parts if isinstance(part, Reasoning)):
        turn["thinking"] = thoughts
    if calls := [call(part) for part in parts if isinstance(part, ToolCall)]:
        turn["tool_calls"] = calls
    return turn


def call(asked: ToolCall) -> Turn:
    """Tell of a tool call; servers that know no ids pass over it."""
    return {"id": asked.id, "function": {"name": asked.tool, "arguments": dict(asked.arguments)}}


def result(answer: ToolResult, tools: Mapping[str, str]) -> Turn:
    """Tell of a tool's result, with its pictures."""
    named = {"tool_name": tools[answer.call]} if answer.call in tools else {}
    said = {"role": "tool", **named, "tool_call_id": answer.call, "content": result_text(answer)}
    return {**said, **images(answer.parts)}


def user(said: Sequence[Text | Image]) -> Turn:
    """Tell words, and pictures with all their bytes."""
    turn = {"role": "user", "content": "\n".join(part.text for part in said if isinstance(part, Text))}
    return {**turn, **images(said)}


def images(parts: Iterable[Part]) -> Turn:
    """Tell pictures, if there are any."""
    pictures = [base64_of(part) for part in parts if isinstance(part, Image)]
    return {"images": pictures} if pictures else {}


def words(parts: Sequence[Part]) -> str:
    """The words alone."""
    return "".join(part.text for part in parts if isinstance(part, Text))
