"""Represent a patch of either format: files, and in them hunks of lines."""

from collections.abc import Sequence
from itertools import pairwise

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

SIGNS = (" ", "-", "+")
NO_NEWLINE_MARK = "\\"


@dataclass(frozen=True, slots=True)
class PatchLine:
    """Represent a line of a hunk: kept (a space), removed (-) or added (+)."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Represent adjacent lines.

    ``at`` is where the old ones should begin, counted from one; 0 if not given. ``headings`` are lines somewhere above.
    ``old_open`` and ``new_open``: the text ends there, without a line feed.
    """

    lines: tuple[PatchLine, ...]
    at: int = 0
    headings: tuple[str, ...] = ()
    old_open: bool = False
    new_open: bool = False
    at_end: bool = False

    @property
    def old_lines(self) -> list[str]:
        """The lines to find."""
        return [line.text for line in self.lines if line.sign != "+"]

    @property
    def new_lines(self) -> list[str]:
        """The lines that replace them."""
        return [line.text for line in self.lines if line.sign != "-"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """What happens to one file. It is new if it has no path before, and deleted if it has none after."""

    before: str
    after: str
    hunks: tuple[Hunk, ...] = ()
    executable: bool | None = None

    @property
    def content(self) -> str:
        """Whole content of a new file."""
        text = "".join(f"{line}\n" for hunk in self.hunks for line in hunk.new_lines)
        return text.removesuffix("\n") if self.hunks and self.hunks[-1].new_open else text

    @property
    def creates(self) -> bool:
        """Whether the file need not exist."""
        return not any(hunk.old_lines for hunk in self.hunks)


def parse_hunk(raw: Sequence[str], *, at: int = 0, headings: tuple[str, ...] = (), at_end: bool = False) -> Hunk:
    """Parse the lines of a hunk, including signs and marks of a missing line feed."""
    lines = [PatchLine(line_sign(line), line[1:]) for line in raw if not line.startswith(NO_NEWLINE_MARK)]
    opened = {line_sign(before) for before, line in pairwise(raw) if line.startswith(NO_NEWLINE_MARK)}
    return Hunk(
        lines=tuple(lines),
        at=at,
        headings=headings,
        old_open=bool(opened & {" ", "-"}),
        new_open=bool(opened & {" ", "+"}),
        at_end=at_end,
    )


def line_sign(line: str) -> str:
    """Return the sign of a line; an empty one has lost its space."""
    return line[:1] if line.rstrip("\r") else " "


def signed_lines_end(lines: Sequence[str], begin: int, end: int) -> int:
    """Return where the signed lines end that start at a position; raise ToolError for a line without a sign."""
    for number in range(begin, end):
        if line_sign(lines[number]) not in (*SIGNS, NO_NEWLINE_MARK):
            raise ToolError(
                f"Line {number + 1} of the patch is not in a hunk: {lines[number][:80]!r}. "
                "Each line of a hunk begins with a space, - or +."
            )
    while end > begin and not lines[end - 1].strip("\r"):
        end -= 1
    return end
