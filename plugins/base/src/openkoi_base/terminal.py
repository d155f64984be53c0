"""Find out whether a user can be prompted, and discard what was typed before a prompt."""

import sys
from contextlib import suppress
from typing import TextIO

from openkoi_hookspecs import KoiError

NEEDS_TERMINAL = (
    "This needs your approval, but no terminal is attached. To approve it, run the command again with --yes."
)


def can_prompt(output: TextIO) -> bool:
    """Return whether a terminal is attached to standard input and to the output that shows the prompt."""
    return sys.stdin.isatty() and output.isatty()


def require_prompt(output: TextIO) -> None:
    """Raise KoiError unless the user can be asked for approval."""
    if not can_prompt(output):
        raise KoiError(NEEDS_TERMINAL)


def discard_typed_input() -> bool:
    """Discard text typed before a question was shown, if the platform supports that.

    Return whether it was the beginning of a line, of which the rest may come yet.
    """
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            return read_typed_input(sys.stdin.fileno()).rpartition(b"\n")[2] != b""
    return False


def read_typed_input(descriptor: int) -> bytes:
    """Return text that was typed but not read, including an incomplete line."""
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
