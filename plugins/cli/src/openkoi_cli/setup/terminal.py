"""Choose how to prompt the user: with or without cursor movement."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import click

from .hidden_input import hide_input

DEFAULT_COLUMNS = 80


class SetupTerminal(Protocol):
    """Protocol of a prompt; Ctrl-C raises KeyboardInterrupt, the end of input EOFError."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let the user choose a line; return its index."""

    async def secret(self, message: str) -> str:
        """Prompt for a value without showing it."""

    async def address(self, message: str) -> str:
        """Prompt for an address and an optional key, which is not shown."""


@contextmanager
def open_terminal() -> Iterator[SetupTerminal]:
    """Yield a prompt that suits this terminal; input between two prompts is not shown either."""
    if os.name == "posix" and os.environ.get("TERM", "dumb") == "dumb":
        from .line_terminal import LineTerminal

        yield LineTerminal()
        return
    from .cursor_terminal import CursorTerminal

    with hide_input():
        yield CursorTerminal()


def terminal_columns() -> int:
    """Return the terminal's width in characters."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or DEFAULT_COLUMNS
    except OSError:
        return DEFAULT_COLUMNS


def print_line(text: str) -> None:
    """Print a line for the user."""
    click.echo(text, err=True)
