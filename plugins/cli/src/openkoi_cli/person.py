"""Ask the user at the terminal, and say so when a question was answered elsewhere meanwhile."""

import asyncio
import sys
from contextlib import suppress
from dataclasses import dataclass, field

import click

from openkoi_hookspecs import Koi, Question, Record, events

from .plain import plain


@dataclass(slots=True)
class Terminal:
    """The user at the terminal. ``left`` are the texts of questions that stand there, answered from elsewhere."""

    asked: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    async def ask(self, question: Question) -> str | None:
        """Show the question and wait for a line; an empty one is not an answer."""
        choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
        forget_what_was_typed()
        click.echo(f"\n{plain(question.text + choices)} ", err=True, nl=False)
        try:
            line = await read_line()
        except asyncio.CancelledError:
            self.left.add(question.text)
            raise
        return line.strip() or None

    def hear(self, record: Record) -> None:
        """Say what was answered to a question that stands at the terminal without an answer."""
        match record.event:
            case events.QuestionAsked(id=id, text=text):
                self.asked[id] = text
            case events.QuestionAnswered(id=id, answer=answer):
                text = self.asked.pop(id, "")
                if answer and text in self.left:
                    click.echo(f"\n  Answered from elsewhere: {plain(answer)}", err=True)
                self.left.discard(text)


def attended(koi: Koi) -> None:
    """Let the user at the terminal be asked, if there is one."""
    if somebody_there():
        terminal = Terminal()
        koi.listen(terminal.hear)
        koi.attend(terminal.ask)


def somebody_there() -> bool:
    """Whether a person can be asked: both ends of the terminal must be one."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def forget_what_was_typed() -> None:
    """What was typed before a question is shown is no answer to it. Without POSIX it would be taken for one."""
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def read_line() -> str:
    """A line of standard input, without holding up whatever else goes on, where the system can wait for one."""
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
