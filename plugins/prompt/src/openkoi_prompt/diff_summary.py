"""Summarize finished work for a conversation that is restarted.

For code, the changed lines with three lines of context, as in a diff; for prose, the first paragraph and the headings.
The files themselves can be read again.
"""

import re

from openkoi_base.files.diffs import changed_files
from openkoi_hookspecs.lazy_pattern import lazy_pattern

FILE_HEADER = lazy_pattern(r"^(?=diff --git )", re.MULTILINE)
HEADING = lazy_pattern(r"(#{1,6} .*|\S.*\n(=|-){3,})$", re.MULTILINE)
MAX_CHARACTERS = 40_000
OMITTED_NOTE = "[also changed, not shown here: {}]"


def summarize_diff(diff: str, most: int = MAX_CHARACTERS) -> str:
    """Return the changes file by file, as many as fit; list the other files by name."""
    summary, names = "", list[str]()
    for part in FILE_HEADER.split(diff):
        if len(summary) + len(part) <= most:
            summary += part
        else:
            names += changed_files(part)
    return "\n".join(filter(None, [summary.rstrip("\n"), OMITTED_NOTE.format(", ".join(names)) if names else ""]))


def summarize_text(text: str, most: int = MAX_CHARACTERS) -> str:
    """Return the first paragraph and the headings after it."""
    first, _, rest = text.strip().partition("\n\n")
    headings = [found[0].splitlines()[0] for found in HEADING.finditer(rest)]
    return "\n".join([first, *headings])[:most]
