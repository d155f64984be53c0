"""Prompt at a terminal without cursor movement: numbers, and hidden input."""

import asyncio
import sys
from collections.abc import Sequence

import click

from .hidden_input import hide_input

KEYS = "Type a number, or q to quit, and press Enter. Ctrl-C also quits."
QUIT = "q"


class LineTerminal:
    """Prompts with plain lines."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Prompt for a number until it is valid."""
        print_text("\n".join([message, KEYS, *(f"  {number}. {line}" for number, line in enumerate(lines, 1)), ""]))
        while True:
            print_text(f"Number (1 to {len(lines)}): ")
            answer = (await read_line()).strip()
            if answer == QUIT:
                raise KeyboardInterrupt
            if answer.isdecimal() and 1 <= int(answer) <= len(lines):
                return int(answer) - 1

    async def secret(self, message: str) -> str:
        """Prompt for a line that is not shown."""
        with hide_input():
            print_text(message)
            answer = await read_line()
        print_text("\n")
        return answer

    async def address(self, message: str) -> str:
        """Prompt for a line that is shown, so the key is asked for separately."""
        print_text("Your input is shown here, so enter only the address. You will be asked for a key if needed.\n")
        print_text(message)
        return await read_line()


def print_text(text: str) -> None:
    click.echo(text, err=True, nl=False)


async def read_line() -> str:
    """Read a line without blocking the event loop."""
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
