"""Format a page for the model: a line of facts, a part of the text between marks, and how to continue."""

import re

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .page_text import FetchedPage

MAX_PART_BYTES = 24 * 1024
RESERVED_BYTES = 256
MARKS = lazy_pattern(r"</?data(?:-([0-9]{1,9}))?", re.IGNORECASE)


def format_page(page: FetchedPage, start: int) -> str:
    """Return a part of a page from a character on, as long as one result may be."""
    if not page.text:
        return page.facts
    if start >= len(page.text):
        raise ToolError(
            f"The page has {len(page.text):,} characters, so there is nothing at start={start}. Pass a smaller start."
        )
    piece = cut_to_fit(
        page.text[start : start + MAX_PART_BYTES], MAX_PART_BYTES - RESERVED_BYTES - len(page.facts.encode())
    )
    end = start + len(piece)
    last = f"[characters {start:,} to {end:,} of {len(page.text):,}; continue with start={end}]"
    return "\n".join([page.facts, fence_data("page", piece), *([last] if end < len(page.text) else [])])


def cut_to_fit(text: str, room: int) -> str:
    """Return the start of a text that fits, up to the end of a line if one is near."""
    kept = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    if len(kept) == len(text):
        return text
    line = kept.rfind("\n") + 1
    return kept[:line] if line > len(kept) * 3 // 4 else kept


def fence_data(name: str, text: str) -> str:
    """Return data between markers that do not occur in it."""
    taken = {int(number or 0) for number in MARKS.findall(text)}
    number = next(n for n in range(len(taken) + 1) if n not in taken)
    mark = f"data-{number}" if number else "data"
    return f'<{mark} name="{name}">\n{text}\n</{mark}>'
