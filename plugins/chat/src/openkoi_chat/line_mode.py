"""The chat in line mode: nothing is redrawn, no escape sequence is written, questions are numbered.

For screen readers, dumb terminals and logs of terminals.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from openkoi_base.terminal import discard_typed_input
from openkoi_hookspecs import KoiError
from openkoi_terminal import PLAIN, QUIET_SECONDS, MarkdownStream, Style, find_choice, render_block, strip_controls

from .attachments import Draft
from .banner import FIRST_USE, make_banner
from .chat import ChatProgram
from .continued_chat import open_chat
from .dialog_box import format_choices
from .handle_input import enter
from .options import Options
from .program_protocol import NO_IMAGES
from .view import Choice, Dialog

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher

HEARTBEAT = 30.0
STOP, PICK = "/stop", "/resume"
NOTHING = Choice("", "Nothing", "")  # of a list, where there is no Esc
IS_PLAIN = "This chat is already in line mode."
TOO_EARLY = "You typed that before the question appeared."
PLAIN_KEYS = (
    ("Enter", "send; the current task reads the message before its next model call"),
    ("/queue TEXT", "queue the message as the next task"),
    ("/stop, Ctrl-C", "interrupt the task; Ctrl-C quits if no task is running"),
    ("@ ! #", "file, shell command, memory"),
)
HELP = (
    "Type a message and press Enter. /help lists commands, /stop or Ctrl-C interrupts a task, "
    "/queue TEXT adds the next task, /quit quits."
)


async def run_plain(launcher: "Launcher", options: Options) -> int:
    """Run the chat until the user leaves; return the exit status."""
    return await PlainProgram(launcher, options).run()


class PlainView:
    """Implements ``View`` with lines, on standard output or in a file."""

    shows_input = True

    def __init__(self, file: TextIO | None = None) -> None:
        self.file = file or sys.stdout
        self.style: Style = PLAIN
        self.stream = MarkdownStream()
        self.sources: dict[int, list[str]] = {}
        self.blocks = 0
        self.working: Callable[[int], str] | None = None
        self.heart: asyncio.TimerHandle | None = None
        self.question: asyncio.Future[str] | None = None
        self.shows_source = True

    @property
    def columns(self) -> int:
        """Return 0: lines may have any length."""
        return 0

    def print(self, text: str) -> None:
        """Print a text."""
        self.end_answer()
        print(text.strip("\n"), flush=True, file=self.file)

    def note(self, text: str, *marks: str) -> None:
        """Print OpenKoi's own lines, without colours."""
        self.print(text)

    def add_answer(self, text: str) -> None:
        """Print the part of the answer that is final."""
        self.stream.add(text)
        self.print_blocks()

    def end_answer(self) -> None:
        """Print the rest of the answer."""
        if self.stream.pending or self.stream.number:
            self.print_blocks(ended=True)
            self.blocks += self.stream.number
            self.stream = MarkdownStream()

    def print_blocks(self, *, ended: bool = False) -> None:
        """Print final blocks, and keep their Markdown for ``/copy``."""
        for block in self.stream.finish() if ended else self.stream.take_final():
            self.sources.setdefault(self.blocks + block.number, []).append(block.source)
            print(render_block(block, PLAIN), end="", flush=True, file=self.file)

    def start_clock(self, working: Callable[[int], str]) -> None:
        """Print the current step every 30 seconds."""
        self.working = working
        self.heart = asyncio.get_running_loop().call_later(HEARTBEAT, self.beat)

    def beat(self) -> None:
        if self.working:
            print(self.working(0), flush=True, file=self.file)
            self.start_clock(self.working)

    def stop_clock(self) -> None:
        """Stop printing the current step."""
        self.working = None
        if self.heart:
            self.heart.cancel()

    def set_notes(self, notes: Sequence[str]) -> None:
        """Print the message that was added last."""
        if notes:
            print(f"({notes[-1].strip('↳⇥ ')})", flush=True, file=self.file)

    async def choose(self, dialog: Dialog) -> str | None:
        """Ask with numbered choices, again after any other line. Text typed before the question is not an answer."""
        is_begun, asked_at = discard_typed_input(), monotonic()
        choices = [*dialog.choices, *([NOTHING] if dialog.is_list else [])]
        print("\n".join([*dialog.all_lines, *format_choices(choices)]), flush=True, file=self.file)
        while True:
            word = (await self.read(f"Type a number from 1 to {len(choices)}." if choices else "")).strip()
            is_early = is_begun or monotonic() - asked_at < QUIET_SECONDS
            is_begun = False
            if is_early and not dialog.is_list:
                print(TOO_EARLY, flush=True, file=self.file)
                continue
            if not choices:
                return word or None
            place = find_choice(word, [one.key for one in choices])
            choice = None if place is None else choices[place]
            if choice and choice.wants_text:
                text = await self.read(choice.wants_text)
                return f"{choice.value}: {text.strip()}" if text.strip() else choice.value
            if choice:
                return choice.value

    async def read(self, prompt: str) -> str:
        """Wait for the user's next line."""
        if prompt:
            print(prompt, flush=True, file=self.file)
        self.question = asyncio.get_running_loop().create_future()
        try:
            return await self.question
        finally:
            self.question = None

    def show_hint(self, text: str) -> None:
        """Print a hint."""
        if text:
            print(text, flush=True, file=self.file)

    def block(self, number: int) -> str | None:
        """Return the Markdown of a numbered block."""
        found = self.sources.get(number)
        return "\n".join(found) if found else None

    async def run_in_terminal(self, command: Sequence[str]) -> int:
        """Give a program control of the terminal."""
        process = await asyncio.create_subprocess_exec(*command)
        return await process.wait()

    def notify(self, text: str) -> None:
        """Do nothing: a screen reader reads what is printed."""


