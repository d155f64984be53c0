"""Find out whether a user can be prompted, discard what was typed before a prompt, and show text of others."""

import sys
from contextlib import suppress
from typing import TextIO

from openkoi_hookspecs import KoiError

NEEDS_TERMINAL = "This needs your approval, and no terminal is attached. Run it again with --yes to approve it."


def can_prompt(output: TextIO) -> bool:
    """Return whether a terminal is attached to standard input and to the output that shows the prompt."""
    return sys.stdin.isatty() and output.isatty()


def require_prompt(output: TextIO) -> None:
    """Raise KoiError unless the user can be asked for approval."""
    if not can_prompt(output):
        raise KoiError(NEEDS_TERMINAL)


def discard_typed_input() -> bool:
    """Discard what was typed before a question was shown, where the platform can.

    Return whether it was the beginning of a line, of which the rest may come yet.
    """
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            return read_typed_input(sys.stdin.fileno()).rpartition(b"\n")[2] != b""
    return False


def read_typed_input(descriptor: int) -> bytes:
    """Return what was typed and not read, also of a line that has not ended."""
    import os
    import select
    import termios

    modes = termios.tcgetattr(descriptor)
    at_once = [*modes[:3], modes[3] & ~termios.ICANON, *modes[4:6], [*modes[6]]]
    at_once[6][termios.VMIN], at_once[6][termios.VTIME] = 0, 0
    termios.tcsetattr(descriptor, termios.TCSANOW, at_once)
    try:
        typed = b""
        while select.select([descriptor], [], [], 0)[0] and (more := os.read(descriptor, 4096)):
            typed += more
        return typed
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)


def one_line(text: str) -> str:
    """Return text of others as one line, without characters that control a terminal or that are not seen."""
    return " ".join(visible(text).split())


def indented(text: str) -> str:
    """Return text of others without such characters, its further lines indented: they look like no line of OpenKoi."""
    first, *more = visible(text).splitlines() or [""]
    return "\n".join([first, *(line if line.startswith("    ") else f"    {line}" for line in more)])


def visible(text: str) -> str:
    """Return text without characters that control a terminal or that are not seen, but for white space."""
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    return "".join(char for char in text if char.isspace() or unicodedata.category(char)[0] != "C")
