"""Show a unified diff with signs, line numbers, and the words that changed within a line."""

import re
from collections.abc import Iterator, Sequence

from openkoi_base.files.diffs import count_lines, split_by_file
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .safe_text import show_hidden
from .style import Style

FOLD_LINES = 40  # of one file; more are folded (estimate)
HUNK = lazy_pattern(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
BINARY = "Binary files "  # with hunks, it names the encoding of the text
WORD = lazy_pattern(r"\w+|\s+|.", re.DOTALL)
SIMILAR = 0.4  # in less similar lines, nearly all words would be marked as changed (estimate)


@dataclass(frozen=True, slots=True)
class DiffCount:
    """How many lines of a file were added and removed."""

    file: str
    added: int
    removed: int

    @property
    def text(self) -> str:
        """Format as ``shop/bill.py +3 -1``."""
        return f"{show_hidden(self.file)} +{self.added} -{self.removed}"


def count_changes(diff: str) -> Sequence[DiffCount]:
    """Return the number of changed lines of each file."""
    return [count_file(file, part) for file, part in split_by_file(diff).items()]


def count_file(file: str, part: str) -> DiffCount:
    return DiffCount(file, *count_lines(part))


def render_diff(diff: str, style: Style, *, most: int = FOLD_LINES, more: str = "openkoi diff") -> Sequence[str]:
    """Return the lines of a diff; after ``most`` lines, the command that shows the rest. 0 shows all lines."""
    lines = [line for file, part in split_by_file(diff).items() for line in render_file(file, part, style)]
    if not most or len(lines) <= most:
        return lines
    left = len(lines) - most
    return [*lines[:most], style.mark(f"… {left} more line{'s' * (left != 1)}: {more}", "dim")]


def render_file(file: str, part: str, style: Style) -> Iterator[str]:
    """Yield the lines of one file's diff."""
    yield style.mark(count_file(file, part).text, "bold")
    header, *hunks = re.split(r"^(?=@@ )", part, flags=re.MULTILINE)
    for line in header.splitlines()[1:]:
        if line.startswith(BINARY) or not (hunks or line.startswith("index ")):
            yield show_hidden(line)
    for hunk in hunks:
        yield from render_hunk(hunk.splitlines(), style)


def render_hunk(lines: Sequence[str], style: Style) -> Iterator[str]:
    """Yield the lines of a hunk: line number, sign and text; replaced lines are shown in pairs for comparison."""
    begun = HUNK.match(lines[0])
    old, new = (int(begun[1]), int(begun[2])) if begun else (1, 1)
    yield style.mark(f"  {show_hidden(lines[0])}", "cyan")
    removed: list[str] = []
    added: list[str] = []
    for line in [*lines[1:], ""]:
        if line.startswith("-") and not added:
            removed.append(line[1:])
        elif line.startswith("+"):
            added.append(line[1:])
        else:
            yield from render_change(removed, added, old, new, style)
            old, new = old + len(removed), new + len(added)
            removed, added = ([line[1:]] if line.startswith("-") else []), []
            if line.startswith(" "):
                yield f"{new:>5}   {show_hidden(line[1:])}".rstrip()
                old, new = old + 1, new + 1


def render_change(removed: Sequence[str], added: Sequence[str], old: int, new: int, style: Style) -> Iterator[str]:
    """Yield removed lines, then added ones; in pairs of similar lines, changed words are marked."""
    pairs = (
        [mark_words(*pair, style) for pair in zip(removed, added, strict=False)] if len(removed) == len(added) else []
    )
    before = [pair[0] for pair in pairs] or [style.mark(show_hidden(line), "red") for line in removed]
    after = [pair[1] for pair in pairs] or [style.mark(show_hidden(line), "green") for line in added]
    yield from (f"{old + place:>5} {style.mark('-', 'red')} {line}" for place, line in enumerate(before))
    yield from (f"{new + place:>5} {style.mark('+', 'green')} {line}" for place, line in enumerate(after))


def mark_words(before: str, after: str, style: Style) -> tuple[str, str]:
    """Return both lines; the words that differ are shown in reverse video if the rest is alike."""
    from difflib import SequenceMatcher

    olds, news = WORD.findall(before), WORD.findall(after)
    found = SequenceMatcher(None, olds, news, autojunk=False)
    alike = found.ratio() >= SIMILAR and not style.plain
    one, two = "", ""
    for kind, start, end, begin, stop in found.get_opcodes():
        marks = ("reverse",) if kind != "equal" and alike else ()
        one += style.mark(show_hidden("".join(olds[start:end])), "red", *marks)
        two += style.mark(show_hidden("".join(news[begin:stop])), "green", *marks)
    return one, two
