"""Format turns as text for a model to summarize; abbreviate long texts."""

import json
from collections.abc import Callable, Iterator, Sequence

from openkoi_hookspecs import File, Image, Message, Part, Role, Text, ToolCall, ToolResult

from .turns import turn_positions

MAX_TEXT_CHARACTERS = 2_000
FAILED = {True: "failed", False: "answered"}


def format_transcript(messages: Sequence[Message], count: int) -> str:
    """Format the oldest turns, each with its tool results."""
    return "\n".join(
        format_part(part, message.role) for message in oldest_messages(messages, count) for part in message.parts
    ).strip()


def count_characters(messages: Sequence[Message], count: int) -> int:
    """Count the characters of the oldest turns that would be removed."""
    return sum(
        part_size(part)
        for message in oldest_messages(messages, count)
        for part in message.parts
        if is_removable(part, message.role)
    )


def oldest_messages(messages: Sequence[Message], count: int) -> Iterator[Message]:
    """Return the messages of the oldest turns."""
    for place in turn_positions(messages)[:count]:
        yield from messages[place : place + 2]


def is_removable(part: Part, role: Role) -> bool:
    """Return whether a part is removed with its turn: any part except the user's text."""
    return role is Role.ASSISTANT or isinstance(part, ToolResult)


def part_size(part: Part) -> int:
    match part:
        case Text(text=text):
            return len(text)
        case ToolResult():
            return len(result_text(part))
        case ToolCall(tool=tool, arguments=arguments):
            return len(tool) + len(format_arguments(arguments))
    return 0


def shorten_text(text: str) -> str:
    """Return the start and end of a text."""
    left = len(text) - MAX_TEXT_CHARACTERS
    return (
        text
        if left <= 0
        else f"{text[: MAX_TEXT_CHARACTERS // 2]}\n[{left} characters]\n{text[-MAX_TEXT_CHARACTERS // 2 :]}"
    )


def format_part(part: Part, role: Role, short: Callable[[str], str] = shorten_text) -> str:
    """Format one part; ``short`` shortens its texts."""
    match part:
        case Text(text=text):
            return f"{'You' if role is Role.ASSISTANT else 'The user'}: {short(text)}"
        case ToolCall(tool=tool, arguments=arguments):
            return f"You called {tool} {short(format_arguments(arguments))}"
        case ToolResult(failed=failed):
            return f"It {FAILED[failed]}: {short(result_text(part))}"
        case Image() | File():
            return f"The user attached {describe_media(part)}"
    return ""


def result_text(result: ToolResult) -> str:
    """Return the text of a result; its images and files by name."""
    others = (part.text if isinstance(part, Text) else describe_media(part) for part in result.parts)
    return "\n".join(filter(None, (result.text, *others)))


def describe_media(part: Image | File) -> str:
    """Return the type and name of an image or a file."""
    return f"[{part.media_type}]" if isinstance(part, Image) else f"[{part.name} {part.media_type}]"


def format_arguments(arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False, default=str)
