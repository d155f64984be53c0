"""Choose the turn that answers a request, from the request alone. Knows no files and keeps no state.

Which turns are used up is read off the conversation: the assistant's turns in it came from them. So two runs at the
same time never take each other's turns, asking the same again gets the same answer, and a run that was killed goes on.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from openkoi_hookspecs import File, Image, Json, Message, Part, Request, Role, Text, ToolCall, ToolResult

from .script import Script, Turn, When

Content: TypeAlias = tuple[str, list[tuple[str, dict[str, Json]]]]

BEGINNING = 120
LISTED = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a request decides which turn fits."""

    prompt: str
    newest: str
    after: int
    tools: bool
    images: int


def choose(script: Script, request: Request, failed: Collection[int] = ()) -> int | None:
    """Find the first turn that fits and is not used up; ``failed`` ones have had their accident."""
    gone = used(script.turns, request.messages) | set(failed)
    images = sum(isinstance(part, Image) for message in request.messages for part in shown_in(message))
    asked = Asked(prompt(request), last(request), spoken(request.messages), bool(request.tools), images)
    fitting = (n for n, turn in enumerate(script.turns) if n not in gone and fits(turn.when, asked))
    return next(fitting, None)


def fits(when: When, asked: Asked) -> bool:
    """Tell whether a request looks as a turn wants it."""
    if when.after not in (None, asked.after) or when.tools not in (None, asked.tools):
        return False
    if when.images not in (None, asked.images):
        return False
    return all(text in asked.prompt for text in when.contains) and all(text in asked.newest for text in when.last)


def used(turns: Sequence[Turn], messages: Sequence[Message]) -> set[int]:
    """Tell which turns a conversation already holds. A turn that fails never gets into one."""
    left = {n: content(turn.parts) for n, turn in enumerate(turns) if not turn.repeat and not turn.fails}
    found: set[int] = set()
    for message in messages:
        said = content(message.parts)
        mine = (n for n, words in left.items() if message.role is Role.ASSISTANT and words == said)
        found |= {n for n in [next(mine, None)] if n is not None}
        left = {n: words for n, words in left.items() if n not in found}
    return found


def content(parts: Sequence[Part]) -> Content:
    """Reduce a turn to what a history keeps of it: its words and its calls, whatever their ids."""
    text = "".join(part.text for part in parts if isinstance(part, Text)).strip()
    return text, [(part.tool, dict(part.arguments)) for part in parts if isinstance(part, ToolCall)]


def spoken(messages: Sequence[Message]) -> int:
    """Count the assistant's turns so far."""
    return sum(message.role is Role.ASSISTANT for message in messages)


def prompt(request: Request) -> str:
    """All that the model reads: the system's blocks, the words and the tools' results."""
    return "\n".join([*request.system, *(words(message) for message in request.messages)])


def last(request: Request) -> str:
    """The newest message."""
    return words(request.messages[-1]) if request.messages else ""


def words(message: Message) -> str:
    """What stands in a message; an image or a file by its media type, and its name if it has one."""
    return "\n".join(told for part in shown_in(message) if (told := word(part)))


def shown_in(message: Message) -> Iterator[Part]:
    """The parts of a message, and after a tool's result those in it."""
    for part in message.parts:
        yield part
        yield from part.parts if isinstance(part, ToolResult) else ()


def word(part: Part) -> str:
    """What stands in a part."""
    match part:
        case Text(text=text) | ToolResult(text=text):
            return text
        case Image(media_type=media_type):
            return f"[{media_type}]"
        case File(media_type=media_type, name=name):
            return f"[{name} {media_type}]"
    return ""


def at_a_loss(script: Script, request: Request, failed: Collection[int] = ()) -> str:
    """Say that no turn fits, with what is needed to write one."""
    gone = used(script.turns, request.messages) | set(failed)
    left = [f"line {turn.line}: {turn.when}" for n, turn in enumerate(script.turns) if n not in gone]
    more = f"; and {len(left) - LISTED} more" if len(left) > LISTED else ""
    return (
        f"{script.file} has no turn for this prompt. Its newest message begins: {beginning(last(request))!r}. "
        f"Turns not used yet: {'; '.join(left[:LISTED]) or 'none'}{more}. "
        "Write a turn that fits, or let one be used again with repeat: true."
    )


def beginning(text: str) -> str:
    """Shorten a text to its first words."""
    flat = " ".join(text.split())
    return flat if len(flat) <= BEGINNING else flat[: BEGINNING - 1] + "…"
