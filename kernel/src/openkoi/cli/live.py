"""Lines on a terminal, with one that moves while we wait; plain lines where there is no terminal."""

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.status import Status


class Live:
    """Writes finished lines, and keeps a moving one below them on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.status: Status | None = None
        self.moving = stream.isatty()

    def line(self, text: str) -> None:
        """A finished line."""
        if self.moving:
            self.start().console.print(text, markup=False, highlight=False)
        else:
            print(text, file=self.stream, flush=True)

    def now(self, text: str) -> None:
        """What goes on while the line below moves."""
        if self.moving:
            self.start().update(f"{text}…")

    def start(self) -> "Status":
        if self.status is None:
            from rich.console import Console

            self.status = Console(file=self.stream, soft_wrap=True).status("")
            self.status.start()
        return self.status

    def stop(self) -> None:
        """Let the moving line go."""
        if self.status is not None:
            self.status.stop()
            self.status = None
            self.moving = False
