"""Find in the log which hooks of each plugin were called, and when they were last called."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .segment_files import iterate_lines

MAX_FILES = 20  # estimate: the sessions of a few days
MARK = b'"type":"hooks.called"'
Times = dict[str, dict[str, float]]


def read_hook_times(sessions: Path) -> Times:
    """Return by plugin and hook when it was last called, in seconds since 1970, in the newest files of the log."""
    times: Times = {}
    for path in sorted(sessions.glob("*.jsonl*"))[-MAX_FILES:] if sessions.is_dir() else ():
        for plugin, hook, last in read_calls(path):
            known = times.setdefault(plugin, {})
            known[hook] = max(known.get(hook, 0.0), last)
    return times


def read_calls(path: Path) -> Iterator[tuple[str, str, float]]:
    """Yield the plugin, hook and last call of each ``HookActivity`` in a log file, without importing the events."""
    with suppress(OSError):
        for line in iterate_lines(path, 0):
            if MARK in line:
                with suppress(ValueError, KeyError, TypeError):  # damaged: `openkoi memory audit` reports it
                    yield from [
                        (one["plugin"], one["hook"], float(one["last"]))
                        for one in json.loads(line)["data"]["activity"]
                        if "last" in one  # the log leaves out defaults: a hook that was never called has no time
                    ]
