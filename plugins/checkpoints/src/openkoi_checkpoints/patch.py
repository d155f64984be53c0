"""Write changes as a unified diff in git's style."""

from collections.abc import Sequence
from typing import TypeAlias

from openkoi_base.files.reverse_patch import split_lines
from openkoi_hookspecs.lazy_dataclass import dataclass

from .line_matcher import LineMatcher

CONTEXT_LINES = 3
LINK_MODE = "120000"
ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}

Step: TypeAlias = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file at one time: git's mode, and its bytes; None if they were not stored."""

    mode: str
    data: bytes | None


def file_patch(path: str, old: FileVersion | None, new: FileVersion | None) -> str:
    """Return the patch of one path; one that became a link, or was one, is deleted and created."""
    if old and new and LINK_MODE in (old.mode, new.mode) and old.mode != new.mode:
        return file_patch(path, old, None) + file_patch(path, None, new)
    header = f"diff --git {quote_name(f'a/{path}')} {quote_name(f'b/{path}')}\n"
    changes = [*mode_lines(old, new), *patch_body(path, old, new)]
    return "".join([header, *changes]) if changes else ""


def mode_lines(old: FileVersion | None, new: FileVersion | None) -> list[str]:
    """Return the header lines about creation, deletion and modes."""
    if old is None:
        return [f"new file mode {new.mode}\n"] if new else []
    if new is None:
        return [f"deleted file mode {old.mode}\n"]
    return [f"old mode {old.mode}\n", f"new mode {new.mode}\n"] if old.mode != new.mode else []


def patch_body(path: str, old: FileVersion | None, new: FileVersion | None) -> list[str]:
    """Return the names and hunks, or that the file is binary.

    Text in another encoding than UTF-8 is shown decoded, and called binary, so that git does not apply it.
    """
    before, after = old.data if old else b"", new.data if new else b""
    if before == after and before is not None:
        return []
    left = quote_name(f"a/{path}") if old else "/dev/null"
    right = quote_name(f"b/{path}") if new else "/dev/null"
    binary = f"Binary files {left} and {right} differ"
    names = [f"--- {end_name(left)}\n", f"+++ {end_name(right)}\n"]
    if before is None or after is None:
        return [f"{binary}\n"]
    if is_text(before) and is_text(after):
        return [*names, *format_hunks(*(split_lines(data.decode("utf-8")) for data in (before, after)))]
    from openkoi_base.files.text_encoding import decode_text

    then, now = decode_text(before), decode_text(after)
    if then is None or now is None or not (then.text or now.text):
        return [f"{binary}\n"]
    hunks = format_hunks(split_lines(then.text), split_lines(now.text))
    codecs = [one.codec for one in (then, now) if one.text]
    return [f"{binary} ({describe_encodings(codecs, is_shown=bool(hunks))})\n", *(names if hunks else ()), *hunks]


def is_text(data: bytes) -> bool:
    """Return whether a diff can show it without changing a byte."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def describe_encodings(codecs: Sequence[str], *, is_shown: bool) -> str:
    """Return a note about the encodings of a file before and after the change."""
    before, now = codecs[0], codecs[-1]
    text = f"{now} text" if before == now else f"{before} text before, {now} now"
    return f"{text}, decoded below" if is_shown else f"{text}, the same characters"


def format_hunks(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return all hunks, with three lines of context around each."""
    groups = LineMatcher(old, new).get_grouped_opcodes(CONTEXT_LINES)
    return [line for group in groups for line in format_hunk(group, old, new)]


def format_hunk(group: Sequence[Step], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return one hunk."""
    first, last = group[0], group[-1]
    written = [f"@@ -{format_range(first[1], last[2])} +{format_range(first[3], last[4])} @@\n"]
    for tag, a, b, c, d in group:
        if tag == "equal":
            written.extend(prefix_lines(" ", old[a:b]))
            continue
        written.extend(prefix_lines("-", old[a:b]) + prefix_lines("+", new[c:d]))
    return written


def format_range(start: int, stop: int) -> str:
    """Return a hunk's start, counted from one, and length; the start of an empty one is the line before it."""
    return f"{start + 1 if stop > start else start},{stop - start}"


def prefix_lines(sign: str, some: Sequence[str]) -> list[str]:
    """Put the sign before each line; mark a last line without a line feed."""
    missing = "\n\\ No newline at end of file\n"
    return [f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}{missing}" for line in some]


def end_name(name: str) -> str:
    """Append a tab to a name with spaces, so that readers know where it ends."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def quote_name(name: str) -> str:
    """Quote a name that a line cannot contain unchanged; letters of any language need no quotes."""
    if name.isprintable() and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(escape_letter(letter) for letter in name) + '"'


def escape_letter(letter: str) -> str:
    """Return one letter as written inside quotes."""
    if letter.isprintable() and letter not in '"\\':
        return letter
    raw = letter.encode("utf-8", "surrogateescape")
    return "".join(ESCAPES.get(byte, f"\\{byte:03o}") for byte in raw)
