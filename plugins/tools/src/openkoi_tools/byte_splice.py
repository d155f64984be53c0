"""Put new text into old bytes. Whatever lies outside a change is copied, never decoded and encoded again."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import ToolError

from .text import STAND_INS, Document, Encoding, common, ending_at


@dataclass(frozen=True, slots=True)
class Change:
    """New text for a span of the plain text."""

    start: int
    end: int
    new: str


def spliced(document: Document, changes: Sequence[Change]) -> bytes:
    """Apply changes that are in order and do not overlap; return the file's new bytes."""
    narrow = [narrowed(document.plain, change) for change in changes]
    begins = document.raw_offsets([change.start for change in changes])
    offsets = document.raw_offsets([offset for change in narrow for offset in (change.start, change.end)])
    pieces = [document.encoding.bom]
    done = raw_done = 0
    for change, begin, start, end in zip(narrow, begins, offsets[::2], offsets[1::2], strict=True):
        kept = document.encoding.encode(document.raw[raw_done:start])
        gone = document.encoding.encode(document.raw[start:end])
        at = len(document.encoding.bom) + done
        pieces += [document.data[at : at + len(kept)], encoded(document, begin, change.new)]
        done, raw_done = done + len(kept) + len(gone), end
    return b"".join([*pieces, document.data[len(document.encoding.bom) + done :]])


def narrowed(text: str, change: Change) -> Change:
    """Leave out of a change what it would replace by itself, at its beginning and at its end."""
    old, new = text[change.start : change.end], change.new
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    return Change(change.start + head, change.end - tail, new[head : len(new) - tail])


def encoded(document: Document, begin: int, new: str) -> bytes:
    """Return new text as bytes of this file: its encoding, and the line ending of the span that begins there."""
    if stands_in(document.raw, new):
        raise ToolError(
            "The replacement repeats a sign that only stands for a byte that cannot be shown; writing it would "
            "destroy the byte. Choose a smaller part to replace."
        )
    try:
        return document.encoding.encode(new.replace("\n", ending_at(document.raw, begin)))
    except UnicodeEncodeError as error:
        raise ToolError(lacking(document.encoding, error.object[error.start])) from None


def stands_in(raw: str, new: str) -> bool:
    """Tell whether new text holds a sign that stands for something else in this file."""
    return not new.isascii() and any(sign in new and chr(code) in raw for code, sign in STAND_INS.items())


def lacking(encoding: Encoding, character: str) -> str:
    """Say that an encoding has no such character."""
    return (
        f"The file is in {encoding.codec}, which has no {character!r}. "
        "Write the replacement without it, or convert the file to UTF-8 first."
    )
