"""Name the files of the log: ``<session>.jsonl``, then ``<session>.2.jsonl`` and so on."""

from pathlib import Path
from urllib.parse import quote, unquote

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .segment_files import original_name

MAX_STEM_BYTES = 200  # bytes; file systems allow 255 for a name, endings included
BY_TIME = lazy_pattern(r"\d{8}T\d{6}-[0-9a-f]{11}")


def segment_name(session: str, number: int = 1) -> str:
    """Return the name of a session's file; raises KoiError for a session that cannot be named."""
    stem = file_stem(session)
    return f"{stem}.jsonl" if number == 1 else f"{stem}.{number}.jsonl"


def file_stem(session: str) -> str:
    """Return a session's id with every character escaped that a file name or a pattern gives a meaning."""
    stem = quote(session, safe="", errors="surrogatepass").replace(".", "%2E").replace("~", "%7E")
    if not 0 < len(stem) <= MAX_STEM_BYTES:
        raise KoiError(f"The session {session[:40]!r} cannot be written: its name is empty or too long.")
    return stem


def parse_segment_name(path: Path) -> tuple[str, int]:
    """Return the session that a file belongs to, and its number there."""
    stem, _, number = original_name(path).removesuffix(".jsonl").partition(".")
    return unquote(stem, errors="surrogatepass"), int(number) if number.isdigit() else 1


def parse_session(path: Path) -> str:
    """Return the session that a file belongs to."""
    return parse_segment_name(path)[0]


def parse_part(path: Path) -> int:
    """Return a file's number in its session, from one on."""
    return parse_segment_name(path)[1]


def is_by_time(session: str) -> bool:
    """Return whether a session is named by the time of its start; others are named by the program that started them."""
    return BY_TIME.fullmatch(session) is not None
