"""Read a unified diff, as diff and git write it, and as models do: counts of lines may be wrong. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import ToolError

from .hunks import MARK, FilePatch, Hunk, hunk_of, sign_of, signed
from .paths import shortened

RANGES = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
FIELDS = {
    "rename from ": "renamed_from",
    "rename to ": "renamed_to",
    "new file mode ": "mode",
    "new mode ": "mode",
}
UNREADABLE = ("GIT binary patch", "Binary files ", "copy from ")
NOTHING = "/dev/null"
ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
FILE_MODES = ("", "100644", "100755")


@dataclass(slots=True)
class Header:
    """What stands above the hunks of one file, as it is written."""

    git: str = ""
    old: str = ""
    new: str = ""
    renamed_from: str = ""
    renamed_to: str = ""
    mode: str = ""
    created: bool = False
    deleted: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    def patch(self) -> FilePatch:
        """What it says of which file; raises ToolError where that is not clear."""
        before, after = (self.renamed_from, self.renamed_to) if self.renamed_to else self.named
        if self.mode not in FILE_MODES:
            raise ToolError(f"The patch makes {shortened(after)} a link or a submodule. Use run_command for that.")
        if before and after and before != after and not self.renamed_to:
            raise ToolError(
                f"The patch names two files for one, {shortened(before)} and {shortened(after)}. "
                "To rename a file, write 'rename from' and 'rename to' above its hunks."
            )
        return FilePatch(
            before="" if self.created else before,
            after="" if self.deleted else after,
            hunks=tuple(self.hunks),
            executable=self.mode == "100755" if self.mode else None,
        )

    @property
    def named(self) -> tuple[str, str]:
        """The paths before and after; no path where there is no file."""
        if not self.old:
            return halves(self.git)
        old, new = path_of(self.old), path_of(self.new)
        lettered = old.startswith(("a/", NOTHING)) and new.startswith(("b/", NOTHING))
        return bare(old, lettered=lettered), bare(new, lettered=lettered)


class Unified:
    """Reads the lines of a diff, from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.headers: list[Header] = []
        self.inside = False

    def files(self) -> list[FilePatch]:
        """All files of the diff."""
        at = 0
        while at < len(self.lines):
            at = self.hunk(at) if self.lines[at].startswith("@@") else self.outside(at)
        return [header.patch() for header in self.headers]

    def outside(self, at: int) -> int:
        """Take a line that is in no hunk; return where the next one is."""
        line = self.lines[at].rstrip("\r")
        if is_header(self.lines, at):
            self.name(line, self.lines[at + 1].rstrip("\r"))
            return at + 2
        if line.startswith("diff --git "):
            self.begin(Header(git=line.removeprefix("diff --git ")))
        elif is_signature(line):
            self.inside = False
        elif self.inside and line.startswith(("+", "-")):
            raise ToolError(f"Line {at + 1} of the patch belongs to no hunk: {line[:80]!r}. Write a @@ line above it.")
        elif self.headers and not self.headers[-1].hunks:
            self.note(line)
        return at + 1

    def begin(self, header: Header) -> None:
        """Go on to the next file."""
        self.headers.append(header)
        self.inside = False

    def name(self, old: str, new: str) -> None:
        """Take the two lines that name a file."""
        if not self.headers or self.headers[-1].old or self.headers[-1].hunks:
            self.begin(Header())
        self.headers[-1].old, self.headers[-1].new = old.removeprefix("--- "), new.removeprefix("+++ ")

    def note(self, line: str) -> None:
        """Take what else git says of a file."""
        header = self.headers[-1]
        if line.startswith(UNREADABLE):
            raise ToolError("The patch holds a copy or binary data, which is not applied here. Use run_command.")
        header.created = header.created or line.startswith("new file mode ")
        header.deleted = header.deleted or line.startswith("deleted file mode ")
        for beginning, attribute in FIELDS.items():
            if line.startswith(beginning):
                setattr(header, attribute, path_of(line.removeprefix(beginning)))

    def hunk(self, at: int) -> int:
        """Take a hunk; return where the line after it is."""
        if not self.headers:
            raise ToolError("The patch has a hunk before it names a file. Write --- a/path and +++ b/path above it.")
        ranges = RANGES.match(self.lines[at])
        begin = at + 1
        end = counted(self.lines, begin, ranges) if ranges else None
        end = signed(self.lines, begin, boundary(self.lines, begin)) if end is None else end
        heading = (ranges[5] if ranges else self.lines[at].strip("@ \r")).strip()
        first = int(ranges[1]) if ranges else 0
        self.headers[-1].hunks.append(hunk_of(self.lines[begin:end], at=first, headings=(heading,) if heading else ()))
        self.inside = True
        return end


def counted(lines: Sequence[str], at: int, ranges: "re.Match[str]") -> int | None:
    """Return where a hunk ends that is as long as it says; None if it is not."""
    old, new = int(ranges[2] or 1), int(ranges[4] or 1)
    while old > 0 or new > 0 or (at < len(lines) and lines[at].startswith(MARK)):
        sign = sign_of(lines[at]) if at < len(lines) else ""
        if sign not in (" ", "-", "+", MARK):
            return None
        old -= sign in " -"
        new -= sign in " +"
        at += 1
    return at if old == new == 0 and is_over(lines, at) else None


def is_over(lines: Sequence[str], at: int) -> bool:
    """Whether a hunk may end before this line."""
    if at >= len(lines) or is_header(lines, at) or is_signature(lines[at]):
        return True
    return lines[at][:1] not in (" ", "-", "+")


def boundary(lines: Sequence[str], at: int) -> int:
    """Return where the next thing begins that cannot belong to a hunk."""
    while at < len(lines) and not (
        lines[at].startswith(("@@", "diff ", "*** ", "```")) or is_header(lines, at) or is_signature(lines[at])
    ):
        at += 1
    return at


def is_header(lines: Sequence[str], at: int) -> bool:
    """Whether a file is named here."""
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def is_signature(line: str) -> bool:
    """Whether this is the line that mails end with."""
    return line.rstrip("\r") in ("-- ", "--")


def path_of(written: str) -> str:
    """A path as it is meant: without the time after it, and without the quotes that git puts around some."""
    path = written.rstrip("\r")
    if not path.startswith('"'):
        return path.split("\t")[0].strip()
    try:
        return ESCAPED.sub(meant, path[1 : path.rindex('"')].encode()).decode()
    except ValueError:
        raise ToolError(f"The patch names a file that cannot be read: {path[:80]}.") from None


def bare(path: str, *, lettered: bool) -> str:
    """A path without the letter that git puts before it; nothing, where it says that there is no file."""
    return "" if path == NOTHING else path[2:] if lettered else path


def meant(escaped: "re.Match[bytes]") -> bytes:
    """The byte that git writes as a backslash and a letter, or three digits."""
    code = escaped[1]
    return bytes([int(code, 8) % 256]) if len(code) == 3 else LETTERS.get(code, code)


def halves(git: str) -> tuple[str, str]:
    """The paths of ``diff --git a/x b/x``, where nothing else names them."""
    middle = len(git) // 2
    old, new = path_of(git[:middle]), path_of(git[middle + 1 :])
    return old.removeprefix("a/"), new.removeprefix("b/")
