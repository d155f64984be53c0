"""Prompt the user at the terminal, and notify when a question was answered elsewhere."""

import asyncio
import sys
from contextlib import suppress
from dataclasses import field

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import Koi, Question, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .escape import escape_controls


@dataclass(slots=True)
class TerminalPrompt:
    """Prompts the user; ``left`` are shown questions that were answered elsewhere."""

    asked: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    async def ask(self, question: Question) -> str | None:
        """Show the question and read a line; an empty line is not an answer."""
        choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
        discard_typed_input()
        click.echo(f"\n{escape_controls(question.text + choices)} ", err=True, nl=False)
        try:
            line = await read_line()
        except asyncio.CancelledError:
            self.left.add(question.text)
            raise
        return line.strip() or None

    def observe(self, record: Record) -> None:
        """Notify the user when a shown question was answered elsewhere."""
        match record.event:
            case events.QuestionAsked(id=id, text=text):
                self.asked[id] = text
            case events.QuestionAnswered(id=id, answer=answer):
                text = self.asked.pop(id, "")
                if answer and text in self.left:
                    click.echo(f"\n  Answered in another process: {escape_controls(answer)}", err=True)
                self.left.discard(text)


def attend_terminal(koi: Koi) -> None:
    """Let questions be asked at the terminal, if there is one."""
    if can_prompt(sys.stderr):
        terminal = TerminalPrompt()
        koi.listen(terminal.observe)
        koi.attend(terminal.ask)


def discard_typed_input() -> None:
    """Discard what was typed before the question was shown, where the platform can."""
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def read_line() -> str:
    """Read a line from standard input without blocking the event loop, where the platform can."""
    if sys.platform == "win32":
        return sys.stdin.readline()
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()
