"""Bytes as text and back without losing one. Knows encodings and line endings; knows no files and no tools.

A document has two texts. ``raw`` is what the bytes say. ``plain`` is what a model sees and searches: every line ends
with a line feed, and what cannot be shown has a stand-in of the same length.
"""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

ENDING = re.compile("\r\n|\n|\r")
NUL_SHOWN, BYTE_SHOWN = "\u2400", "\ufffd"
STAND_INS = {0: NUL_SHOWN} | dict.fromkeys(range(0xDC80, 0xDD00), BYTE_SHOWN)
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ASCII = bytes(range(128))
C1 = re.compile(rb"[\x80-\x9f]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes become text, and text its bytes again."""

    codec: str
    bom: bytes = b""
    errors: str = "strict"

    def encode(self, text: str) -> bytes:
        """Return the bytes of a piece of text; raises UnicodeEncodeError for what the encoding lacks."""
        return text.encode(self.codec, self.errors)

    def decode(self, data: bytes) -> str:
        """Return the text of the bytes after the byte order mark."""
        return data[len(self.bom) :].decode(self.codec, self.errors)


@dataclass(frozen=True, slots=True)
class Document:
    """A file's bytes and both its texts."""

    data: bytes
    encoding: Encoding
    raw: str
    plain: str

    @property
    def disguised(self) -> bool:
        """Tell whether stand-ins are shown for something."""
        return "\0" in self.raw or self.encoding.errors != "strict"

    def raw_offsets(self, offsets: Sequence[int]) -> list[int]:
        """Translate ascending offsets in the plain text into offsets in the raw one."""
        found, passed, after = [], 0, 0
        for offset in offsets:
            while (pair := self.raw.find("\r\n", after)) != -1 and pair - passed < offset:
                passed, after = passed + 1, pair + 2
            found.append(offset + passed)
        return found


def document(data: bytes) -> Document:
    """Read bytes as text; any bytes will do."""
    encoding = encoding_of(data)
    raw = encoding.decode(data)
    return Document(data, encoding, raw, plain(raw))


def plain(raw: str) -> str:
    """Make a text one that can be shown: line feeds only, and stand-ins."""
    text = one_ending(raw) if "\r" in raw else raw
    return text if text.isascii() and "\0" not in text else text.translate(STAND_INS)


def lines_of(plain: str) -> list[str]:
    """Split a text into its lines; a final line feed begins no further one."""
    return plain.removesuffix("\n").split("\n") if plain else []


def one_ending(text: str) -> str:
    """Return a text with line feeds only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(data: bytes) -> Encoding:
    """Find the encoding by the byte order mark, else UTF-8, else one of its predecessors."""
    for bom, codec in BOMS:
        if data.startswith(bom) and decodes(data, Encoding(codec, bom)):
            return Encoding(codec, bom)
    if decodes(data, Encoding("utf-8")):
        return Encoding("utf-8")
    if mostly_utf8(data):
        return Encoding("utf-8", errors="surrogateescape")
    if C1.search(data) and decodes(data, Encoding("cp1252")):
        return Encoding("cp1252")
    return Encoding("latin-1")


def decodes(data: bytes, encoding: Encoding) -> bool:
    """Tell whether the bytes are valid in an encoding."""
    try:
        encoding.decode(data)
    except UnicodeDecodeError:
        return False
    return True


def mostly_utf8(data: bytes) -> bool:
    """Tell whether more of the bytes beyond ASCII are valid UTF-8 than are not."""
    beyond = len(data.translate(None, ASCII))
    lost = len(data) - len(data.decode("utf-8", "ignore").encode())
    return beyond > 2 * lost


def ending_at(raw: str, offset: int) -> str:
    """Return the line ending in force at an offset: the next one, else the file's first, else a line feed."""
    found = ENDING.search(raw, offset) or ENDING.search(raw)
    return found[0] if found else "\n"


def endings(raw: str) -> str:
    """Name the line endings of a text, where they are not plain line feeds."""
    pairs = raw.count("\r\n")
    feeds, returns = raw.count("\n") - pairs, raw.count("\r") - pairs
    kinds = [name for name, count in (("CRLF", pairs), ("LF", feeds), ("CR", returns)) if count]
    return " and ".join(kinds)


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the equal items that two sequences begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