class PlainProgram:
    """Reads lines and passes them to the conversation, or to the open question."""

    def __init__(self, launcher: "Launcher", options: Options) -> None:
        self.view = PlainView()
        self.launcher = launcher
        self.options = options
        self.chat = ChatProgram(launcher, options, self.view, self)
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()

    async def run(self) -> int:
        """Open OpenKoi, then read lines until the end of the input."""
        loop = asyncio.get_running_loop()
        try:
            await open_chat(self.chat)
            self.view.print(
                await make_banner(self.chat.require_koi(), self.launcher.version, self.chat.session.sessions)
            )
            self.view.print(f"{FIRST_USE}\n{HELP}" if self.chat.is_first else HELP)
            if self.options.picks:
                self.take(PICK)
            loop.add_reader(sys.stdin.fileno(), lambda: self.lines.put_nowait(sys.stdin.readline() or None))
            while (line := await self.next_line()) is not None:
                self.take(line)
        except KoiError as error:
            print(f"Error: {error}", file=sys.stderr)
            return 2
        finally:
            loop.remove_reader(sys.stdin.fileno())
            await self.chat.close()
        return 0

    async def next_line(self) -> str | None:
        """Return the next line; Ctrl-C interrupts the current task, or ends the chat if there is none."""
        while True:
            try:
                return await self.lines.get()
            except asyncio.CancelledError:
                if not self.chat.stop():
                    return None
                task = asyncio.current_task()
                assert task is not None
                task.uncancel()

    def take(self, line: str) -> None:
        """Answer the open question, or enter a line."""
        text = line.strip()
        if self.view.question and not self.view.question.done():
            self.view.question.set_result(text)
        elif text == STOP:
            self.chat.stop()
        elif text.startswith("/queue "):
            enter(self.chat, Draft(text.removeprefix("/queue ")), queue=True)
        elif text:
            enter(self.chat, Draft(text))
        else:
            self.chat.session.go_on()

    def quit(self) -> None:
        """Leave the chat."""
        self.lines.put_nowait(None)

    def set_input(self, text: str, images: Mapping[str, bytes] = NO_IMAGES) -> None:
        """Print a text that a screen would put into the input."""
        if text:
            print(f"Your draft was: {strip_controls(text)}", flush=True)

    def input_draft(self) -> tuple[str, dict[str, bytes]]:
        """Return an empty draft: the terminal keeps what is typed until Enter."""
        return "", {}

    def send(self, sequence: str) -> None:
        """Write nothing: no escape sequence goes to this terminal."""
        print("Copying needs a screen: start the chat without --plain.", flush=True)

    def open_editor(self) -> None:
        print("The editor needs a screen: start the chat without --plain.", flush=True)

    def show_status(self, text: str) -> None:
        """Do nothing: there is no status line."""

    def describe_keys(self) -> Sequence[tuple[str, str]]:
        """Return what to type instead of keys."""
        return PLAIN_KEYS

    def switch_to_plain(self) -> None:
        """Print that the chat is already in line mode."""
        self.view.print(IS_PLAIN)

    def show_busy(self, text: str) -> None:
        """Do nothing: there is no line for it."""
