"""Ask at a terminal that only knows lines: numbers, and silence in the place of what is secret."""

import asyncio
import sys
from collections.abc import Sequence

import click

from .echo import silent

KEYS = "A number, then Enter. q or Ctrl-C leaves."
LEAVING = "q"


class Typed:
    """A Terminal."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let a person type a number; asked again until it is one."""
        show("\n".join([message, KEYS, *(f"  {number}. {line}" for number, line in enumerate(lines, 1)), ""]))
        while True:
            show(f"Number (1 to {len(lines)}): ")
            answer = (await line()).strip()
            if answer == LEAVING:
                raise KeyboardInterrupt
            if answer.isdecimal() and 1 <= int(answer) <= len(lines):
                return int(answer) - 1

    async def secret(self, message: str) -> str:
        """Ask for a line that is not shown."""
        with silent():
            show(message)
            answer = await line()
        show("\n")
        return answer

    async def address(self, message: str) -> str:
        """Ask for a line; here it would be shown whole, so that a key is better given when it is asked for."""
        show("What is typed here is shown, so give the address alone: a key is asked for later.\n")
        show(message)
        return await line()


def show(text: str) -> None:
    click.echo(text, err=True, nl=False)


async def line() -> str:
    """A line as it comes, without holding up an interruption."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.rstrip("\n")
