"""Convert a page to text, by its media type."""

import re

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_tools.truncate import format_size

from .charset import decode_body
from .failures import format_status
from .markdown import MAX_HTML_CHARACTERS, to_markdown
from .redirects import Arrival

TYPE = lazy_pattern(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,60}")
HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXTS = frozenset(
    f"application/{name}"
    for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "x-sh", "sql", "x-ndjson")
)
LOOKS_LIKE_HTML = lazy_pattern(rb"\s*(<!doctype html|<html|<head|<body)", re.IGNORECASE)
UNSEEN = lazy_pattern("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Control characters, also those that turn lines round, and tags, which are invisible but reach the model."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The facts about a page in one line, and its text."""

    facts: str
    text: str


def page_of(arrival: Arrival) -> FetchedPage:
    """Return a page as readable text; of a page that is not text, only its properties."""
    answer = arrival.answer
    media_type = kind_of(answer.type, answer.body)
    facts = [f"HTTP {format_status(answer.status)}", arrival.address.printable, media_type]
    cut = [f"cut: only the first {format_size(len(answer.body))} were read"] if answer.cut else []
    if not is_text(media_type):
        more = [f"{'more than ' if answer.cut else ''}{format_size(len(answer.body))}", "no text, so it is not shown"]
        return FetchedPage(", ".join(facts + more), "")
    text = decode_body(answer.body, answer.type or media_type)
    if media_type in HTML:
        cut += (
            [f"cut: only the first {MAX_HTML_CHARACTERS:,} characters of the HTML were read"]
            if len(text) > MAX_HTML_CHARACTERS
            else []
        )
        text = to_markdown(text, str(arrival.address))
    text = UNSEEN.sub("", text.replace("\r\n", "\n"))
    return FetchedPage(", ".join([*facts, f"{len(text):,} characters", *cut]), text)


def kind_of(declared: str, body: bytes) -> str:
    """Return a page's declared media type, or guess it from the content."""
    media_type = declared.partition(";")[0].strip().lower()
    if TYPE.fullmatch(media_type):
        return media_type
    if LOOKS_LIKE_HTML.match(body):
        return "text/html"
    return "application/octet-stream" if b"\0" in body[:4096] else "text/plain"


def is_text(media_type: str) -> bool:
    """Return whether a media type is text."""
    return (
        media_type.startswith("text/")
        or media_type in TEXTS
        or media_type in HTML
        or media_type.endswith(("+json", "+xml", "+yaml"))
    )
