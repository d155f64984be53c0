"""The rows below the finished text: the end of the answer, a dialog, messages that wait, the input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)

ROWS_OF_TAIL = 10
ROWS_OF_INPUT = 10
PROMPT, INDENT = "> ", "  "


@dataclass(slots=True)
class Rows:
    """What is drawn around the input. All text in it is harmless already."""

    tail: Sequence[str] = ()
    dialog: Sequence[str] = ()
    notes: Sequence[str] = ()
    working: str = ""
    menu: Sequence[str] = ()
    hint: str = ""
    prompt: str = PROMPT
    cached: dict[str, tuple[object, StyleAndTextTuples]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return (
            len(self.tail) + len(self.dialog) + len(self.notes) + len(self.menu) + bool(self.working) + bool(self.hint)
        )

    def fragments(self, name: str) -> StyleAndTextTuples:
        """Return the styled text of some rows, parsed once for each change."""
        value = getattr(self, name)
        known, parsed = self.cached.get(name, (None, []))
        if known != value:
            text = value if isinstance(value, str) else "\n".join(value)
            parsed = to_formatted_text(ANSI(text))
            self.cached[name] = value, parsed
        return parsed


def make_layout(input_buffer: Buffer, rows: Rows) -> Layout:
    """Return the layout; rows without text take no space."""
    control = BufferControl(input_buffer)
    entry = Window(
        control,
        wrap_lines=True,
        height=lambda: Dimension(min=1, max=ROWS_OF_INPUT),
        dont_extend_height=True,
        get_line_prefix=lambda line, wrapped: INDENT if line or wrapped else rows.prompt,
    )
    above = [make_rows(rows, name) for name in ("tail", "dialog", "notes", "working")]
    below = [make_rows(rows, name) for name in ("menu", "hint")]
    return Layout(HSplit([*above, entry, *below]), focused_element=control)


def make_rows(rows: Rows, name: str) -> ConditionalContainer:
    """Return a window for rows, which is there while they have text."""

    def has_text() -> bool:
        return bool(getattr(rows, name))

    text: Callable[[], StyleAndTextTuples] = lambda: rows.fragments(name)  # noqa: E731
    window = Window(FormattedTextControl(text), dont_extend_height=True, wrap_lines=False)
    return ConditionalContainer(window, filter=Condition(has_text))
