"""What is left of a text without the parts that change by themselves. Pure.

Clocks, counters, process ids, random numbers and names of temporary files are new each time, and mean no progress.
"""

import re
from itertools import groupby

TEMPORARY = r"\btmp[.\w-]*"
UNIQUE = r"\b(?=[\w-]*\d)(?=[\w-]*[a-f])[0-9a-f][0-9a-f-]{7,}\b"
VOLATILE = re.compile(rf"{TEMPORARY}|[\w+=-]*\d[\w.,:+=-]*", re.ASCII)
UNIQUE_NAME = re.compile(rf"{TEMPORARY}|{UNIQUE}", re.ASCII | re.IGNORECASE)


def form(text: str) -> str:
    """A text whose volatile parts all look alike; lines that are the same and follow each other are one."""
    return VOLATILE.sub("#", "\n".join(line for line, _ in groupby(text.splitlines())))


def form_of_growing(text: str) -> str:
    """The same for a file that is appended to: lines at its end that differ in volatile parts only are one."""
    *lines, last = form(text).splitlines() or [""]
    while lines and lines[-1] == last:
        lines.pop()
    return "\n".join((*lines, last))


def form_of_name(path: str) -> str:
    """A path in which names that were made up to be unique look alike; numbers in names are told apart."""
    return UNIQUE_NAME.sub("#", path)
