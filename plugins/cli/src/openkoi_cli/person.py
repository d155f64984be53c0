"""Ask the person at the terminal. Knows one terminal, and what is answered elsewhere meanwhile; knows no run."""

import asyncio
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Question

from .plain import plain

if TYPE_CHECKING:
    from openkoi.app import App
    from openkoi_files import Questions


def attended(koi: "App") -> None:
    """Let whoever sits at the terminal be asked, if somebody does."""
    koi.services.asker.person = partial(ask_person, kept=koi.services.asker.kept) if somebody_there() else None


def somebody_there() -> bool:
    """Whether a person can be asked: both ends of the terminal must be one."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_person(question: Question, kept: "Questions | None" = None) -> str | None:
    """Show the question and wait for a line; an empty one is no answer. Says so when it is answered elsewhere."""
    choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
    forget_what_was_typed()
    click.echo(f"\n{plain(question.text + choices)} ", err=True, nl=False)
    try:
        line = await read_line()
    except asyncio.CancelledError:
        if kept and (said := answered_elsewhere(question, kept)):
            click.echo(f"\n  Answered from elsewhere: {plain(said)}", err=True)
        raise
    return line.strip() or None


def answered_elsewhere(question: Question, kept: "Questions") -> str:
    """What was answered to a question that waits; empty while nothing was."""
    there = filter(None, map(kept.read, kept.folder.glob("*.json")))
    return next((said for waiting, said in there if said and waiting.question == question), "")


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
