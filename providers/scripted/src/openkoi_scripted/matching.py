"""Choose the turn of a script that answers a request, from the request alone.

Which turns are used is derived from the conversation, which contains them. Concurrent runs therefore never take each
other's turns, a repeated request gets the same answer, and a killed run can continue.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from openkoi_hookspecs import File, Image, Json, Message, Part, Request, Role, Text, ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

from .script import Script, ScriptedTurn, TurnCondition

Content: TypeAlias = tuple[str, list[tuple[str, dict[str, Json]]]]

MAX_QUOTED_CHARACTERS = 120
MAX_LISTED_TURNS = 8


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """The properties of a request that decide which turn matches."""

    prompt: str
    newest: str
    after: int
    tools: bool
    images: int


def choose_turn(script: Script, request: Request, failed: Collection[int] = ()) -> int | None:
    """Return the first matching unused turn; ``failed`` turns have already raised their error."""
    used_up = used_turns(script.turns, request.messages) | set(failed)
    images = sum(isinstance(part, Image) for message in request.messages for part in shown_in(message))
    asked = RequestFacts(
        prompt_text(request),
        last_message_text(request),
        count_assistant_turns(request.messages),
        bool(request.tools),
        images,
    )
    fitting = (n for n, turn in enumerate(script.turns) if n not in used_up and matches(turn.when, asked))
    return next(fitting, None)


def matches(when: TurnCondition, asked: RequestFacts) -> bool:
    """Return whether a request meets a turn's conditions."""
    if when.after not in (None, asked.after) or when.tools not in (None, asked.tools):
        return False
    if when.images not in (None, asked.images):
        return False
    return all(text in asked.prompt for text in when.contains) and all(text in asked.newest for text in when.last)


def used_turns(turns: Sequence[ScriptedTurn], messages: Sequence[Message]) -> set[int]:
    """Return the turns that a conversation contains; a turn that fails is never among them."""
    left = {n: comparable_content(turn.parts) for n, turn in enumerate(turns) if not turn.repeat and not turn.fails}
    found: set[int] = set()
    for message in messages:
        turn_content = comparable_content(message.parts)
        mine = (n for n, words in left.items() if message.role is Role.ASSISTANT and words == turn_content)
        found |= {n for n in [next(mine, None)] if n is not None}
        left = {n: words for n, words in left.items() if n not in found}
    return found


def comparable_content(parts: Sequence[Part]) -> Content:
    """Return the text and calls of a turn, without call ids."""
    text = "".join(part.text for part in parts if isinstance(part, Text)).strip()
    return text, [(part.tool, dict(part.arguments)) for part in parts if isinstance(part, ToolCall)]


def count_assistant_turns(messages: Sequence[Message]) -> int:
    """Return the number of assistant turns so far."""
    return sum(message.role is Role.ASSISTANT for message in messages)


def prompt_text(request: Request) -> str:
    """Return the system blocks, messages and tool results as one text."""
    return "\n".join([*request.system, *(message_text(message) for message in request.messages)])


def last_message_text(request: Request) -> str:
    """Return the text of the last message."""
    return message_text(request.messages[-1]) if request.messages else ""


def message_text(message: Message) -> str:
    """Return the text of a message; an image or file as its media type and name."""
    return "\n".join(text for part in shown_in(message) if (text := part_text(part)))


def shown_in(message: Message) -> Iterator[Part]:
    """Return the parts of a message, and after a tool's result those in it."""
    for part in message.parts:
        yield part
        yield from part.parts if isinstance(part, ToolResult) else ()


def part_text(part: Part) -> str:
    """Return the text of a part."""
    match part:
        case Text(text=text) | ToolResult(text=text):
            return text
        case Image(media_type=media_type):
            return f"[{media_type}]"
        case File(media_type=media_type, name=name):
            return f"[{name} {media_type}]"
    return ""


def no_match_message(script: Script, request: Request, failed: Collection[int] = ()) -> str:
    """Return the error for a prompt that no turn matches, with what is needed to write one."""
    used_up = used_turns(script.turns, request.messages) | set(failed)
    left = [f"line {turn.line}: {turn.when}" for n, turn in enumerate(script.turns) if n not in used_up]
    more = f"; and {len(left) - MAX_LISTED_TURNS} more" if len(left) > MAX_LISTED_TURNS else ""
    return (
        f"{script.file} has no matching turn for this prompt. "
        f"The last message starts with {abbreviate(last_message_text(request))!r}. "
        f"Unused turns: {'; '.join(left[:MAX_LISTED_TURNS]) or 'none'}{more}. "
        "Add a matching turn, or set repeat: true on one."
    )


def abbreviate(text: str) -> str:
    """Return the start of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_QUOTED_CHARACTERS else flat[: MAX_QUOTED_CHARACTERS - 1] + "…"
