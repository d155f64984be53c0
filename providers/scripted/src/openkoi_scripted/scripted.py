"""A fake model for tests: a provider that gives scripted answers in order, whatever the request."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from openkoi_hookspecs import Chunk, Model, Part, Reasoning, Request, RequestRejectedError, Text, ToolCall

from .script import DEFAULT_CONTEXT_TOKENS, DEFAULT_OUTPUT_TOKENS, FREE, ScriptedPart, ScriptedTurn
from .streaming import stream_turn

Line: TypeAlias = str | ToolCall | Sequence[Part] | ScriptedTurn

SCRIPTED = Model("scripted", context=DEFAULT_CONTEXT_TOKENS, output=DEFAULT_OUTPUT_TOKENS, price=FREE)


class Scripted:
    """A model for tests: ``Scripted(["draft", "better draft"])``.

    All callers, such as executor and judge, share one sequence. The last turn repeats, or with ``repeat_last=False``
    further requests are rejected. Requests are kept in ``asked``.
    """

    def __init__(self, turns: Sequence[Line], *, repeat_last: bool = True, model: Model = SCRIPTED) -> None:
        self.turns = [to_turn(line) for line in turns]
        self.repeat_last = repeat_last
        self.model = model
        self.asked: list[Request] = []

    async def models(self) -> Sequence[Model]:
        """List this one model."""
        return [self.model]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer with the next turn."""
        number = len(self.asked)
        self.asked.append(request)
        async for chunk in stream_turn(self.turn(number), request, f"call-{number + 1}"):
            yield chunk

    def turn(self, number: int) -> ScriptedTurn:
        """Return the turn of that number, or the last one again with new call ids."""
        if number < len(self.turns):
            return self.turns[number]
        if not self.turns or not self.repeat_last:
            raise RequestRejectedError(
                f"All {len(self.turns)} turns of the script have been used. Pass more turns to Scripted."
            )
        return replace(self.turns[-1], parts=tuple(without_call_id(part) for part in self.turns[-1].parts))


def to_turn(line: Line) -> ScriptedTurn:
    """Convert a line to a turn."""
    match line:
        case ScriptedTurn():
            return line
        case str():
            return ScriptedTurn((Text(line),))
        case ToolCall():
            return ScriptedTurn((line,))
    return ScriptedTurn(tuple(check_part(part) for part in line))


def check_part(part: Part) -> ScriptedPart:
    """Return a part that a model can produce; raise TypeError for another one."""
    if isinstance(part, Text | Reasoning | ToolCall):
        return part
    raise TypeError(f"A model produces text, reasoning and tool calls, not {type(part).__name__}.")


def without_call_id(part: ScriptedPart) -> ScriptedPart:
    """Remove a call's id, so that its repetition gets a new one."""
    return replace(part, id="") if isinstance(part, ToolCall) else part
