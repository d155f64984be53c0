"""What of a long new file has to be read again, when all of it was read before. Knows diffs; knows no judgement.

What stands as it stood when it was judged in full is told by the names that it defines; all that is different since,
with the lines around it, is shown as it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from .since import SECTION

AROUND = 8
LEAST = 40
NAMES = 1_200
NEW = "\n@@ -0,0 +1"
DEFINES = re.compile(
    r"\s*(?:export |public |pub |async |static )*(?:def|class|fn|func|function|interface|struct)\s+(\w+)"
)
AS_BEFORE = "[... {count} lines are unchanged since all of this was judged{names}]"


def abridged(diff: str, before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """The diff with what was read before left out of the files that it adds."""
    return "".join(section(part, before, now) for part in SECTION.split(diff))


def section(part: str, before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """One file's part of it."""
    name = part.partition("\n")[0].rpartition(" b/")[2]
    if NEW not in part or not before.get(name) or name not in now:
        return part
    head = part[: part.index("\n", part.index("\n+++ ") + 1) + 1]
    return head + "\n".join(body(before[name].splitlines(), now[name].splitlines())) + "\n"


def body(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of a file, those that are as they were in few words."""
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lines = [f"+{line}" for line in new[start:end]]
        if tag != "equal" or len(lines) < LEAST:
            yield from lines
            continue
        yield from lines[:AROUND]
        yield told(new[start + AROUND : end - AROUND])
        yield from lines[-AROUND:]


def told(lines: Sequence[str]) -> str:
    """What stands there, by the names that it defines."""
    names = ", ".join(found[1] for line in lines if (found := DEFINES.match(line)))
    shown = names if len(names) <= NAMES else names[:NAMES].rpartition(",")[0] + ", ..."
    return AS_BEFORE.format(count=len(lines), names=f": {shown}" if shown else "")
