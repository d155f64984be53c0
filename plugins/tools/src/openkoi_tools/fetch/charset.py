"""The bytes of a page as text, whatever they are said to be. Pure; never fails."""

import codecs
import re
from collections.abc import Iterator

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
DECLARED = re.compile(r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE)
AS_THE_WEB_READS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
NOT_FOR_PAGES = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"})
HEAD = 1024
LAST = "cp1252"


def decode_body(body: bytes, type: str = "") -> str:
    """Read by the byte order mark, else the header, else the page's own word, else as UTF-8: by the first that fits."""
    for bom, codec in BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(codec, "replace")
    for codec in (*declared_encodings(body, type), "utf-8"):
        text = fitting(body, codec)
        if text is not None:
            return text
    return body.decode(LAST, "replace")


def declared_encodings(body: bytes, type: str) -> Iterator[str]:
    """Yield the encodings that a page declares, by their Python names."""
    header, meta = DECLARED.search(type), META.search(body[:HEAD]) if "html" in type.lower() else None
    names = (header[1] if header else "", meta[1].decode("ascii", "replace") if meta else "")
    for name in names:
        try:
            found = codecs.lookup(name).name
            "".encode(found)
        except (LookupError, UnicodeError):
            continue
        if found not in NOT_FOR_PAGES:
            yield AS_THE_WEB_READS.get(found, found)


def fitting(body: bytes, codec: str) -> str | None:
    """The text in this encoding; None where it is another. A character that is cut off at the end is left out."""
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(body)
    except UnicodeError:
        return None
