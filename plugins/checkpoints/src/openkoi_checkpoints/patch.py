"""Write changes as a unified diff in git's style. Pure: knows names, modes and bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .align import Aligned

CONTEXT = 3
LINK = "120000"
ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}

Step: TypeAlias = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Version:
    """A file at one time: git's mode, and its bytes, None when nobody kept them."""

    mode: str
    data: bytes | None


def file_patch(path: str, old: Version | None, new: Version | None) -> str:
    """The patch of one path; one that became a link, or was one, goes and comes anew."""
    if old and new and LINK in (old.mode, new.mode) and old.mode != new.mode:
        return file_patch(path, old, None) + file_patch(path, None, new)
    header = f"diff --git {quoted(f'a/{path}')} {quoted(f'b/{path}')}\n"
    changes = [*modes(old, new), *body(path, old, new)]
    return "".join([header, *changes]) if changes else ""


def modes(old: Version | None, new: Version | None) -> list[str]:
    """The header lines about coming, going and modes."""
    if old is None:
        return [f"new file mode {new.mode}\n"] if new else []
    if new is None:
        return [f"deleted file mode {old.mode}\n"]
    return [f"old mode {old.mode}\n", f"new mode {new.mode}\n"] if old.mode != new.mode else []


def body(path: str, old: Version | None, new: Version | None) -> list[str]:
    """The names and hunks, or that it is binary."""
    before, after = old.data if old else b"", new.data if new else b""
    if before == after and before is not None:
        return []
    left = quoted(f"a/{path}") if old else "/dev/null"
    right = quoted(f"b/{path}") if new else "/dev/null"
    if before is None or after is None or not (is_text(before) and is_text(after)):
        return [f"Binary files {left} and {right} differ\n"]
    return [
        f"--- {ended(left)}\n",
        f"+++ {ended(right)}\n",
        *hunks(*(cut(data.decode("utf-8")) for data in (before, after))),
    ]


def is_text(data: bytes) -> bool:
    """Whether a diff can show it without changing a byte."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def cut(text: str) -> list[str]:
    """Cut after each line feed and nowhere else."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def hunks(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """All changed places, with three lines around each."""
    groups = Aligned(old, new).get_grouped_opcodes(CONTEXT)
    return [line for group in groups for line in hunk(group, old, new)]


def hunk(group: Sequence[Step], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """One hunk."""
    first, last = group[0], group[-1]
    written = [f"@@ -{span(first[1], last[2])} +{span(first[3], last[4])} @@\n"]
    for tag, a, b, c, d in group:
        if tag == "equal":
            written.extend(marked(" ", old[a:b]))
            continue
        written.extend(marked("-", old[a:b]) + marked("+", new[c:d]))
    return written


def span(start: int, stop: int) -> str:
    """Where a hunk begins, counted from one, and how long it is; an empty one stands after the line named."""
    return f"{start + 1 if stop > start else start},{stop - start}"


def marked(sign: str, some: Sequence[str]) -> list[str]:
    """Put the sign before each line; a last line without a line feed is said to be one."""
    missing = "\n\\ No newline at end of file\n"
    return [f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}{missing}" for line in some]


def ended(name: str) -> str:
    """A name with spaces in it ends in a tab, so that readers know where."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def quoted(name: str) -> str:
    """Quote a name that could not stand on a line as it is; letters of any language can."""
    if name.isprintable() and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(escaped(letter) for letter in name) + '"'


def escaped(letter: str) -> str:
    """One letter inside quotes."""
    if letter.isprintable() and letter not in '"\\':
        return letter
    raw = letter.encode("utf-8", "surrogateescape")
    return "".join(ESCAPES.get(byte, f"\\{byte:03o}") for byte in raw)
