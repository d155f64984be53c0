"""A question on the screen: a digit or letter selects a choice, and only Enter confirms it; type-ahead never does."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from prompt_toolkit.buffer import Buffer

from openkoi_terminal import QUIET_SECONDS, find_choice

from .layout import PROMPT, Rows
from .select_list import Item, shorten_label
from .view import Choice, Dialog

HOW_TO_PICK = "(Enter: choose, Esc: cancel)"


class DialogBox:
    """The open question, if any. Text answers are typed in the input, whose draft is restored afterwards."""

    def __init__(self, rows: Rows, buffer: Buffer, note: Callable[..., None], refresh: Callable[[], None]) -> None:
        self.rows = rows
        self.buffer = buffer
        self.note = note
        self.refresh = refresh
        self.open: Dialog | None = None
        self.result: asyncio.Future[str | None] | None = None
        self.writing: Choice | None = None
        self.draft = ""
        self.quiet_since = 0.0
        self.has_moved = self.has_marked = False
        self.typed = ""

    async def ask(self, dialog: Dialog) -> str | None:
        """Show a question and wait for its answer; later questions wait their turn."""
        while self.result:
            await asyncio.wait([self.result])
        self.open, self.result = dialog, asyncio.get_running_loop().create_future()
        self.quiet_since, self.typed, self.has_moved, self.has_marked = monotonic(), "", False, False
        if not dialog.is_list:
            self.note("\n".join(("", *dialog.lines)))
        self.draw(dialog)
        if not dialog.choices:
            self.begin_text(Choice("", "", "", wants_text=dialog.text_prompt or "Your answer"))
        try:
            return await self.result
        finally:
            self.close()

    @property
    def waits(self) -> bool:
        """Whether the question has no answer yet."""
        return self.result is not None and not self.result.done()

    @property
    def takes_choice(self) -> bool:
        """Whether the question takes a choice instead of a text."""
        return self.waits and not self.writing

    @property
    def takes_keys(self) -> bool:
        """Whether a key answers: nothing was typed for a moment, or the user requested this list."""
        return self.takes_choice and (self.is_list or monotonic() - self.quiet_since >= QUIET_SECONDS)

    @property
    def is_list(self) -> bool:
        """Whether the user requested it."""
        return self.open is not None and self.open.is_list

    @property
    def takes_text(self) -> bool:
        """Whether the input is an answer."""
        return self.writing is not None

    def note_key(self) -> None:
        """Restart the wait, because the user is still typing."""
        self.quiet_since = monotonic()

    def move(self, by: int) -> None:
        """Mark another choice."""
        self.has_moved = True
        self.forget_keys()
        self.mark((self.rows.selected + by) % len(self.rows.choices))

    def take_key(self, key: str) -> str | None:
        """Mark the choice of a key; return any text that belongs to the input instead, or None if it came too early.

        Keys that follow a choice's key make it a message; a key that came too early begins one only without a pause.
        """
        choices = self.open.choices if self.open else ()
        place = find_choice(key, [one.key for one in choices])
        is_early, has_marked, before = not self.takes_keys, self.has_marked, self.typed
        self.forget_keys()
        if place is None or has_marked:
            self.mark(self.open.selected if self.open else 0)
            self.note_key()
            return (before if has_marked or is_early else "") + key
        self.typed = before + key if is_early else key
        if is_early:
            self.note_key()
            return None
        self.has_marked = True
        self.mark(place)
        if self.is_list:
            self.choose_marked()
        return ""

    def mark(self, place: int) -> None:
        """Mark a choice."""
        self.rows.selected = place
        self.refresh()

    def forget_keys(self) -> None:
        """Treat what was typed as neither a choice nor the beginning of a message."""
        self.typed, self.has_marked = "", False

    def end_text(self) -> None:
        """Treat Enter as the end of a message whose keys came too early to answer; the next Enter answers."""
        if self.typed and not self.has_marked:
            self.note_key()
        self.forget_keys()

    def choose_marked(self) -> None:
        """Answer with the choice that is marked."""
        if self.open:
            self.choose(self.open.choices[self.rows.selected])

    def reject(self) -> None:
        """Answer with the last choice, which refuses; cancel a list, or a text that is being written."""
        if self.writing or not (self.open and self.open.choices):
            self.settle(self.writing.value if self.writing and self.writing.value else None)
        elif self.open.is_list:
            self.settle(None)
        else:
            self.note(f"  → {self.open.choices[-1].label}", "dim")
            self.settle(self.open.choices[-1].value)

    def choose(self, choice: Choice) -> None:
        """Answer with a choice, or let the user write its text first."""
        if choice.wants_text:
            self.begin_text(choice)
            return
        if self.open and not self.open.is_list:
            self.note(f"  → {choice.label}", "dim")
        self.settle(choice.value)

    def begin_text(self, choice: Choice) -> None:
        """Let the user write the answer in the input."""
        self.forget_keys()
        self.writing, self.draft = choice, self.buffer.text
        self.buffer.reset()
        self.rows.prompt = f"{choice.wants_text} {PROMPT}"
        self.refresh()

    def submit_text(self, text: str) -> None:
        """Answer with what was written."""
        value = self.writing.value if self.writing else ""
        text = text.strip()
        self.note(f"  → {': '.join(filter(None, (self.writing.label if self.writing else '', text)))}", "dim")
        self.settle((f"{value}: {text}" if text else value) if value else (text or None))

    def settle(self, answer: str | None) -> None:
        if self.result and not self.result.done():
            self.result.set_result(answer)

    def close(self) -> None:
        """Remove the question, and restore the draft."""
        if self.writing:
            self.buffer.text = self.draft
            self.buffer.cursor_position = len(self.draft)
        self.forget_keys()
        self.open = self.result = self.writing = None
        self.rows.title, self.rows.choices, self.rows.prompt = "", (), PROMPT
        self.refresh()

    def draw(self, dialog: Dialog) -> None:
        """Show the choices, one of them marked."""
        self.rows.title = f"{dialog.lines[0]} {HOW_TO_PICK}" if dialog.is_list else ""
        self.rows.choices = [*number_choices(dialog)]
        self.rows.selected = dialog.selected
        self.refresh()


def number_choices(dialog: Dialog) -> Iterator[Item]:
    """Yield the choices as they are shown: with a number, and the keys that select them."""
    for number, one in enumerate(dialog.choices, 1):
        is_last = number == len(dialog.choices) and not dialog.is_list
        keys = " or ".join(filter(None, (one.key, "esc" if is_last else "")))
        label = shorten_label(one.label) if dialog.is_list else one.label
        yield Item(f"{number}. {label}{f' ({keys})' if keys else ''}", one.detail)


def format_choices(choices: Sequence[Choice]) -> Sequence[str]:
    """Return the choices as lines, for a view that is read line by line."""
    return [f"{number}. {one.label}  {one.detail}".rstrip() for number, one in enumerate(choices, 1)]
