"""Print a run's progress: as lines, or on a terminal with the streamed answer and a working line below it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import current_thread, main_thread
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from openkoi_hookspecs import Record

from .streams import strip_escapes

if TYPE_CHECKING:
    from openkoi_terminal import LiveAnswer, Style

    from .keyboard import Keyboard

IGNORE_CLOSED = suppress(OSError)
TICK_SECONDS = 1.0
FRAME_SECONDS = 0.1
STEPS = ("[recall] ", "[execute] ", "[tools] ")
CTRL_C_HINT = "ctrl-c to interrupt"
HEARTBEAT_SECONDS = 30.0  # of a terminal on which nothing is drawn again: a screen reader says that it still works


class LineOutput:
    """Prints lines if there is no terminal; ignores a closed stream."""

    shows_text = has_begun_line = False

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def print_line(self, text: str) -> None:
        """Print a finished line."""
        with IGNORE_CLOSED:
            print(strip_escapes(text, self.stream), file=self.stream, flush=True)

    def print_styled(self, text: str) -> None:
        """Print a styled line, here without any style."""
        self.print_line(text)

    @property
    def style(self) -> "Style":
        """The style of text: plain."""
        from openkoi_terminal import PLAIN

        return PLAIN

    def show_text(self, text: str) -> None:
        """Do nothing: the answer is printed on stdout."""

    def add_record(self, record: Record) -> None:
        """Do nothing: there is no working line."""

    def add_text(self, text: str) -> None:
        """Do nothing: the answer is printed once it is known which one is returned."""

    def end_text(self) -> None:
        """Do nothing: no piece was printed."""

    def pause(self, question_id: str) -> None:
        """Do nothing: there is no working line to remove."""

    def unpause(self, question_id: str) -> None:
        """Do nothing: there is no working line to draw again."""

    @asynccontextmanager
    async def keep_time(self) -> AsyncIterator[None]:
        """Do nothing during the run."""
        yield

    def stop(self) -> None:
        """Do nothing: there is nothing to remove."""


class TerminalOutput:
    """Prints on a terminal; text from the model and its tools cannot control it.

    ``shows_text``: the answer appears here as it comes. It does not if stdout, which gets it at the end, is a file.
    """

    def __init__(self, screen: "LiveAnswer", style: "Style", *, shows_text: bool, lines: TextIO | None = None) -> None:
        from openkoi_terminal import WorkingLine

        self.screen = screen
        self.style = style
        self.shows_text = shows_text
        self.lines = lines
        self.working = WorkingLine()
        self.started = self.spoke = monotonic()
        self.questions: set[str] = set()
        self.held: list[str] = []
        self.stopped = False
        self.keys: Keyboard | None = None

    @property
    def has_begun_line(self) -> bool:
        """Whether the user has just typed something that nothing reads."""
        return self.keys is not None and self.keys.has_begun_line

    def add_record(self, record: Record) -> None:
        """Add a record to the working line; if many come at once, only a few are drawn."""
        self.working.add_record(record)
        if monotonic() - self.screen.drawn_at >= FRAME_SECONDS:
            self.draw()
        else:
            self.update_working_line()

    def print_line(self, text: str) -> None:
        """Print a finished line above the working line, or on the stream of lines if that is not the terminal.

        While a question is open, lines wait, so that none comes between it and its answer. Those of other threads, such
        as warnings of a memory, wait for the thread that draws.
        """
        from openkoi_terminal import strip_controls

        self.spoke = monotonic()
        with IGNORE_CLOSED:
            if self.lines:
                print(strip_controls(text), file=self.lines, flush=True)
            else:
                marks = ("dim",) if text.startswith(STEPS) else ("yellow",) if text.startswith("  ! ") else ()
                self.held.append(self.style.mark(strip_controls(text), *marks))
                if self.stopped or current_thread() is main_thread():
                    self.print_held()

    def print_held(self) -> None:
        """Print the lines that have waited, unless a question is open."""
        while self.held and not self.questions:
            self.screen.print_line(self.held.pop(0))

    def print_styled(self, text: str) -> None:
        """Print text with OpenKoi's own colours; untrusted text in it must already be escaped."""
        with IGNORE_CLOSED:
            self.screen.print_line(text)

    def add_text(self, text: str) -> None:
        """Print a piece of the streamed answer."""
        if self.shows_text:
            self.spoke = monotonic()
            self.update_working_line()
            with IGNORE_CLOSED:
                self.screen.add(text)

    def end_text(self) -> None:
        """End the answer that is being printed."""
        if self.shows_text:
            with IGNORE_CLOSED:
                self.screen.end_text()
                self.draw()

    def show_text(self, text: str) -> None:
        """Print the returned answer, if it is not the last one that was streamed."""
        self.add_text(text)
        self.end_text()

    def pause(self, question_id: str) -> None:
        """Remove the working line until all open questions are answered."""
        self.questions.add(question_id)
        self.watch_keys()
        self.draw()

    def unpause(self, question_id: str) -> None:
        """Draw again when no question is open."""
        self.questions.discard(question_id)
        with IGNORE_CLOSED:
            self.print_held()
        self.watch_keys()
        self.draw()

    def draw(self) -> None:
        """Draw the current working line."""
        self.update_working_line()
        with IGNORE_CLOSED:
            self.screen.draw()

    def update_working_line(self) -> None:
        """Update the working line; there is none while a question is open."""
        self.screen.working_line = "" if self.stopped or self.questions else self.working_text()

    def working_text(self) -> str:
        """Return the working line; its text about a tool call is untrusted."""
        from openkoi_terminal import INTERRUPT_HINT, format_working_line, strip_controls

        facts = self.working.facts(monotonic() - self.started)
        hint, width = INTERRUPT_HINT if self.keys else CTRL_C_HINT, self.screen.region.size.columns - 1
        line = format_working_line(facts, hint=hint, width=width)
        return self.style.mark(strip_controls(line).replace("\n", " "), "cyan")

    @asynccontextmanager
    async def keep_time(self) -> AsyncIterator[None]:
        """Draw the working line once a second, and let Esc interrupt, until it is stopped."""
        from .keyboard import open_keyboard

        ticking = asyncio.create_task(self.tick())
        self.keys = None if self.style.plain else open_keyboard()
        self.watch_keys()
        try:
            yield
        finally:
            ticking.cancel()
            self.stop()

    def watch_keys(self) -> None:
        """Let Esc interrupt while the working line offers it."""
        if self.keys and (self.stopped or self.questions):
            self.keys.release()
        elif self.keys:
            self.keys.watch()

    async def tick(self) -> None:
        """Draw every second; on a terminal that cannot redraw, print a line after half a minute of silence."""
        from openkoi_terminal.working_line import format_step

        while not self.stopped:
            await asyncio.sleep(TICK_SECONDS)
            with IGNORE_CLOSED:
                self.print_held()
            if not self.style.plain:
                self.draw()
            elif not self.questions and monotonic() - self.spoke >= HEARTBEAT_SECONDS:
                self.print_line(format_step(self.working.facts(monotonic() - self.started)))

    def stop(self) -> None:
        """Remove the working line for good."""
        if not self.stopped:
            self.stopped = True
            self.questions.clear()
            self.watch_keys()
            with IGNORE_CLOSED:
                self.print_held()
                self.screen.finish()


def open_output(out: TextIO, err: TextIO, *, shows_text: bool, draws: bool = True) -> "LineOutput | TerminalOutput":
    """Return where a run is printed; with ``shows_text``, a terminal at stdout shows the answer as it streams in."""
    shows_text = shows_text and out.isatty()
    if not (shows_text or err.isatty()) or not draws:
        return LineOutput(err)
    from openkoi_terminal import LiveAnswer, detect_style

    stream = out if shows_text else err
    style = detect_style(stream)
    return TerminalOutput(LiveAnswer(stream, style), style, shows_text=shows_text, lines=None if err.isatty() else err)
