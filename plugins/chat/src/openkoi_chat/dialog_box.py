"""A question on the screen: numbered choices, answered by one key, never by what was typed before it was there."""

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic

from prompt_toolkit.buffer import Buffer

from .layout import PROMPT, Rows
from .view import Choice, Dialog

QUIET = 0.3  # seconds without a key before a question takes one: what was typed for the input must not answer it


class DialogBox:
    """The question that is open, if any. Its text answers are typed in the input, whose draft comes back afterwards."""

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

    async def ask(self, dialog: Dialog) -> str | None:
        """Show a question and wait for its answer; a later one waits for its turn."""
        while self.result:
            await asyncio.wait([self.result])
        self.open, self.result = dialog, asyncio.get_running_loop().create_future()
        self.quiet_since = monotonic()
        self.note("\n".join(("", *dialog.lines)))
        self.draw()
        if not dialog.choices:
            self.begin_text(Choice("", "", "", wants_text=dialog.text_prompt or "Your answer"))
        try:
            return await self.result
        finally:
            self.close()

    @property
    def takes_keys(self) -> bool:
        """Whether a key answers: nothing was typed for a moment."""
        return self.open is not None and not self.writing and monotonic() - self.quiet_since >= QUIET

    @property
    def takes_text(self) -> bool:
        """Whether the input is an answer."""
        return self.writing is not None

    def note_key(self) -> None:
        """Wait again, because the user is still typing for the input."""
        self.quiet_since = monotonic()

    def press(self, key: str) -> bool:
        """Answer with a key; return whether it is one of a choice."""
        choices = self.open.choices if self.open else ()
        for number, choice in enumerate(choices, 1):
            if key in (str(number), choice.key):
                self.choose(choice)
                return True
        return False

    def reject(self) -> None:
        """Answer with the last choice, which refuses; a text that is being written is given up."""
        if self.writing or not (self.open and self.open.choices):
            self.settle(self.writing.value if self.writing and self.writing.value else None)
        else:
            self.note(f"  → {self.open.choices[-1].label}", "dim")
            self.settle(self.open.choices[-1].value)

    def choose(self, choice: Choice) -> None:
        """Take a choice, or let its text be written first."""
        if choice.wants_text:
            self.begin_text(choice)
        else:
            self.note(f"  → {choice.label}", "dim")
            self.settle(choice.value)

    def begin_text(self, choice: Choice) -> None:
        """Let the user write the answer in the input."""
        self.writing, self.draft = choice, self.buffer.text
        self.buffer.reset()
        self.rows.prompt = f"{choice.wants_text} {PROMPT}"
        self.draw()

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
        """Remove the question, and bring back the draft."""
        if self.writing:
            self.buffer.text = self.draft
            self.buffer.cursor_position = len(self.draft)
        self.open = self.result = self.writing = None
        self.rows.dialog, self.rows.prompt = (), PROMPT
        self.refresh()

    def draw(self) -> None:
        """Show the choices."""
        dialog = self.open or Dialog(())
        labels = [f"{number}. {one.label} ({one.key})" for number, one in enumerate(dialog.choices, 1)]
        if labels:
            labels[-1] = f"{labels[-1][:-1]} or esc)"
        self.rows.dialog = labels
        self.refresh()


def format_choices(choices: Sequence[Choice]) -> Sequence[str]:
    """Return the choices as lines, for a view that is read line by line."""
    return [f"{number}. {one.label}" for number, one in enumerate(choices, 1)]
