"""A script written in code: it answers in order, whatever it is asked."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from openkoi_hookspecs import Chunk, Model, Part, Reasoning, Request, RequestRejectedError, Text, ToolCall

from .script import CONTEXT, FREE, OUTPUT, Said, Turn
from .speaking import speak

Line: TypeAlias = str | ToolCall | Sequence[Part] | Turn

SCRIPTED = Model("scripted", context=CONTEXT, output=OUTPUT, price=FREE)


class Scripted:
    """A model for tests: ``Scripted(["draft", "better draft"])``.

    There is one order for the whole object: executor, judge and whoever else asks take the next line each. The last
    line repeats for ever, or with ``repeat_last=False`` the model refuses. What it was asked is kept in ``asked``.
    """

    def __init__(self, turns: Sequence[Line], *, repeat_last: bool = True, model: Model = SCRIPTED) -> None:
        self.turns = [turn(line) for line in turns]
        self.repeat_last = repeat_last
        self.model = model
        self.asked: list[Request] = []

    async def models(self) -> Sequence[Model]:
        """List the one model that this is."""
        return [self.model]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer with the next line."""
        number = len(self.asked)
        self.asked.append(request)
        async for chunk in speak(self.turn(number), request, f"call-{number + 1}"):
            yield chunk

    def turn(self, number: int) -> Turn:
        """The line of that number, or the last one again with calls of its own."""
        if number < len(self.turns):
            return self.turns[number]
        if not self.turns or not self.repeat_last:
            raise RequestRejectedError(
                f"The script's turns are used up, all {len(self.turns)}. Give Scripted more of them."
            )
        return replace(self.turns[-1], parts=tuple(anew(part) for part in self.turns[-1].parts))


def turn(line: Line) -> Turn:
    """Make a turn of whatever a line is written as."""
    match line:
        case Turn():
            return line
        case str():
            return Turn((Text(line),))
        case ToolCall():
            return Turn((line,))
    return Turn(tuple(said(part) for part in line))


def said(part: Part) -> Said:
    """Let through what a model can say."""
    if isinstance(part, Text | Reasoning | ToolCall):
        return part
    raise TypeError(f"A model says text, thoughts and tool calls, not {type(part).__name__}.")


def anew(part: Said) -> Said:
    """Forget a call's id, so that its repetition gets another."""
    return replace(part, id="") if isinstance(part, ToolCall) else part
