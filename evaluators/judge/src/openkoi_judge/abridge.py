"""Abridge a long new file that was judged before.

Unchanged parts are summarized by the names they define; changes are shown with the lines around them.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .changes_since import SECTION

CONTEXT_LINES = 8
MIN_OMITTED_LINES = 40  # unchanged lines are omitted only if there are this many in a row (estimate)
MAX_NAME_LIST_CHARACTERS = 1_200
NEW = "\n@@ -0,0 +1"
DEFINES = lazy_pattern(
    r"\s*(?:export |public |pub |async |static )*(?:def|class|fn|func|function|interface|struct)\s+(\w+)"
)
AS_BEFORE = "[... {count} lines unchanged since the last full evaluation{names}]"


def abridge_diff(diff: str, before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the diff without unchanged parts of the files that it adds."""
    return "".join(abridge_file(part, before, now) for part in SECTION.split(diff))


def abridge_file(part: str, before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return one file's part of the diff, abridged."""
    name = part.partition("\n")[0].rpartition(" b/")[2]
    if NEW not in part or not before.get(name) or name not in now:
        return part
    head = part[: part.index("\n", part.index("\n+++ ") + 1) + 1]
    return head + "\n".join(abridge_lines(before[name].splitlines(), now[name].splitlines())) + "\n"


def abridge_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a file, with unchanged ones summarized."""
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lines = [f"+{line}" for line in new[start:end]]
        if tag != "equal" or len(lines) < MIN_OMITTED_LINES:
            yield from lines
            continue
        yield from lines[:CONTEXT_LINES]
        yield summarize_lines(new[start + CONTEXT_LINES : end - CONTEXT_LINES])
        yield from lines[-CONTEXT_LINES:]


def summarize_lines(lines: Sequence[str]) -> str:
    """Return a summary of lines by the names they define."""
    names = ", ".join(found[1] for line in lines if (found := DEFINES.match(line)))
    kept_text = (
        names
        if len(names) <= MAX_NAME_LIST_CHARACTERS
        else names[:MAX_NAME_LIST_CHARACTERS].rpartition(",")[0] + ", ..."
    )
    return AS_BEFORE.format(count=len(lines), names=f": {kept_text}" if kept_text else "")
