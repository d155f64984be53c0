"""Estimate the tokens of requests and responses: one token per four bytes of text. Pure.

Vendors count images differently: Anthropic a token for 750 pixels, and 1,600 at most, as it makes large images smaller;
OpenAI 85 and 170 for each tile of 512 pixels, some 1,500 at most; Google 258 for each tile of 768. The first is the
dearest.
"""

from collections.abc import Sequence
from struct import error, unpack

from openkoi_hookspecs import Blob, Image, Part, Reasoning, Text, ToolCall, ToolResult
from openkoi_hookspecs.content import TEXT_TYPES, File
from openkoi_hookspecs.lazy_pattern import lazy_pattern

BYTES_PER_TOKEN = 4
PIXELS_A_TOKEN = 750
MAX_IMAGE_TOKENS = 1_600
MIN_IMAGE_TOKENS = 85  # OpenAI: tokens of an image at low detail
PAGE_TOKENS = 2_500  # Anthropic: 1,500 to 3,000 a page of a PDF, which it reads as text and as an image
PAGE_BYTES = 50_000  # where pages cannot be counted, because a PDF is compressed as a whole
PAGE = lazy_pattern(rb"/Type\s*/Page\b")
NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})  # the markers of a JPEG among those of frames that start no frame


def estimate_tokens(parts: Sequence[Part]) -> int:
    """Return the approximate number of tokens of message parts."""
    return size_of(parts) // BYTES_PER_TOKEN


def size_of(parts: Sequence[Part]) -> int:
    """Return the size of parts in bytes; images and files count as text with the same number of tokens."""
    return sum(map(size_of_part, parts))


def size_of_part(part: Part) -> int:
    match part:
        case Text() | Reasoning():
            return size_of_text(part.text)
        case ToolCall():
            return size_of_text(str(part.arguments))
        case ToolResult():
            return size_of_text(part.text) + size_of(part.parts)
        case Image() | File():
            return BYTES_PER_TOKEN * media_tokens(part)


def size_of_text(text: str) -> int:
    """Count characters; those beyond ASCII count as their bytes, because they take more tokens."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def media_tokens(part: Image | File) -> int:
    """Return the approximate tokens of an image or a file, without reading bytes from the log."""
    if isinstance(part, File):
        is_text = part.media_type.startswith(TEXT_TYPES)
        return part.size // BYTES_PER_TOKEN if is_text else PAGE_TOKENS * pages(part)
    width, height = (0, 0) if isinstance(part.content, Blob) else read_dimensions(part.content)
    if not width * height:
        return MAX_IMAGE_TOKENS
    return max(MIN_IMAGE_TOKENS, min(MAX_IMAGE_TOKENS, width * height // PIXELS_A_TOKEN))


def pages(file: File) -> int:
    """Return the number of pages of a file, or an upper estimate."""
    counted = 0 if isinstance(file.content, Blob) else len(PAGE.findall(file.content))
    return counted or 1 + file.size // PAGE_BYTES


def read_dimensions(data: bytes) -> tuple[int, int]:
    """Return the width and height of an image in pixels; zero if they cannot be read."""
    try:
        if data[:4] == b"\x89PNG":
            return unpack(">II", data[16:24])
        if data[:3] == b"GIF":
            return unpack("<HH", data[6:10])
        return webp_dimensions(data) if data[:4] == b"RIFF" else jpeg_dimensions(data)
    except (error, IndexError):
        return 0, 0


def webp_dimensions(data: bytes) -> tuple[int, int]:
    """Read one of the three forms of WebP: extended, lossless, lossy."""
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


def jpeg_dimensions(data: bytes) -> tuple[int, int]:
    """Read segments until one starts a frame."""
    at = 2
    while data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in NO_SIZE:
            height, width = unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0
