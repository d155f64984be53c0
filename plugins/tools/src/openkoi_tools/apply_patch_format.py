"""Read a patch that stands between ``*** Begin Patch`` and ``*** End Patch``, file by file. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import ToolError

from .hunks import FilePatch, Hunk, hunk_of, signed
from .paths import shortened

UPDATE, ADD, DELETE, MOVE = "*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"
END_OF_FILE, END = "*** End of File", "*** End Patch"
ORDERS = (UPDATE, ADD, DELETE)
BEGINNINGS = ("*** Begin Patch", *ORDERS)


@dataclass(frozen=True, slots=True)
class Section:
    """One file of the patch: what is to be done with it, and where the lines of that begin and end."""

    order: str
    path: str
    begin: int
    end: int


def is_envelope(lines: Sequence[str]) -> bool:
    """Whether a patch is of this format."""
    return any(line.startswith(BEGINNINGS) for line in lines)


def files_of(lines: Sequence[str]) -> list[FilePatch]:
    """All files of the patch."""
    return [file_patch(section, lines) for section in sections(lines)]


def sections(lines: Sequence[str]) -> list[Section]:
    """The patch, cut at the lines that name a file."""
    last = next((at for at, line in enumerate(lines) if line.startswith(END)), len(lines))
    begins = [at for at in range(last) if lines[at].startswith(ORDERS)]
    return [section(lines, begin, end) for begin, end in zip(begins, [*begins[1:], last], strict=False)]


def section(lines: Sequence[str], begin: int, end: int) -> Section:
    """One section, which begins with the line that names its file."""
    order, _, path = lines[begin].partition(":")
    return Section(f"{order}:", path.strip(), begin + 1, end)


def file_patch(section: Section, lines: Sequence[str]) -> FilePatch:
    """What a section does to its file."""
    begin, path = section.begin, section.path
    if section.order == DELETE:
        return FilePatch(before=path, after="")
    if section.order == ADD:
        raw = lines[begin : signed(lines, begin, section.end)]
        whole = hunk_of([line if line.strip("\r") else f"+{line}" for line in raw])
        if whole.old:
            raise ToolError(
                f"{shortened(path)} is to be added, so each of its lines begins with +. To change it, use {UPDATE}"
            )
        return FilePatch(before="", after=path, hunks=(whole,) if whole.lines else ())
    moves = begin < section.end and lines[begin].startswith(MOVE)
    after = lines[begin].removeprefix(MOVE).strip() if moves else path
    return FilePatch(before=path, after=after, hunks=tuple(hunks(lines, begin + moves, section.end)))


def hunks(lines: Sequence[str], begin: int, end: int) -> list[Hunk]:
    """The hunks of a section: each begins with @@ lines, the first may do without."""
    found: list[Hunk] = []
    while begin < end:
        headings: list[str] = []
        while begin < end and lines[begin].startswith("@@"):
            headings += [lines[begin].strip("@ \r")]
            begin += 1
        stop = next((at for at in range(begin, end) if lines[at].startswith(("@@", END_OF_FILE))), end)
        at_end = stop < end and lines[stop].startswith(END_OF_FILE)
        raw = lines[begin : signed(lines, begin, stop)]
        if raw:
            found.append(hunk_of(raw, headings=tuple(filter(None, headings)), at_end=at_end))
        begin = stop + at_end
    return found
