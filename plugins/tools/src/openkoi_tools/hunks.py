"""What a patch says, in whichever format it was written: files, and in them hunks of lines. Knows no file's content."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from openkoi_hookspecs import ToolError

SIGNS = (" ", "-", "+")
MARK = "\\"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a hunk: kept (a space), taken out (-) or put in (+)."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Lines that stand together. ``at`` is where the old ones are said to begin, counted from one; 0: nobody says.

    ``headings`` are lines somewhere above. ``old_open`` and ``new_open``: the text ends there, without a line feed.
    """

    lines: tuple[Line, ...]
    at: int = 0
    headings: tuple[str, ...] = ()
    old_open: bool = False
    new_open: bool = False
    at_end: bool = False

    @property
    def old(self) -> list[str]:
        """The lines to find."""
        return [line.text for line in self.lines if line.sign != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that stand there afterwards."""
        return [line.text for line in self.lines if line.sign != "-"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """What happens to one file. Without a path before it is new, without one after it is deleted."""

    before: str
    after: str
    hunks: tuple[Hunk, ...] = ()
    executable: bool | None = None

    @property
    def content(self) -> str:
        """The whole of a new file."""
        text = "".join(f"{line}\n" for hunk in self.hunks for line in hunk.new)
        return text.removesuffix("\n") if self.hunks and self.hunks[-1].new_open else text

    @property
    def creates(self) -> bool:
        """Whether nothing has to be there for it."""
        return not any(hunk.old for hunk in self.hunks)


def hunk_of(raw: Sequence[str], *, at: int = 0, headings: tuple[str, ...] = (), at_end: bool = False) -> Hunk:
    """Read the lines of a hunk, signs and marks of a missing line feed included."""
    lines = [Line(sign_of(line), line[1:]) for line in raw if not line.startswith(MARK)]
    opened = {sign_of(before) for before, line in pairwise(raw) if line.startswith(MARK)}
    return Hunk(
        lines=tuple(lines),
        at=at,
        headings=headings,
        old_open=bool(opened & {" ", "-"}),
        new_open=bool(opened & {" ", "+"}),
        at_end=at_end,
    )


def sign_of(line: str) -> str:
    """The sign of a line; one that is quite empty has lost its space."""
    return line[:1] if line.rstrip("\r") else " "


def signed(lines: Sequence[str], begin: int, end: int) -> int:
    """Return where the signed lines from a beginning on are over, at the end at most; raises ToolError for others."""
    for number in range(begin, end):
        if sign_of(lines[number]) not in (*SIGNS, MARK):
            raise ToolError(
                f"Line {number + 1} of the patch belongs to no hunk: {lines[number][:80]!r}. "
                "Each line of a hunk begins with a space, - or +."
            )
    while end > begin and not lines[end - 1].strip("\r"):
        end -= 1
    return end
