"""Prompt the user at the terminal, and notify when a question was answered elsewhere.

What was typed before a question never answers it: keys are ignored for a moment after it is shown, and discarded.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

import click

from openkoi_base.terminal import can_prompt, discard_typed_input
from openkoi_hookspecs import Koi, Question, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import truncate_line

from .answers import format_no
from .escape import escape_controls
from .setting_names import WAIT_SECONDS

if TYPE_CHECKING:
    from openkoi_terminal.approval_request import ApprovalRequest, ApprovalScope

    from .live_output import LineOutput, TerminalOutput

T = TypeVar("T")
IGNORED_SECONDS = 0.3  # who types when a question appears goes on for about as long (estimate)
END = b"\x04"  # Ctrl-D: no answer, so that the run stops and can be resumed
INSTEAD = "What should it do instead? (Enter to skip) "


@dataclass(frozen=True, slots=True)
class Choice:
    """A numbered answer, and the key that gives it as well."""

    key: str
    label: str
    value: str


NO = Choice("n", "No, and say what to do instead (n, esc)", "no")


@dataclass(slots=True)
class TerminalPrompt:
    """Prompts the user; ``left`` are shown questions that were answered elsewhere.

    ``allowed`` is what the user allowed for the rest of the task.
    """

    live: "LineOutput | TerminalOutput | None" = None
    asked: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    allowed: "set[ApprovalScope]" = field(default_factory=set)

    async def ask(self, question: Question) -> str | None:
        """Show the question and return the answer; an empty line is not an answer."""
        from openkoi_terminal.approval_request import read_approval_request

        if self.live:
            self.live.pause(question.identity)
        try:
            request = read_approval_request(question)
            return await (self.ask_approval(request) if request else self.ask_line(question))
        except asyncio.CancelledError:
            self.left.add(question.text)
            raise
        finally:
            if self.live:
                self.live.unpause(question.identity)

    async def ask_line(self, question: Question) -> str | None:
        """Show a question and read a line."""
        choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
        click.echo(f"\n{escape_controls(question.text)}", err=True, nl=False)
        await discard_early_input()
        click.echo(f"{choices} ", err=True, nl=False)
        return (await read_line()).strip() or None

    async def ask_approval(self, request: "ApprovalRequest") -> str | None:
        """Show a tool call with numbered answers; what was allowed for the task is not asked again, and shown."""
        from openkoi_terminal import show_hidden
        from openkoi_terminal.approval_request import describe_request
        from openkoi_terminal.style import detect_style

        style = detect_style(sys.stderr)
        if request.scope in self.allowed:
            text = show_hidden(request.command or request.tool)
            click.echo(style.mark(f"  allowed for this task: {text}", "dim"), err=True)
            return "yes"
        choices = list_choices(request)
        lines = [
            *describe_request(request, style),
            *(f"  {place}. {one.label}" for place, one in enumerate(choices, 1)),
        ]
        click.echo("\n" + "\n".join(lines), err=True)
        await discard_early_input()
        answer = await read_choice(choices)
        if answer == "always" and request.scope:
            self.allowed.add(request.scope)
            return "yes"
        if answer == "no":
            click.echo(INSTEAD, err=True, nl=False)
            return format_no(await read_line())
        return answer

    def print_line(self, text: str) -> None:
        """Print a line above what is drawn on the terminal."""
        if self.live:
            self.live.print_line(text)
        else:
            click.echo(text, err=True)

    def observe(self, record: Record) -> None:
        """Notify the user when a shown question was answered elsewhere."""
        match record.event:
            case events.QuestionAsked(id=id, text=text):
                self.asked[id] = text
            case events.QuestionAnswered(id=id, answer=answer):
                text = self.asked.pop(id, "")
                if answer and text in self.left:
                    self.print_line(f"\n  Answered in another process: {escape_controls(answer)}")
                self.left.discard(text)


def list_choices(request: "ApprovalRequest") -> Sequence[Choice]:
    """Return the answers to a request; the wider one only where its scope is plain."""
    wider = Choice("a", f"Yes, and {request.scope_text} until this task ends (a)", "always")
    return (Choice("y", "Yes, this once (y)", "yes"), *([wider] if request.scope else []), NO)


def attend_terminal(koi: Koi, live: "LineOutput | TerminalOutput", *, yes: bool = False) -> None:
    """Let questions be asked at the terminal, if there is one; ``yes`` answers what policy lets the option answer."""
    at_terminal = can_prompt(sys.stderr)
    terminal = TerminalPrompt(live)
    if at_terminal:
        koi.listen(terminal.observe)
    if at_terminal or yes:
        koi.attend(FlagAnswer(koi, live, terminal.ask if at_terminal else None).ask if yes else terminal.ask)


@dataclass(frozen=True, slots=True)
class FlagAnswer:
    """Answers yes where policy lets the option ``--yes`` do so; the terminal answers the rest, if there is one."""

    koi: Koi
    live: "LineOutput | TerminalOutput"
    otherwise: Callable[[Question], Awaitable[str | None]] | None

    async def ask(self, question: Question) -> str | None:
        """Answer a question, or leave it to the terminal; without one it waits as it would without the option."""
        if question.by_flag:
            self.live.print_line(f"  approved by --yes: {truncate_line(question.text.rpartition(chr(10))[2], 100)}")
            return "yes"
        if self.otherwise:
            return await self.otherwise(question)
        await asyncio.sleep(self.koi.setting(WAIT_SECONDS, float, 0.0))
        return None


async def discard_early_input() -> None:
    """Discard what was typed before the question was shown and for a moment after it."""
    await asyncio.sleep(IGNORED_SECONDS if sys.stdin.isatty() else 0)
    discard_typed_input()


async def read_choice(choices: Sequence[Choice]) -> str | None:
    """Read a key that chooses an answer; a line where single keys cannot be read."""
    from .keyboard import open_keyboard, read_keys_at_once, restore_terminal_modes

    answers = {str(place): one.value for place, one in enumerate(choices, 1)} | {one.key: one.value for one in choices}
    prompt = f"Choose 1 to {len(choices)}: "
    keys = open_keyboard()
    click.echo(prompt, err=True, nl=False)
    if keys is None:
        return answers.get((await read_line()).strip().lower()[:1])
    read_keys_at_once(keys.descriptor)
    try:
        while True:
            pressed = await wait_for_input(keys.read_pressed)
            value = choose_answer(pressed, answers)
            if value or pressed in (b"", END):
                break
    finally:
        restore_terminal_modes()
    click.echo(next((one.label for one in choices if one.value == value), ""), err=True)
    return value


def choose_answer(pressed: bytes, answers: Mapping[str, str]) -> str | None:
    """Return the answer of the first key that gives one; Esc alone means no."""
    if pressed.startswith(b"\x1b"):
        return "no" if len(pressed) == 1 else None
    keys = pressed.decode(errors="replace").lower()
    return next((answers[key] for key in keys if key in answers), None)


async def read_line() -> str:
    """Read a line from standard input without blocking the event loop, where the platform can."""
    return await wait_for_input(sys.stdin.readline)


async def wait_for_input(read: Callable[[], T]) -> T:
    """Wait until standard input has something to read, and read it."""
    if sys.platform == "win32":
        return read()
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return read()
