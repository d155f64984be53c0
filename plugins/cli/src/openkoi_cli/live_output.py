"""Print finished lines, with a spinner below them on a terminal."""

from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.status import Status

IGNORE_CLOSED = suppress(OSError)


class Live:
    """Prints finished lines, and keeps a spinner below them on a terminal; a closed stream is ignored."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.status: Status | None = None
        self.is_terminal = stream.isatty()
        self.questions: set[str] = set()

    def print_line(self, text: str) -> None:
        """Print a finished line."""
        with IGNORE_CLOSED:
            if self.is_terminal and not self.questions:
                self.start().console.print(text, markup=False, highlight=False)
            else:
                print(f"\n{text}" if self.is_terminal else text, file=self.stream, flush=True)

    def show_activity(self, text: str) -> None:
        """Show an activity next to the spinner."""
        if self.is_terminal and not self.questions:
            with IGNORE_CLOSED:
                self.start().update(f"{text}…")

    def start(self) -> "Status":
        if self.status is None:
            from rich.console import Console

            self.status = Console(file=self.stream, soft_wrap=True).status("")
            self.status.start()
        return self.status

    def pause(self, question_id: str) -> None:
        """Stop the spinner until all open questions are answered."""
        self.questions.add(question_id)
        self.stop_spinner()

    def unpause(self, question_id: str) -> None:
        """Note that a question was answered."""
        self.questions.discard(question_id)

    def stop_spinner(self) -> None:
        """Stop the spinner until the next output."""
        if self.status is not None:
            with IGNORE_CLOSED:
                self.status.stop()
            self.status = None

    def stop(self) -> None:
        """Stop the spinner for good."""
        if self.status is not None:
            self.stop_spinner()
            self.is_terminal = False
