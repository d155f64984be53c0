"""Choose how the chat is shown: on a screen, line by line, or as help if there is no terminal."""

import os
import sys
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from .options import USAGE, read_options

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher

NO_TERMINAL = 'The chat needs a terminal. To run one task: openkoi "TASK". To follow up on it: openkoi -c "TEXT".'


def start(launcher: "Launcher") -> "int | Awaitable[int]":
    """Start the chat with the options of the command line; return the exit status."""
    options = read_options(launcher.arguments)
    if options.error:
        print(f"{USAGE.splitlines()[0]}\n\nError: {options.error}", file=sys.stderr)
        return 2
    if options.help:
        print(USAGE, end="")
        return 0
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        if not launcher.arguments:
            return launcher.start("cli", ["--"])  # what is piped in is the task
        print(NO_TERMINAL, file=sys.stderr)
        return 2
    if options.plain or is_accessible():
        from .line_mode import run_plain

        return run_plain(launcher, options)
    from .program import run_chat

    return run_chat(launcher, options)


def is_accessible() -> bool:
    """Return whether the user needs output that is never redrawn."""
    return os.environ.get("ACCESSIBLE", "") not in ("", "0") or os.environ.get("TERM") == "dumb"
