"""Splice new text into existing bytes: bytes outside a change are copied, never decoded and encoded again."""

from collections.abc import Sequence

from openkoi_base.files.text_encoding import TextEncoding
from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .text_document import STAND_INS, TextDocument, common_prefix_length, line_ending_at


@dataclass(frozen=True, slots=True)
class TextChange:
    """New text for a span of the plain text."""

    start: int
    end: int
    new: str


def splice_bytes(document: TextDocument, changes: Sequence[TextChange]) -> bytes:
    """Apply changes that are in order and do not overlap; return the file's new bytes."""
    narrow = [narrow_change(document.plain, change) for change in changes]
    begins = document.raw_offsets([change.start for change in changes])
    offsets = document.raw_offsets([offset for change in narrow for offset in (change.start, change.end)])
    pieces = [document.encoding.bom]
    done = raw_done = 0
    for change, begin, start, end in zip(narrow, begins, offsets[::2], offsets[1::2], strict=True):
        kept = document.encoding.encode(document.raw[raw_done:start])
        gone = document.encoding.encode(document.raw[start:end])
        at = len(document.encoding.bom) + done
        pieces += [document.data[at : at + len(kept)], encode_text(document, begin, change.new)]
        done, raw_done = done + len(kept) + len(gone), end
    return b"".join([*pieces, document.data[len(document.encoding.bom) + done :]])


def narrow_change(text: str, change: TextChange) -> TextChange:
    """Remove from a change the text at both ends that would not change."""
    old, new = text[change.start : change.end], change.new
    head = common_prefix_length(old, new)
    tail = common_prefix_length(old[head:][::-1], new[head:][::-1])
    return TextChange(change.start + head, change.end - tail, new[head : len(new) - tail])


def encode_text(document: TextDocument, begin: int, new: str) -> bytes:
    """Return new text as bytes of this file: its encoding, and the line ending of the span that begins there."""
    if has_stand_in(document.raw, new):
        raise ToolError(
            "The replacement contains a placeholder for a byte that cannot be shown; writing it would "
            "destroy the byte. Choose a smaller part to replace."
        )
    try:
        return document.encoding.encode(new.replace("\n", line_ending_at(document.raw, begin)))
    except UnicodeEncodeError as error:
        raise ToolError(describe_unencodable(document.encoding, error.object[error.start])) from None


def has_stand_in(raw: str, new: str) -> bool:
    """Return whether new text contains a stand-in character, which represents something else in this file."""
    return not new.isascii() and any(sign in new and chr(code) in raw for code, sign in STAND_INS.items())


def describe_unencodable(encoding: TextEncoding, character: str) -> str:
    """Report that an encoding has no such character."""
    return (
        f"The file is in {encoding.codec}, which cannot encode {character!r}. "
        "Write the replacement without it, or convert the file to UTF-8 first."
    )
