"""The person at the terminal. Knows that there are terminals that can move a cursor, and others."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import click

from .echo import silent

USUAL = 80


class SetupTerminal(Protocol):
    """Asks; an interruption is a KeyboardInterrupt, an end of all input an EOFError."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let a person choose a line; return its index."""

    async def secret(self, message: str) -> str:
        """Ask for something that is not shown."""

    async def address(self, message: str) -> str:
        """Ask for an address, and perhaps a key behind it, which is not shown."""


def somebody_there() -> bool:
    """Whether a person can be asked: both ends of the terminal must be one."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def terminal() -> Iterator[SetupTerminal]:
    """Lend what there is here. Between two questions, too, nothing is shown that is typed or pasted too early."""
    if os.name == "posix" and os.environ.get("TERM", "dumb") == "dumb":
        from .typed import Typed

        yield Typed()
        return
    from .moving import Moving

    with silent():
        yield Moving()


def columns() -> int:
    """How many characters fit into a line of the terminal; the usual number where it does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or USUAL
    except OSError:
        return USUAL


def say(text: str) -> None:
    """A line for the person."""
    click.echo(text, err=True)
