"""A list below the input: commands after ``/``, files after ``@``, earlier messages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_terminal import Style

from .layout import Rows
from .select_list import Item, draw_items, shorten_label

SHOWN = 8


@dataclass(slots=True)
class Menu:
    """The open list; empty if none is open. ``start`` is where the text begins that a choice replaces."""

    rows: Rows
    style: Style
    items: Sequence[Item] = ()
    selected: int = 0
    start: int = 0
    on_choice: Callable[[Item], None] | None = None
    title: str = ""

    @property
    def is_open(self) -> bool:
        return bool(self.items)

    @property
    def current(self) -> Item:
        """The selected item."""
        return self.items[self.selected]

    def show(
        self, items: Sequence[Item], start: int, *, title: str = "", on_choice: Callable[[Item], None] | None = None
    ) -> None:
        """Open the list, or close it if there is nothing in it."""
        keeps = [item.label for item in items] == [item.label for item in self.items]
        self.items, self.start, self.title, self.on_choice = items, start, title, on_choice
        self.selected = self.selected if keeps else 0
        self.draw()

    def close(self) -> None:
        """Close the list."""
        self.show((), 0)

    def move(self, by: int) -> None:
        """Select another item."""
        self.selected = (self.selected + by) % len(self.items)
        self.draw()

    def draw(self) -> None:
        title = [self.style.mark(self.title, "dim")] if self.title and self.items else []
        items = [replace(item, label=shorten_label(item.label)) for item in self.items]
        rows = draw_items(items, self.selected, columns=self.rows.columns - 1, most=SHOWN, style=self.style)
        self.rows.menu = [*title, *rows]


def match_fuzzy(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that contain the letters of a pattern in order, best first."""
    wanted = pattern.lower()
    found = ((rank(wanted, name.lower()), len(name), name) for name in names)
    return [name for score, _, name in sorted(one for one in found if one[0] is not None)]


def rank(pattern: str, name: str) -> int | None:
    """Return how far apart the letters of a pattern are in a name; None if it does not contain all of them."""
    place = name.rfind(pattern)
    if place >= 0:
        return -1 if place == name.rfind("/") + 1 else 0
    spread, at = 0, -1
    for letter in pattern:
        found = name.find(letter, at + 1)
        if found < 0:
            return None
        spread, at = spread + (found - at - 1 if at >= 0 else 0), found
    return spread + 1
