"""Find, build, enter and call plugins: a library, without entry points. Its modules are imported one by one.

What is here lets Ctrl-C end a start at once, and imports nothing that Python has not imported itself.
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
    """Handle Ctrl-C until something else does, unless it is ignored."""
    if signals.getsignal(signals.SIGINT) is signals.default_int_handler:
        signals.signal(signals.SIGINT, interrupt)


def restore_interrupts() -> None:
    """Handle Ctrl-C as Python does."""
    if signals.getsignal(signals.SIGINT) is interrupt:
        signals.signal(signals.SIGINT, signals.default_int_handler)


def interrupt(number: int, frame: "FrameType | None") -> None:
    """Raise KeyboardInterrupt, or exit where a module is imported.

    There an error may be swallowed, in a callback of the import system that keeps the lock of all imports: the run
    would begin, and wait for that lock forever.
    """
    while frame:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(EXIT_INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt
