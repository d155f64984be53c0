"""Find in the log which hooks of each plugin were called, and when last."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

MAX_FILES = 20  # estimate: the sessions of a few days
MARK = b'"type":"hooks.called"'
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
Times = dict[str, dict[str, float]]


def read_hook_times(sessions: Path) -> Times:
    """Return by plugin and hook when it was last called, in seconds since 1970, in the newest files of the log."""
    times: Times = {}
    for path in sorted(sessions.glob("*.jsonl*"))[-MAX_FILES:] if sessions.is_dir() else ():
        for one in read_activity(path):
            known = times.setdefault(one["plugin"], {})
            known[one["hook"]] = max(known.get(one["hook"], 0.0), one["last"])
    return times


def read_activity(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the fields of each ``HookActivity`` in a log file; the whole events would take longer to import."""
    import json

    from openkoi_runlog.segment_files import iterate_lines

    with suppress(OSError):
        for line in iterate_lines(path, 0):
            if MARK in line:
                with suppress(ValueError, KeyError):  # a damaged line, which `openkoi memory audit` reports
                    yield from json.loads(line)["data"]["activity"]


def format_hook_times(hooks: Mapping[str, float]) -> str:
    """Return the hooks of a plugin, and how long ago one was last called."""
    if not hooks:
        return "no hook called yet"
    return f"{', '.join(sorted(hooks))} (last called {format_age(time() - max(hooks.values()))} ago)"


def format_age(seconds: float) -> str:
    """Return a number of seconds in the largest unit that fits."""
    size, word = next(((size, word) for size, word in UNITS if seconds >= size), UNITS[-1])
    count = max(1, int(seconds // size))
    return f"{count} {word}{'' if count == 1 else 's'}"
