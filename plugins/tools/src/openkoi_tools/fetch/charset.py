"""Decode the bytes of a page, whatever encoding it declares. Never fails."""

import codecs
import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
META = lazy_pattern(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
DECLARED = lazy_pattern(r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE)
AS_THE_WEB_READS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
NOT_FOR_PAGES = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"})
HEAD = 1024
LAST = "cp1252"


def decode_body(body: bytes, media_type: str = "") -> str:
    """Decode by the byte order mark, else the header, else the page's own declaration, else by trying."""
    for bom, codec in BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(codec, "replace")
    for codec in (*declared_encodings(body, media_type), "utf-8"):
        text = try_decode(body, codec)
        if text is not None:
            return text
    return body.decode(LAST, "replace")


def declared_encodings(body: bytes, media_type: str) -> Iterator[str]:
    """Yield the encodings that a page declares, by their Python names."""
    header, meta = DECLARED.search(media_type), META.search(body[:HEAD]) if "html" in media_type.lower() else None
    names = (header[1] if header else "", meta[1].decode("ascii", "replace") if meta else "")
    for name in names:
        try:
            found = codecs.lookup(name).name
            "".encode(found)
        except (LookupError, UnicodeError):
            continue
        if found not in NOT_FOR_PAGES:
            yield AS_THE_WEB_READS.get(found, found)


def try_decode(body: bytes, codec: str) -> str | None:
    """Decode the text in this encoding; return None if it is invalid. Ignore a character that is cut off at the end."""
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(body)
    except UnicodeError:
        return None
