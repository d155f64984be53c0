"""Detect the encoding of a file's bytes, decode them, and encode text."""

import codecs

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WIDE_BOMS = tuple(bom for bom, codec in BOMS if codec != "utf-8")  # in UTF-16, a zero byte is text
ASCII = bytes(range(128))
C1 = lazy_pattern(rb"[\x80-\x9f]")
CONTROL_BYTE = lazy_pattern(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
CONTROLS = lazy_pattern(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")  # tab, line feed, form feed and return are text


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """Decode a file's bytes to text, and encode text."""

    codec: str
    bom: bytes = b""
    errors: str = "strict"

    def encode(self, text: str) -> bytes:
        """Encode a text; raise UnicodeEncodeError for characters that the encoding lacks."""
        return text.encode(self.codec, self.errors)

    def decode(self, data: bytes) -> str:
        """Return the text of the bytes after the byte order mark."""
        return data[len(self.bom) :].decode(self.codec, self.errors)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, and the name of the encoding that it was decoded from."""

    text: str
    codec: str


def detect_encoding(data: bytes) -> TextEncoding:
    """Detect the encoding: that of the byte order mark, else UTF-8, else an older one."""
    for bom, codec in BOMS:
        if data.startswith(bom) and can_decode(data, TextEncoding(codec, bom)):
            return TextEncoding(codec, bom)
    if can_decode(data, TextEncoding("utf-8")):
        return TextEncoding("utf-8")
    if is_mostly_utf8(data):
        return TextEncoding("utf-8", errors="surrogateescape")
    if C1.search(data) and can_decode(data, TextEncoding("cp1252")):
        return TextEncoding("cp1252")
    return TextEncoding("latin-1")


def can_decode(data: bytes, encoding: TextEncoding) -> bool:
    """Return whether the bytes are valid in an encoding."""
    try:
        encoding.decode(data)
    except UnicodeDecodeError:
        return False
    return True


def is_mostly_utf8(data: bytes) -> bool:
    """Return whether more of the bytes beyond ASCII are valid UTF-8 than are not."""
    beyond = len(data.translate(None, ASCII))
    lost = len(data) - len(data.decode("utf-8", "ignore").encode())
    return beyond > 2 * lost


def decode_text(data: bytes) -> DecodedText | None:
    """Return the text of a file's bytes; None if they are not text.

    UTF-8 keeps its byte order mark and control characters other than null, so that encoding it gives the same bytes.
    """
    if can_decode(data, TextEncoding("utf-8")):
        text = data.decode()
        return None if "\0" in text else DecodedText(text, "utf-8")
    if CONTROL_BYTE.search(data) and not data.startswith(WIDE_BOMS):
        return None  # without decoding: binary files may be large
    encoding = detect_encoding(data)
    text = encoding.decode(data)
    return None if encoding.errors != "strict" or CONTROLS.search(text) else DecodedText(text, encoding.codec)
