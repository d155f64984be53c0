"""Draw a list from which one item is chosen: the selected item is marked, and always visible."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_terminal import Style, clip_row, strip_controls, text_width, wrap_words

MARK, NO_MARK = "▸ ", "  "
NUMBER_INDENT = "     "
MAX_LABEL = 60


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the list: its name, its description, and the text that replaces the typed word."""

    label: str
    detail: str = ""
    text: str = ""


def draw_items(items: Sequence[Item], selected: int, *, columns: int, most: int, style: Style) -> Sequence[str]:
    """Return the rows of a list; if they do not all fit, those around the selected item."""
    first, count = max(0, min(selected - most // 2, len(items) - most)), max(most, 1)
    shown, selected = items[first : first + count], selected - first
    width = max((text_width(item.label) for item in shown if item.detail), default=0)
    found = [
        draw_item(item, MARK if place == selected else NO_MARK, columns, width, style)
        for place, item in enumerate(shown)
    ]
    return fit_rows(found, selected, columns, most)


def draw_item(item: Item, mark: str, columns: int, width: int, style: Style) -> list[str]:
    """Return the rows of an item; an item with a description has only one."""
    names = ("bold",) if mark == MARK else ()
    if not item.detail:
        rows = wrap_words(f"{mark}{item.label}", columns, indent=NUMBER_INDENT)
        return [style.mark(clip_row(row, columns), *names) for row in rows]
    gap = " " * (width - text_width(item.label) + 2)
    detail = style.mark(strip_controls(item.detail), "dim")
    return [clip_row(f"{mark}{style.mark(item.label, *names)}{gap}{detail}", columns)]


def fit_rows(found: Sequence[Sequence[str]], selected: int, columns: int, most: int) -> Sequence[str]:
    """Return the rows of all items if there is room, else one row of each, and all rows of the selected one."""
    if sum(map(len, found)) <= most:
        return [row for rows in found for row in rows]
    left = max(most - len(found) + 1, 1)
    firsts = [rows[:1] if len(rows) == 1 else [clip_row(f"{rows[0]}…", columns)] for rows in found]
    return [row for place, rows in enumerate(firsts) for row in (found[selected][:left] if place == selected else rows)]


def shorten_label(label: str) -> str:
    """Return a label in one line."""
    return clip_row(" ".join(strip_controls(label).split()), MAX_LABEL)
