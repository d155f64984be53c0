"""Parse a unified diff as diff and git write it, or as models do, whose line counts may be wrong."""

import re
from collections.abc import Sequence
from dataclasses import field

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .hunks import NO_NEWLINE_MARK, FilePatch, Hunk, line_sign, parse_hunk, signed_lines_end
from .symlink_safe_paths import shorten_path

RANGE_LINE = lazy_pattern(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
FIELDS = {
    "rename from ": "renamed_from",
    "rename to ": "renamed_to",
    "new file mode ": "mode",
    "new mode ": "mode",
}
UNSUPPORTED = ("GIT binary patch", "Binary files ", "copy from ")
NO_FILE_NAME = "/dev/null"
ESCAPED = lazy_pattern(rb"\\([0-7]{3}|.)")
LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
FILE_MODES = ("", "100644", "100755")


@dataclass(slots=True)
class DiffHeader:
    """The lines above the hunks of one file, as written."""

    git: str = ""
    old: str = ""
    new: str = ""
    renamed_from: str = ""
    renamed_to: str = ""
    mode: str = ""
    created: bool = False
    deleted: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    def to_patch(self) -> FilePatch:
        """Return the patch of one file; raise ToolError if it is ambiguous."""
        before, after = (self.renamed_from, self.renamed_to) if self.renamed_to else self.named_paths
        if self.mode not in FILE_MODES:
            raise ToolError(f"The patch turns {shorten_path(after)} into a link or a submodule. Use run_command.")
        if before and after and before != after and not self.renamed_to:
            raise ToolError(
                f"The patch header names two different files, {shorten_path(before)} and {shorten_path(after)}. "
                "To rename a file, write 'rename from' and 'rename to' above its hunks."
            )
        return FilePatch(
            before="" if self.created else before,
            after="" if self.deleted else after,
            hunks=tuple(self.hunks),
            executable=self.mode == "100755" if self.mode else None,
        )

    @property
    def named_paths(self) -> tuple[str, str]:
        """The paths before and after; empty if there is no file."""
        if not self.old:
            return split_git_line(self.git)
        old, new = parse_path(self.old), parse_path(self.new)
        lettered = old.startswith(("a/", NO_FILE_NAME)) and new.startswith(("b/", NO_FILE_NAME))
        return strip_prefix(old, lettered=lettered), strip_prefix(new, lettered=lettered)


class UnifiedDiffParser:
    """Parse the lines of a diff, from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.headers: list[DiffHeader] = []
        self.inside = False

    def parse_files(self) -> list[FilePatch]:
        """Return all files of the diff."""
        at = 0
        while at < len(self.lines):
            at = self.parse_hunk(at) if self.lines[at].startswith("@@") else self.parse_outside(at)
        return [header.to_patch() for header in self.headers]

    def parse_outside(self, at: int) -> int:
        """Parse a line outside hunks; return the index of the next one."""
        line = self.lines[at].rstrip("\r")
        if is_header(self.lines, at):
            self.set_names(line, self.lines[at + 1].rstrip("\r"))
            return at + 2
        if line.startswith("diff --git "):
            self.begin_file(DiffHeader(git=line.removeprefix("diff --git ")))
        elif is_signature(line):
            self.inside = False
        elif self.inside and line.startswith(("+", "-")):
            raise ToolError(f"Line {at + 1} of the patch is not in a hunk: {line[:80]!r}. Write a @@ line above it.")
        elif self.headers and not self.headers[-1].hunks:
            self.parse_extended(line)
        return at + 1

    def begin_file(self, header: DiffHeader) -> None:
        """Begin the next file."""
        self.headers.append(header)
        self.inside = False

    def set_names(self, old: str, new: str) -> None:
        """Parse the two lines that name a file."""
        if not self.headers or self.headers[-1].old or self.headers[-1].hunks:
            self.begin_file(DiffHeader())
        self.headers[-1].old, self.headers[-1].new = old.removeprefix("--- "), new.removeprefix("+++ ")

    def parse_extended(self, line: str) -> None:
        """Parse git's other header lines about a file."""
        header = self.headers[-1]
        if line.startswith(UNSUPPORTED):
            raise ToolError("The patch contains a copy or binary data, which is not supported. Use run_command.")
        header.created = header.created or line.startswith("new file mode ")
        header.deleted = header.deleted or line.startswith("deleted file mode ")
        for beginning, attribute in FIELDS.items():
            if line.startswith(beginning):
                setattr(header, attribute, parse_path(line.removeprefix(beginning)))

    def parse_hunk(self, at: int) -> int:
        """Parse a hunk; return where the line after it is."""
        if not self.headers:
            raise ToolError("The patch has a hunk before it names a file. Write --- a/path and +++ b/path above it.")
        ranges = RANGE_LINE.match(self.lines[at])
        begin = at + 1
        end = counted_end(self.lines, begin, ranges) if ranges else None
        end = signed_lines_end(self.lines, begin, next_boundary(self.lines, begin)) if end is None else end
        heading = (ranges[5] if ranges else self.lines[at].strip("@ \r")).strip()
        first = int(ranges[1]) if ranges else 0
        self.headers[-1].hunks.append(
            parse_hunk(self.lines[begin:end], at=first, headings=(heading,) if heading else ())
        )
        self.inside = True
        return end


def counted_end(lines: Sequence[str], at: int, ranges: "re.Match[str]") -> int | None:
    """Return where a hunk ends if its length matches its header; otherwise None."""
    old, new = int(ranges[2] or 1), int(ranges[4] or 1)
    while old > 0 or new > 0 or (at < len(lines) and lines[at].startswith(NO_NEWLINE_MARK)):
        sign = line_sign(lines[at]) if at < len(lines) else ""
        if sign not in (" ", "-", "+", NO_NEWLINE_MARK):
            return None
        old -= sign in " -"
        new -= sign in " +"
        at += 1
    return at if old == new == 0 and is_over(lines, at) else None


def is_over(lines: Sequence[str], at: int) -> bool:
    """Return whether a hunk may end before this line."""
    if at >= len(lines) or is_header(lines, at) or is_signature(lines[at]):
        return True
    return lines[at][:1] not in (" ", "-", "+")


def next_boundary(lines: Sequence[str], at: int) -> int:
    """Return the next line that cannot belong to a hunk."""
    while at < len(lines) and not (
        lines[at].startswith(("@@", "diff ", "*** ", "```")) or is_header(lines, at) or is_signature(lines[at])
    ):
        at += 1
    return at


def is_header(lines: Sequence[str], at: int) -> bool:
    """Return whether a file is named here."""
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def is_signature(line: str) -> bool:
    """Return whether this is the signature line of an emailed patch."""
    return line.rstrip("\r") in ("-- ", "--")


def parse_path(written: str) -> str:
    """Return a path without the time after it, and without git's quotes."""
    path = written.rstrip("\r")
    if not path.startswith('"'):
        return path.split("\t")[0].strip()
    try:
        return ESCAPED.sub(unescape_byte, path[1 : path.rindex('"')].encode()).decode()
    except ValueError:
        raise ToolError(f"The patch names a file that cannot be read: {path[:80]}.") from None


def strip_prefix(path: str, *, lettered: bool) -> str:
    """Return a path without git's prefix letter; empty for /dev/null."""
    return "" if path == NO_FILE_NAME else path[2:] if lettered else path


def unescape_byte(escaped: "re.Match[bytes]") -> bytes:
    """Return the byte that git writes as a backslash and a letter, or three digits."""
    code = escaped[1]
    return bytes([int(code, 8) % 256]) if len(code) == 3 else LETTERS.get(code, code)


def split_git_line(git: str) -> tuple[str, str]:
    """Return the paths of ``diff --git a/x b/x``, for when nothing else names them."""
    middle = len(git) // 2
    old, new = parse_path(git[:middle]), parse_path(git[middle + 1 :])
    return old.removeprefix("a/"), new.removeprefix("b/")
