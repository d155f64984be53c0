"""Recognize texts in which a value is scattered: bytes with separators, dumps with columns, compressed base64."""

import base64
import zlib

from openkoi_hookspecs.lazy_pattern import lazy_pattern

HEX_BYTES = lazy_pattern(  # five of them; a search that starts at what separates two takes a fourth of the time
    r"(?<=[0-9a-fA-F]{2})[\s:,;-]+(?:(?:0x|\\x)?[0-9a-fA-F]{2,4}[\s:,;-]+){4}"
)
HEX_BREAKS = (  # between bytes, between the lines of a dump, and between the texts beside them
    lazy_pattern(r"(?:[\s:,;-]|\\[nrtx]|0x)+"),
    lazy_pattern(r"(?:[ \t]{2,}(?:[|>][^\n]{0,20}|[^\n]{1,16}))?(?:\n|\\n)[0-9a-fA-F]{6,8}:?[ \t]+|[ \t]+"),
    lazy_pattern(r"[|<]?(?:\n|\\n)[0-9a-fA-F]{6,8}:?(?:[ \t]+[0-9a-fA-F]{2,4}){1,32}[ \t]+[|>]?"),
)
GZIP_START = "H4sI"
GZIPPED = lazy_pattern(r"(?<![A-Za-z0-9+/_-])H4sI[A-Za-z0-9+/_-]{20,}")
URL_SAFE = str.maketrans("-_", "+/")
MAX_UNPACKED_BYTES = 1_000_000


def unpack_gzip(text: str) -> str:
    """Return a text that was compressed by gzip and encoded in base64; only the start, if it is long or damaged."""
    data = base64.b64decode(text.translate(URL_SAFE)[: len(text) // 4 * 4])
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_UNPACKED_BYTES).decode("utf-8", "replace")
    except zlib.error:
        return ""
