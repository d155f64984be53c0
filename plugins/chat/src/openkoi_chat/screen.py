"""The screen of the chat: finished text above, and below it a few rows that are redrawn.

Finished text is printed once and stays in the terminal's own scrollback. Below it are the end of the answer that is
coming in, a question, queued messages, the working line and the input.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.key_binding import KeyBindingsBase

from openkoi_terminal import PLAIN, MarkdownStream, Style, render_block, tail_rows, wrap_words

from .chat_application import ChatApplication
from .frame_output import FrameOutput
from .layout import INDENT, ROWS_OF_TAIL, Rows, make_layout

INTERVAL, MAX_INTERVAL = 0.1, 0.5  # seconds between frames of an answer
PAUSE = 9.0  # times as long as a frame took: drawing may take a tenth of the time, also on a busy or slow machine
AFTER_KEY = 0.05  # seconds after a key in which no frame is drawn, so that typing is not delayed
CLOCK = 1.0
KEYS_OF_PASTE = 3
MIN_ROWS_OF_GAP = 10  # smaller terminals show no empty row above the input (estimate)
FLUSH = "?"  # what prompt_toolkit puts behind the last key, as a key of this name


class Screen:
    """Draws the chat with prompt_toolkit. While nothing happens, it draws nothing and runs no timer."""

    shows_input = False

    def __init__(self, input_buffer: Buffer, bindings: KeyBindingsBase, style: Style) -> None:
        self.output = FrameOutput()
        self.style = style
        size = self.output.get_size()
        self.rows = Rows(style, size.columns, size.rows)
        self.stream = MarkdownStream()
        self.finished: list[str] = []
        self.working: Callable[[int], str] | None = None
        self.drawn_at = self.key_at = 0.0
        self.interval = INTERVAL
        self.timer: asyncio.TimerHandle | None = None
        self.clock: asyncio.TimerHandle | None = None
        self.blocks = 0
        self.has_gap = True
        self.shows_source = False
        self.on_block: Callable[[int, str], None] = lambda number, source: None
        self.app = ChatApplication(
            layout=make_layout(input_buffer, self.rows), key_bindings=bindings, output=self.output
        )
        self.app.before_resize = self.update_rows
        self.keys_in_batch = 0
        self.app.key_processor.before_key_press += self.note_key
        self.app.key_processor.after_key_press += self.end_batch

    def note_key(self, _: object) -> None:
        self.key_at = monotonic()
        self.keys_in_batch += 1

    def end_batch(self, _: object) -> None:
        if not (self.app.key_processor.input_queue or self.app.has_more_input):
            self.keys_in_batch = 0

    @property
    def is_pasting(self) -> bool:
        """Whether the current key arrived together with several keys before it and at least one after it.

        Keys are read in chunks: those at the edge of a chunk may belong to the chunk before it or after it.
        """
        after = (press.key for press in self.app.key_processor.input_queue)
        is_followed = self.app.has_more_input or any(len(key) == 1 and key != FLUSH for key in after)
        return self.keys_in_batch > KEYS_OF_PASTE and is_followed

    @property
    def columns(self) -> int:
        """How many columns the terminal has."""
        return self.output.get_size().columns

    # What is printed

    def print(self, text: str) -> None:
        """Print finished text above the input, on its own lines."""
        self.end_answer()
        self.append(text if text.endswith("\n") else f"{text}\n")
        self.request_frame(now=True)

    def append(self, text: str) -> None:
        """Add finished text; omit its leading empty line if there is already one."""
        text = text.removeprefix("\n") if self.has_gap else text
        self.finished.append(text)
        self.has_gap = text.endswith("\n\n") or (self.has_gap and not text)

    def note(self, text: str, *marks: str) -> None:
        """Print OpenKoi's own lines, broken between words, in these colours."""
        rows = [row for line in text.split("\n") for row in self.break_line(line)]
        self.print("\n".join(self.style.mark(row, *marks) for row in rows))

    def break_line(self, line: str) -> Sequence[str]:
        """Return one of OpenKoi's own lines, broken into rows."""
        indent = len(line) - len(line.lstrip(" ")) + len(INDENT)
        return wrap_words(line, self.columns - 1, indent=" " * indent)

    def add_answer(self, text: str) -> None:
        """Add a piece of an answer; the first one is drawn at once."""
        begins = not (self.stream.pending or self.stream.number)
        self.stream.add(text)
        self.request_frame(now=begins)

    def end_answer(self) -> None:
        """Finish the answer that is coming in; another one may follow."""
        if self.stream.pending or self.stream.number:
            self.finish_blocks(ended=True)
            self.blocks += self.stream.number
            self.stream = MarkdownStream()
            self.request_frame()

    def finish_blocks(self, *, ended: bool = False) -> None:
        """Render the blocks that have become final, with their numbers in the chat."""
        for block in self.stream.finish() if ended else self.stream.take_final():
            block = replace(block, number=self.blocks + block.number)
            self.on_block(block.number, block.source)
            style = PLAIN if self.shows_source else self.style
            self.append(render_block(block, style, numbered=not self.shows_source))

    # What is drawn

    def request_frame(self, *, now: bool = False) -> None:
        """Draw soon: a moment after the last frame, and not right after a key."""
        if self.timer and now:
            self.timer.cancel()
            self.timer = None
        if self.timer or not self.app.is_running:
            return
        after = 0.0 if now else max(self.drawn_at + self.interval, self.key_at + AFTER_KEY) - monotonic()
        self.timer = asyncio.get_running_loop().call_later(max(after, 0.0), self.draw)

    def draw(self) -> None:
        """Draw one frame: new finished text, then the rows below it, in one write."""
        self.timer = None
        self.drawn_at = monotonic()
        if not self.app.is_running or self.app.is_suspended:
            return
        self.finish_blocks()
        text, self.finished = "".join(self.finished), []
        self.update_rows()
        with self.output.frame():
            if text:
                self.app.renderer.erase()
                self.output.write_raw(text.replace("\n", "\r\n"))
            self.app.draw_now(self.rows.count)
        self.interval = min(max(INTERVAL, PAUSE * (monotonic() - self.drawn_at)), MAX_INTERVAL)

    def update_rows(self) -> None:
        """Set the rows that change: the end of the answer, the working line, and a gap below the finished text.

        While a question is open, nothing changes, and Esc does not interrupt.
        """
        size = self.output.get_size()
        self.rows.columns, self.rows.lines = size.columns, size.rows
        most = max(min(ROWS_OF_TAIL, size.rows - 6), 1)
        pending = self.stream.pending.strip("\n")
        self.rows.tail = tail_rows(pending, size.columns - 1, most) if pending else ()
        self.rows.working = self.working(size.columns - 1) if self.working and not self.rows.choices else ""
        self.rows.gap = () if self.has_gap or self.rows.choices or size.rows < MIN_ROWS_OF_GAP else ("",)

    def refresh(self) -> None:
        """Draw the rows again, because one of them has changed."""
        self.request_frame(now=True)

    # The clock of the working line

    def start_clock(self, working: Callable[[int], str]) -> None:
        """Show a working line, and draw it again each second."""
        self.working = working
        self.tick()

    def tick(self) -> None:
        if self.working:
            self.clock = asyncio.get_running_loop().call_later(CLOCK, self.tick)
            if not self.rows.choices:
                self.request_frame()

    def stop_clock(self) -> None:
        """Remove the working line."""
        self.working = None
        if self.clock:
            self.clock.cancel()
        self.refresh()

    def set_notes(self, notes: Sequence[str]) -> None:
        """Show queued messages above the input."""
        self.rows.notes = notes
        self.refresh()
