"""Lines on a terminal, with one that moves while we wait; plain lines where there is no terminal."""

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.status import Status

WAITING = "thinking"


class Live:
    """Writes finished lines, and keeps a moving one below them on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.status: Status | None = None
        self.moving = stream.isatty()

    def line(self, text: str) -> None:
        """A finished line; what is done and not over yet moves on below it."""
        if not self.moving:
            print(text, file=self.stream, flush=True)
            return
        self.start().console.print(text, markup=False, highlight=False)
        self.start().update(
            text.strip("[].").partition("] ")[2] or WAITING if text.startswith("[execute]") else WAITING
        )

    def start(self) -> "Status":
        if self.status is None:
            from rich.console import Console

            self.status = Console(file=self.stream, soft_wrap=True).status(WAITING)
            self.status.start()
        return self.status

    def stop(self) -> None:
        """Let the moving line go."""
        if self.status is not None:
            self.status.stop()
            self.status = None
            self.moving = False
