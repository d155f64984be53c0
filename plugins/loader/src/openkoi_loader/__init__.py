"""Find, build, enter and call plugins: a library, without entry points. Its modules are imported one by one.

This module lets Ctrl-C end a start at once, and imports only what Python has already imported.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

EXIT_INTERRUPTED = 130
signals: "Any" = sys.modules["_signal"]  # of which `signal` makes enumerations, for a millisecond


def end_start_quietly() -> None:
    """Handle Ctrl-C until another handler is set, unless it is ignored."""
    if signals.getsignal(signals.SIGINT) is signals.default_int_handler:
        signals.signal(signals.SIGINT, interrupt)


def restore_interrupts() -> None:
    """Restore Python's own handling of Ctrl-C."""
    if signals.getsignal(signals.SIGINT) is interrupt:
        signals.signal(signals.SIGINT, signals.default_int_handler)


def interrupt(number: int, frame: "FrameType | None") -> None:
    """Raise KeyboardInterrupt, or exit during an import.

    An error raised there may be swallowed in a callback of the import system that holds the import lock: the run
    would start, and wait for that lock forever.
    """
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(EXIT_INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt
