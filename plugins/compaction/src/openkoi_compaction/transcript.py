"""Format turns as text for a model to summarize; abbreviate long texts."""

import json
from collections.abc import Callable, Iterator, Sequence

from openkoi_hookspecs import File, Image, Message, Part, Role, Text, ToolCall, ToolResult

from .turns import turns

LONGEST = 2_000
FAILED = {True: "failed", False: "answered"}


def transcript(messages: Sequence[Message], count: int) -> str:
    """The oldest turns, each with what the tools answered."""
    return "\n".join(
        format_part(part, message.role) for message in span(messages, count) for part in message.parts
    ).strip()


def weight(messages: Sequence[Message], count: int) -> int:
    """How many characters go with the oldest turns."""
    return sum(size(part) for message in span(messages, count) for part in message.parts if goes(part, message.role))


def span(messages: Sequence[Message], count: int) -> Iterator[Message]:
    """The messages of the oldest turns."""
    for place in turns(messages)[:count]:
        yield from messages[place : place + 2]


def goes(part: Part, role: Role) -> bool:
    """Whether a part goes with its turn: all but what a person said."""
    return role is Role.ASSISTANT or isinstance(part, ToolResult)


def size(part: Part) -> int:
    match part:
        case Text(text=text):
            return len(text)
        case ToolResult():
            return len(answer(part))
        case ToolCall(tool=tool, arguments=arguments):
            return len(tool) + len(format_arguments(arguments))
    return 0


def shorten_text(text: str) -> str:
    """Return the start and end of a text."""
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[: LONGEST // 2]}\n[{left} characters]\n{text[-LONGEST // 2 :]}"


def format_part(part: Part, role: Role, short: Callable[[str], str] = shorten_text) -> str:
    """One part as a line or more; ``short`` makes its texts short."""
    match part:
        case Text(text=text):
            return f"{'You' if role is Role.ASSISTANT else 'The user'} said: {short(text)}"
        case ToolCall(tool=tool, arguments=arguments):
            return f"You called {tool} {short(format_arguments(arguments))}"
        case ToolResult(failed=failed):
            return f"It {FAILED[failed]}: {short(answer(part))}"
        case Image() | File():
            return f"The user showed {media(part)}"
    return ""


def answer(result: ToolResult) -> str:
    """The words of a result; its images and files by name."""
    others = (part.text if isinstance(part, Text) else media(part) for part in result.parts)
    return "\n".join(filter(None, (result.text, *others)))


def media(part: Image | File) -> str:
    """An image or a file by its type and name."""
    return f"[{part.media_type}]" if isinstance(part, Image) else f"[{part.name} {part.media_type}]"


def format_arguments(arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False, default=str)
