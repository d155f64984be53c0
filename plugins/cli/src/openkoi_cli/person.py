"""Ask the person at the terminal. Knows one terminal; knows no run."""

import asyncio
import sys

import click

from openkoi_hookspecs import Question


def somebody_there() -> bool:
    """Whether a person can be asked: both ends of the terminal must be one."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_person(question: Question) -> str | None:
    """Show the question and wait for a line; an empty one is no answer."""
    choices = f" [{'/'.join(question.choices)}]" if question.choices else ""
    click.echo(f"\n{question.text}{choices} ", err=True, nl=False)
    line = await read_line()
    return line.strip() or None


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
