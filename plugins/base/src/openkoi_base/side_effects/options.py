"""Options for how closely plugin calls are watched: the first ones in a run, all of them in a check."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

NO_FILE = -1
START, END, EFFECT, TOOK, DEADLINE, HID = "start", "end", "effect", "took", "deadline", "hid"


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """``calls`` of each function are watched. ``progress`` is the descriptor of a file that lists what happens.

    A check is thorough: it also looks at all modules, and at what child processes print.
    """

    calls: int = 1
    is_thorough: bool = False
    progress: int = NO_FILE

    def note(self, event: str, *words: str) -> None:
        """Write an event, so that another process can determine which plugin's code ran if this process ends."""
        if self.progress != NO_FILE:
            line = "\t".join((event, *words)).replace("\n", " ")
            os.write(self.progress, f"{line}\n".encode(errors="replace"))


FIRST_CALLS = WatchOptions()
OPTIONS: ContextVar[WatchOptions] = ContextVar("watch_options", default=FIRST_CALLS)


def watch_options() -> WatchOptions:
    """Return the current options."""
    return OPTIONS.get()


@contextmanager
def watch_every_call(progress: Path) -> Iterator[WatchOptions]:
    """Watch every call thoroughly, and log to a file which plugin's code runs and what it changes."""
    descriptor = os.open(progress, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    options = WatchOptions(1_000_000, is_thorough=True, progress=descriptor)
    before = OPTIONS.set(options)
    try:
        yield options
    finally:
        OPTIONS.reset(before)
        os.close(descriptor)
