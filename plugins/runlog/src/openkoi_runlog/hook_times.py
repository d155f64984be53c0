"""Find in the log which hooks of each plugin were called, and when they were last called."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .segment_files import iterate_lines

MAX_FILES = 20  # estimate: the sessions of a few days
MARK = b'"type":"hooks.called"'
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
    with suppress(OSError):
        for line in iterate_lines(path, 0):
            if MARK in line:
                with suppress(ValueError, KeyError):  # a damaged line, which `openkoi memory audit` reports
                    yield from json.loads(line)["data"]["activity"]
