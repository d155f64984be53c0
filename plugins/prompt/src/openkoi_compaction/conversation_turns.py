"""Read a run's conversation turn by turn from its log, including what the conversation omits.

Turns are counted from one since the start of the conversation, as its marks count them. Requests beside the
conversation are not turns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import field

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import (
    Arguments,
    Effect,
    Json,
    Part,
    Record,
    Role,
    Run,
    Task,
    Tool,
    ToolError,
    ToolResult,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .placeholders import TOOL

MAX_PAGE_CHARACTERS = 20_000
DESCRIPTION = (
    "Show earlier turns that were removed from this conversation, word for word. first and last are turn numbers, as "
    "in the [Compacted history] note. Long text comes in pages of 20,000 characters: pass line to continue."
)
COUNT: dict[str, Json] = {"type": "integer", "minimum": 1}
PARAMETERS = Parameters({"first": COUNT, "last": COUNT, "line": COUNT}, required=("first",))


@dataclass(frozen=True, slots=True)
class CompactedTurn:
    """The model's message, and the tool results."""

    message: Sequence[Part]
    answered: list[ToolResult] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it as text."""
        from .transcript import format_part

        lines = [format_part(part, Role.ASSISTANT, str) for part in self.message]
        return "\n".join(filter(None, [*lines, *(format_part(part, Role.USER, str) for part in self.answered)]))


class ReadHistoryTool:
    """A tool to read turns that were removed from the conversation."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool, which is deferred."""

        async def call(arguments: Arguments) -> ToolResult:
            from .summarize import model_of

            given = PARAMETERS.accept(arguments)
            first = given.number("first", 1)
            wanted = range(first, given.number("last", first) + 1)
            turns = turns_in(run.koi.records(run.task.session), run.id, model_of(run))
            return ToolResult(format_page(format_turns(turns, wanted), given.number("line", 1)))

        return [
            Tool(
                *(TOOL, DESCRIPTION, PARAMETERS.to_schema(), call),
                effect=Effect.READS,
                deferred=True,
                progress_text="Reading the history from turn {first} on",
            )
        ]


def turns_in(records: Iterable[Record], run: str, model: str) -> list[CompactedTurn]:
    """Return the turns of a run's conversation, the current one last."""
    talk, before = list[CompactedTurn](), list[CompactedTurn]()
    for event in (record.event for record in records if record.run == run):
        match event:
            case events.TaskStarted(task=task):
                before = turns_before(task)
            case events.MessageAdded(new_conversation=True):
                talk = [*before]
            case events.ModelResponse(role=role, response=reply, messages=messages):
                aside = role != model or not reply.parts or (messages <= 1 and talk)
                talk += [] if aside else [CompactedTurn(reply.parts)]
            case events.ToolCallFinished(result=result, by_plugin=False) if talk:
                talk[-1].answered.append(result)
    return talk


def turns_before(task: Task) -> list[CompactedTurn]:
    """Return the turns of the conversation that a task continues."""
    talk: list[CompactedTurn] = []
    for message in task.history:
        if message.role is Role.ASSISTANT:
            talk.append(CompactedTurn(message.parts))
        elif talk:
            talk[-1].answered.extend(part for part in message.parts if isinstance(part, ToolResult))
    return talk


def format_turns(turns: Sequence[CompactedTurn], wanted: range) -> str:
    """Return these turns as text; raise ToolError for turns that do not exist."""
    there = range(max(wanted.start, 1), min(wanted.stop, len(turns) + 1))
    if not there:
        raise ToolError(f"No such turns. Pass first and last from 1 to {len(turns)}.")
    return "\n\n".join(f"Turn {number}\n{turns[number - 1].text}" for number in there)


def format_page(text: str, line: int) -> str:
    """Return a page of a text from a line on, and how to continue."""
    lines = text.splitlines()
    if line > len(lines):
        raise ToolError(f"The text has only {len(lines)} lines. Pass a line from 1 to {len(lines)}.")
    page, room = list[str](), MAX_PAGE_CHARACTERS
    for one in lines[line - 1 :]:
        if len(one) > room and page:
            break
        page.append(
            one
            if len(one) <= MAX_PAGE_CHARACTERS
            else f"{one[:MAX_PAGE_CHARACTERS]} [{len(one) - MAX_PAGE_CHARACTERS} more characters in this line]"
        )
        room -= len(one) + 1
    left = len(lines) - (line - 1) - len(page)
    return "\n".join([*page, *([f"[{left} more lines; continue with line={line + len(page)}]"] if left else [])])
