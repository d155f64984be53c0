"""Lines on a terminal, with one that moves while we wait; plain lines where there is no terminal."""

from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.status import Status

READ_OR_NOT = suppress(OSError)


class Live:
    """Writes finished lines, and keeps a moving one below them on a terminal. A run goes on when nobody reads them."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.status: Status | None = None
        self.moving = stream.isatty()
        self.questions: set[str] = set()

    def line(self, text: str) -> None:
        """A finished line."""
        with READ_OR_NOT:
            if self.moving and not self.questions:
                self.start().console.print(text, markup=False, highlight=False)
            else:
                print(f"\n{text}" if self.moving else text, file=self.stream, flush=True)

    def now(self, text: str) -> None:
        """What goes on while the line below moves."""
        if self.moving and not self.questions:
            with READ_OR_NOT:
                self.start().update(f"{text}…")

    def start(self) -> "Status":
        if self.status is None:
            from rich.console import Console

            self.status = Console(file=self.stream, soft_wrap=True).status("")
            self.status.start()
        return self.status

    def asks(self, id: str) -> None:
        """A person is asked: nothing moves where the question stands, until all that is asked is answered."""
        self.questions.add(id)
        self.rest()

    def heard(self, id: str) -> None:
        """A question is answered."""
        self.questions.discard(id)

    def rest(self) -> None:
        """Let the moving line go for a while."""
        if self.status is not None:
            with READ_OR_NOT:
                self.status.stop()
            self.status = None

    def stop(self) -> None:
        """Let the moving line go."""
        if self.status is not None:
            self.rest()
            self.moving = False
