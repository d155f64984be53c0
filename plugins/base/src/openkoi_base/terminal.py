"""Find out whether a user can be prompted, and discard what was typed before a prompt."""

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


def discard_typed_input() -> None:
    """Discard what was typed before a question was shown, where the platform can."""
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
