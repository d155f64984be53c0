"""Remove the volatile parts of a text, such as times and addresses. Pure.

Clocks, counters, process ids, random numbers and names of temporary files are new each time, and are not progress.
"""

import re
from itertools import groupby

from openkoi_hookspecs.lazy_pattern import lazy_pattern

TEMPORARY = r"\btmp[.\w-]*"
UNIQUE = r"\b(?=[\w-]*\d)(?=[\w-]*[a-f])[0-9a-f][0-9a-f-]{7,}\b"
VOLATILE = lazy_pattern(rf"{TEMPORARY}(?:[+=-]+\w*\d[\w.,:+=-]*)?|(?<![\w+=-])[\w+=-]*\d[\w.,:+=-]*", re.ASCII)
UNIQUE_NAME = lazy_pattern(rf"{TEMPORARY}|{UNIQUE}", re.ASCII | re.IGNORECASE)


def mask_volatile(text: str) -> str:
    """Replace the volatile parts of a text with one character, and join equal consecutive lines."""
    return VOLATILE.sub("#", "\n".join(line for line, _ in groupby(text.splitlines())))


def mask_volatile_growing(text: str) -> str:
    """Do the same for a file that grows: lines at its end that differ in volatile parts only are joined."""
    *lines, last = mask_volatile(text).splitlines() or [""]
    while lines and lines[-1] == last:
        lines.pop()
    return "\n".join((*lines, last))


def form_of_name(path: str) -> str:
    """Replace generated unique names in a path with one character; keep numbers in names."""
    return UNIQUE_NAME.sub("#", path)
