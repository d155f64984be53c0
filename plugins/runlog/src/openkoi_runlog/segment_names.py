"""Name the files of the log: ``<session>.jsonl``, then ``<session>.2.jsonl`` and so on.

The log has had one format so far, so no step converts it. A version that changes the format adds the steps up and down,
and a file ``format-N`` beside the logs: its name contains the version, so that listing the logs reads it.
"""

from pathlib import Path
from urllib.parse import quote, unquote

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .segment_files import original_name

MAX_STEM_BYTES = 200  # bytes; file systems allow 255 for a name, endings included
LOG_FORMAT = 1  # version of the log's format, if no file beside the logs says otherwise
FORMAT_PREFIX = "format-"
NEWER = "The run log in {folder} has format {version}, and this OpenKoi reads format {known}. Run `openkoi update`."
BY_TIME = lazy_pattern(r"\d{8}T\d{6}-[0-9a-f]{11}")


def check_format(folder: Path) -> None:
    """Raise KoiError if a newer OpenKoi wrote the logs in a folder."""
    for path in folder.iterdir():
        refuse_newer(folder, path.name)


def refuse_newer(folder: Path, name: str) -> None:
    """Raise KoiError if the name of a file in the log folder belongs to a newer format."""
    version = name.removeprefix(FORMAT_PREFIX)
    if name.startswith(FORMAT_PREFIX) and version.isdecimal() and int(version) > LOG_FORMAT:
        raise KoiError(NEWER.format(folder=folder, version=version, known=LOG_FORMAT))


def segment_name(session: str, number: int = 1) -> str:
    """Return the name of a session's file; raise KoiError if the session's id cannot be a file name."""
    stem = file_stem(session)
    return f"{stem}.jsonl" if number == 1 else f"{stem}.{number}.jsonl"


def file_stem(session: str) -> str:
    """Return a session's id with every character escaped that is special in file names or patterns."""
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
