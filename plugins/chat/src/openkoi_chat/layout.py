"""Lay out the rows below the finished text: the answer's end, queued messages, a dialog, the input, a list, a hint."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window

from openkoi_terminal import PLAIN, Style, clip_row, text_width

from .graphemes import GraphemeProcessor
from .select_list import Item, draw_items

ROWS_OF_TAIL = 10
ROWS_OF_INPUT = 10
SHOWN_CHOICES = 12  # rows of a question's choices, of which longer lists show those around the selected one
SEPARATOR = " · "
PROMPT, INDENT = "> ", "  "
MAX_CACHED = 200


@dataclass(slots=True)
class Rows:
    """The rows of text around the input. All text in them has already been escaped.

    It is drawn in two windows, because a window for each part costs four times the CPU.
    """

    style: Style = PLAIN
    columns: int = 80
    lines: int = 24
    gap: Sequence[str] = ()
    tail: Sequence[str] = ()
    notes: Sequence[str] = ()
    title: str = ""
    choices: Sequence[Item] = ()
    selected: int = 0
    working: str = ""
    menu: Sequence[str] = ()
    hint: str = ""
    spare: str = ""
    prompt: str = PROMPT
    cached: dict[str, StyleAndTextTuples] = field(default_factory=dict)

    @property
    def above(self) -> Sequence[str]:
        """The rows above the input."""
        notes = [clip_row(note, self.columns - 1) for note in self.notes]
        if not self.choices:
            return [*self.gap, *self.tail, *notes, *filter(None, (self.working,))]
        choices = self.dialog
        left = max(self.room - len(choices), 0)
        return [*[*self.tail, *notes][-left or len(notes) + len(self.tail) :], *choices]

    @property
    def room(self) -> int:
        """How many rows a question may take: all except those of the input and the hint."""
        return max(self.lines - 2, 1)

    @property
    def dialog(self) -> Sequence[str]:
        """The rows of the open question; the selected choice is always among them."""
        title = [clip_row(self.title, self.columns - 1)] if self.title else []
        most = max(min(self.room - len(title), SHOWN_CHOICES), 1)
        items = draw_items(self.choices, self.selected, columns=self.columns - 1, most=most, style=self.style)
        return [*title, *items]

    @property
    def below(self) -> Sequence[str]:
        """The rows below the input."""
        hint = self.style.mark(fit_parts(self.hint, self.columns - 1, spare=self.spare), "dim")
        return [*(clip_row(row, self.columns - 1) for row in self.menu), *filter(None, (hint,))]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.above) + len(self.below)

    def fragments(self, rows: Sequence[str]) -> StyleAndTextTuples:
        """Return rows as styled text; parse each row with markup only once."""
        found: StyleAndTextTuples = []
        for row in rows:
            found += [*(self.parse(row) if "\x1b" in row else [("", row)]), ("", "\n")]
        return found[:-1]

    def parse(self, row: str) -> StyleAndTextTuples:
        """Return a row with markup as styled text."""
        if row not in self.cached:
            if len(self.cached) > MAX_CACHED:
                self.cached.clear()
            self.cached[row] = to_formatted_text(ANSI(row))
        return self.cached[row]


def fit_parts(text: str, columns: int, *, spare: str = "") -> str:
    """Return as many parts of a line as fit; omit optional parts first, then the last ones."""
    parts = text.split(SEPARATOR)
    while text_width(SEPARATOR.join(parts)) > columns and len(parts) > 1:
        parts.remove(spare if spare in parts else parts[-1])
    return clip_row(SEPARATOR.join(parts), columns)


class PartWindow(Window):
    """A window without its own style: filling its columns with one takes a tenth of a frame's CPU."""

    def _apply_style(self, *_: Any) -> None:
        """Leave the cells as they are."""


def is_one_row(text: str, columns: int) -> bool:
    """Return whether a draft certainly fits in a row; letting prompt_toolkit draw it takes a fifth of a frame."""
    return text.isprintable() and text_width(text) < columns - 1


def make_layout(input_buffer: Buffer, rows: Rows) -> Layout:
    """Return the layout; rows without text take no space."""
    control = BufferControl(input_buffer, input_processors=[GraphemeProcessor()])

    def height() -> Dimension:
        if is_one_row(f"{rows.prompt}{input_buffer.text}", rows.columns):
            return Dimension.exact(1)
        return Dimension(min=1, max=ROWS_OF_INPUT)

    entry = PartWindow(
        control,
        wrap_lines=True,
        height=height,
        dont_extend_height=True,
        get_line_prefix=lambda line, wrapped: INDENT if line or wrapped else rows.prompt,
    )
    return Layout(HSplit([make_rows(rows, "above"), entry, make_rows(rows, "below")]), focused_element=control)


def make_rows(rows: Rows, part: str) -> PartWindow:
    """Return the window of one part."""

    def text() -> StyleAndTextTuples:
        return rows.fragments(getattr(rows, part))

    def height() -> Dimension:
        count = len(getattr(rows, part))
        needed = min(count, rows.lines - 2) if rows.choices and part == "above" else 0
        return Dimension(min=max(needed, 0), preferred=count, max=count)

    return PartWindow(FormattedTextControl(text), height=height, wrap_lines=False)
