"""The rows below the finished text: the end of the answer, messages that wait, a dialog, the input, a list, a hint."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window

from openkoi_terminal import clip_row, wrap_words

from .graphemes import GraphemeProcessor

ROWS_OF_TAIL = 10
ROWS_OF_INPUT = 10
PROMPT, INDENT = "> ", "  "
MAX_CACHED = 200


@dataclass(slots=True)
class Rows:
    """What is drawn around the input. All text in it is harmless already.

    It is drawn in two windows: a window for each part costs four times the CPU.
    """

    columns: int = 80
    gap: Sequence[str] = ()
    tail: Sequence[str] = ()
    notes: Sequence[str] = ()
    dialog: Sequence[str] = ()
    working: str = ""
    menu: Sequence[str] = ()
    hint: str = ""
    prompt: str = PROMPT
    cached: dict[str, StyleAndTextTuples] = field(default_factory=dict)

    @property
    def above(self) -> Sequence[str]:
        """The rows above the input."""
        notes = (clip_row(note, self.columns - 1) for note in self.notes)
        choices = (row for line in self.dialog for row in wrap_words(line, self.columns - 1, indent="   "))
        return [*self.gap, *self.tail, *notes, *choices, *filter(None, (self.working,))]

    @property
    def below(self) -> Sequence[str]:
        """The rows below the input."""
        return [*(clip_row(row, self.columns - 1) for row in self.menu), *filter(None, (self.hint,))]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.above) + len(self.below)

    def fragments(self, rows: Sequence[str]) -> StyleAndTextTuples:
        """Return rows as styled text; those with marks are parsed once."""
        found: StyleAndTextTuples = []
        for row in rows:
            found += [*(self.parse(row) if "\x1b" in row else [("", row)]), ("", "\n")]
        return found[:-1]

    def parse(self, row: str) -> StyleAndTextTuples:
        """Return a row with marks as styled text."""
        if row not in self.cached:
            if len(self.cached) > MAX_CACHED:
                self.cached.clear()
            self.cached[row] = to_formatted_text(ANSI(row))
        return self.cached[row]


def make_layout(input_buffer: Buffer, rows: Rows) -> Layout:
    """Return the layout; rows without text take no space."""
    control = BufferControl(input_buffer, input_processors=[GraphemeProcessor()])
    entry = Window(
        control,
        wrap_lines=True,
        height=lambda: Dimension(min=1, max=ROWS_OF_INPUT),
        dont_extend_height=True,
        get_line_prefix=lambda line, wrapped: INDENT if line or wrapped else rows.prompt,
    )
    return Layout(HSplit([make_rows(rows, "above"), entry, make_rows(rows, "below")]), focused_element=control)


def make_rows(rows: Rows, part: str) -> Window:
    """Return the window of one part."""

    def text() -> StyleAndTextTuples:
        return rows.fragments(getattr(rows, part))

    def height() -> Dimension:
        count = len(getattr(rows, part))
        return Dimension(min=0, preferred=count, max=count)

    return Window(FormattedTextControl(text), height=height, wrap_lines=False)
