"""Read the user's choice: its number or its key, then Enter. Text typed as a message never selects one.

Keys are not taken for a moment after the question is shown; a line that was started before then is not an answer.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from openkoi_base.terminal import discard_typed_input
from openkoi_hookspecs.lazy_dataclass import dataclass

from .keyboard import Keyboard, open_keyboard, read_keys_at_once, restore_terminal_modes

T = TypeVar("T")
ESCAPE, END = "\x1b", "\x04"  # Ctrl-D: no answer, so that the run stops and can be resumed
ERASE = "\x7f\b"
TOO_EARLY = "You typed that before the question appeared. "
NOT_A_CHOICE = "That is not one of the answers. "


@dataclass(frozen=True, slots=True)
class Choice:
    """A numbered answer, and the key that also selects it."""

    key: str
    label: str
    value: str


async def read_choice(choices: Sequence[Choice], *, is_begun: bool = False) -> str | None:
    """Read lines until one is a choice; Esc alone selects the last one, and the end of the input none.

    ``is_begun``: the first line was started before the question, so it is not an answer.
    """
    from openkoi_terminal import find_choice

    keys, prompt = open_keyboard(), f"Choose 1 to {len(choices)}: "
    if keys:
        read_keys_at_once(keys.descriptor)
    try:
        is_early = await discard_early_input() or is_begun
        click.echo(prompt, err=True, nl=False)
        while line := await (read_keys(keys) if keys else read_line()):
            place = len(choices) - 1 if line == ESCAPE else find_choice(line, [one.key for one in choices])
            if place is not None and not is_early:
                click.echo(f"  → {choices[place].label}", err=True)
                return choices[place].value
            click.echo(f"{TOO_EARLY if is_early else NOT_A_CHOICE}{prompt}", err=True, nl=False)
            is_early = False
        return None
    finally:
        restore_terminal_modes()


async def read_whole_line(prompt: str) -> str:
    """Show a prompt and read a line that was started after it."""
    is_early = await discard_early_input()
    click.echo(prompt, err=True, nl=False)
    line = await read_line()
    if line and is_early:
        click.echo(f"{TOO_EARLY}{prompt}", err=True, nl=False)
        line = await read_line()
    return line


async def discard_early_input() -> bool:
    """Discard what was typed before the question was shown and for a moment after it.

    Return whether that was the beginning of a line.
    """
    from openkoi_terminal import QUIET_SECONDS

    await asyncio.sleep(QUIET_SECONDS if sys.stdin.isatty() else 0)
    return discard_typed_input()


async def read_keys(keys: Keyboard) -> str:
    """Read a line of keys, and echo it; return Esc if that was pressed, and nothing at the end of the input."""
    typed = ""
    while pressed := await wait_for_input(keys.read_pressed):
        text = pressed.decode(errors="replace")
        if text.startswith(ESCAPE) and len(text) > 1:  # an arrow key
            continue
        for key in text:
            if key in (ESCAPE, END):
                click.echo(err=True)
                return ESCAPE if key == ESCAPE else ""
            if key in "\r\n":
                click.echo(err=True)
                return f"{typed}\n"
            typed = edit_line(typed, key)
    return ""


def edit_line(typed: str, key: str) -> str:
    """Return the line with a key added, or its last character removed; echo that."""
    if key in ERASE:
        click.echo("\b \b" * bool(typed), err=True, nl=False)
        return typed[:-1]
    if not key.isprintable():
        return typed
    click.echo(key, err=True, nl=False)
    return typed + key


async def read_line() -> str:
    """Read a line from standard input, without blocking the event loop if the platform supports that."""
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
