"""Parse the format of ``apply_patch``: a patch between ``*** Begin Patch`` and ``*** End Patch``."""

from collections.abc import Sequence

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .hunks import FilePatch, Hunk, parse_hunk, signed_lines_end
from .symlink_safe_paths import shorten_path

UPDATE, ADD, DELETE, MOVE = "*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"
END_OF_FILE, END = "*** End of File", "*** End Patch"
HEADERS = (UPDATE, ADD, DELETE)
FIRST_LINES = ("*** Begin Patch", *HEADERS)


@dataclass(frozen=True, slots=True)
class PatchSection:
    """Describe one file of the patch: what to do with it, and where its lines begin and end."""

    header: str
    path: str
    begin: int
    end: int


def is_apply_patch_format(lines: Sequence[str]) -> bool:
    """Return whether a patch is of this format."""
    return any(line.startswith(FIRST_LINES) for line in lines)


def parse_files(lines: Sequence[str]) -> list[FilePatch]:
    """Return all files of the patch."""
    return [parse_file_patch(section, lines) for section in split_sections(lines)]


def split_sections(lines: Sequence[str]) -> list[PatchSection]:
    """Split the patch at the lines that name a file."""
    last = next((at for at, line in enumerate(lines) if line.startswith(END)), len(lines))
    begins = [at for at in range(last) if lines[at].startswith(HEADERS)]
    return [parse_section(lines, begin, end) for begin, end in zip(begins, [*begins[1:], last], strict=False)]


def parse_section(lines: Sequence[str], begin: int, end: int) -> PatchSection:
    """Parse one section, which begins with the line that names its file."""
    order, _, path = lines[begin].partition(":")
    return PatchSection(f"{order}:", path.strip(), begin + 1, end)


def parse_file_patch(section: PatchSection, lines: Sequence[str]) -> FilePatch:
    """Return what a section does to its file."""
    begin, path = section.begin, section.path
    if section.header == DELETE:
        return FilePatch(before=path, after="")
    if section.header == ADD:
        raw = lines[begin : signed_lines_end(lines, begin, section.end)]
        whole = parse_hunk([line if line.strip("\r") else f"+{line}" for line in raw])
        if whole.old_lines:
            raise ToolError(
                f"{shorten_path(path)} is a new file, so each of its lines must begin with +. "
                f"To change a file, use {UPDATE}"
            )
        return FilePatch(before="", after=path, hunks=(whole,) if whole.lines else ())
    moves = begin < section.end and lines[begin].startswith(MOVE)
    after = lines[begin].removeprefix(MOVE).strip() if moves else path
    return FilePatch(before=path, after=after, hunks=tuple(parse_hunks(lines, begin + moves, section.end)))


def parse_hunks(lines: Sequence[str], begin: int, end: int) -> list[Hunk]:
    """Return the hunks of a section: each begins with @@ lines, which the first may omit."""
    found: list[Hunk] = []
    while begin < end:
        headings: list[str] = []
        while begin < end and lines[begin].startswith("@@"):
            headings += [lines[begin].strip("@ \r")]
            begin += 1
        stop = next((at for at in range(begin, end) if lines[at].startswith(("@@", END_OF_FILE))), end)
        at_end = stop < end and lines[stop].startswith(END_OF_FILE)
        raw = lines[begin : signed_lines_end(lines, begin, stop)]
        if raw:
            found.append(parse_hunk(raw, headings=tuple(filter(None, headings)), at_end=at_end))
        begin = stop + at_end
    return found
