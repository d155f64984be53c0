"""Decode bytes to text without losing a byte.

A document has two texts. ``raw`` is what the bytes say. ``plain`` is what a model sees and searches: every line ends
with a line feed, and what cannot be shown has a stand-in of the same length.
"""

from collections.abc import Sequence

from openkoi_base.files.text_encoding import TextEncoding, detect_encoding
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

ENDING = lazy_pattern("\r\n|\n|\r")
NUL_SHOWN, BYTE_SHOWN = "\u2400", "\ufffd"
STAND_INS = {0: NUL_SHOWN} | dict.fromkeys(range(0xDC80, 0xDD00), BYTE_SHOWN)


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A file's bytes and both its texts."""

    data: bytes
    encoding: TextEncoding
    raw: str
    plain: str

    @property
    def has_stand_ins(self) -> bool:
        """Whether the shown text contains stand-ins."""
        return "\0" in self.raw or self.encoding.errors != "strict"

    def raw_offsets(self, offsets: Sequence[int]) -> list[int]:
        """Translate ascending offsets in the plain text into offsets in the raw one."""
        found, passed, after = [], 0, 0
        for offset in offsets:
            while (pair := self.raw.find("\r\n", after)) != -1 and pair - passed < offset:
                passed, after = passed + 1, pair + 2
            found.append(offset + passed)
        return found


def parse_document(data: bytes) -> TextDocument:
    """Decode bytes as text; any bytes are accepted."""
    encoding = detect_encoding(data)
    raw = encoding.decode(data)
    return TextDocument(data, encoding, raw, plain_text(raw))


def plain_text(raw: str) -> str:
    """Return a text that can be shown: line feeds only, and stand-ins."""
    text = normalize_endings(raw) if "\r" in raw else raw
    return text if text.isascii() and "\0" not in text else text.translate(STAND_INS)


def split_lines(plain: str) -> list[str]:
    """Split a text into lines; a final line feed does not begin another one."""
    return plain.removesuffix("\n").split("\n") if plain else []


def normalize_endings(text: str) -> str:
    """Return a text with line feeds only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_ending_at(raw: str, offset: int) -> str:
    """Return the line ending at an offset: the next one, else the file's first, else a line feed."""
    found = ENDING.search(raw, offset) or ENDING.search(raw)
    return found[0] if found else "\n"


def describe_endings(raw: str) -> str:
    """Name the line endings of a text if they are not plain line feeds."""
    pairs = raw.count("\r\n")
    feeds, returns = raw.count("\n") - pairs, raw.count("\r") - pairs
    kinds = [name for name, count in (("CRLF", pairs), ("LF", feeds), ("CR", returns)) if count]
    return " and ".join(kinds)


def common_prefix_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items two sequences have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
