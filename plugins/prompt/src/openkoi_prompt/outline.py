"""What was done, made short for a conversation that begins anew. Pure; nothing that is to be edited is cut here.

Of code the changed lines stand with three lines around them, as a diff has them; of prose the first paragraph and the
headings. The files themselves are there to be read again.
"""

import re

from openkoi_files.diffs import changed_files

FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
HEADING = re.compile(r"(#{1,6} .*|\S.*\n(=|-){3,})$", re.MULTILINE)
MOST = 40_000
LEFT_OUT = "[also changed, and not shown here: {}]"


def outline_of_diff(diff: str, most: int = MOST) -> str:
    """The changes file by file, as many as there is room for; the others by their names."""
    shown, names = "", list[str]()
    for part in FILE.split(diff):
        if len(shown) + len(part) <= most:
            shown += part
        else:
            names += changed_files(part)
    return "\n".join(filter(None, [shown.rstrip("\n"), LEFT_OUT.format(", ".join(names)) if names else ""]))


def outline_of_text(text: str, most: int = MOST) -> str:
    """The first paragraph and the headings after it."""
    first, _, rest = text.strip().partition("\n\n")
    headings = [found[0].splitlines()[0] for found in HEADING.finditer(rest)]
    return "\n".join([first, *headings])[:most]
