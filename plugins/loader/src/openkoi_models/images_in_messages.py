"""Find the images and files in messages, describe them in words, and remove them. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Content, File, Image, Message, Part, Text, ToolResult

MEDIA = (Image, File)  # a tuple: a union would be rebuilt for each part of each request
REMOVED = "[{} was removed to shorten the conversation.]"


def contains_media(parts: Iterable[Part]) -> bool:
    """Return whether parts of messages, or their tool results, contain an image or a file."""
    return any(part.parts if isinstance(part, ToolResult) else isinstance(part, MEDIA) for part in parts)


def media_in(messages: Iterable[Message]) -> Iterator[Image | File]:
    """Yield the images and files of messages, including those in tool results."""
    for message in messages:
        for part in message.parts:
            inside = part.parts if isinstance(part, ToolResult) else (part,)
            yield from (one for one in inside if isinstance(one, Image | File))


def name_of(part: Image | File) -> str:
    """Return the noun for an image or a file in a sentence."""
    if isinstance(part, File):
        return f"the file {part.name!r} ({part.media_type or 'no media type'})"
    return f"an image ({part.media_type or 'no media type'})"


def describe_part(part: Image | File) -> str:
    """Return the noun for a part at the beginning of a sentence."""
    name = name_of(part)
    return name[0].upper() + name[1:]


def without_media(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages with a note in place of each image and file in tool results; if those have none, in all messages.

    The last message keeps its own. If there is nothing to remove, the same messages are returned.
    """
    for of_users in (False, True):
        shorter = [*(removed_from(one, of_users=of_users) for one in messages[:-1]), *messages[-1:]]
        if any(one is not other for one, other in zip(shorter, messages, strict=True)):
            return shorter
    return messages


def removed_from(message: Message, *, of_users: bool) -> Message:
    parts = tuple(without_media_part(part, of_users=of_users) for part in message.parts)
    return message if parts == message.parts else replace(message, parts=parts)


def without_media_part(part: Part, *, of_users: bool) -> Part:
    if isinstance(part, ToolResult):
        return replace(part, parts=tuple(map(note, part.parts))) if part.parts else part
    return note(part) if of_users and isinstance(part, Image | File) else part


def note(part: Content) -> Text:
    return part if isinstance(part, Text) else Text(REMOVED.format(describe_part(part)))
