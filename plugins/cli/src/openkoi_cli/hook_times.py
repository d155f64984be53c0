"""Find in the log which hooks of each plugin were called, and when last."""

from collections.abc import Mapping
from pathlib import Path
from time import time

MAX_SESSIONS = 20  # estimate: those of a few days
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
Times = dict[str, dict[str, float]]


def read_hook_times(sessions: Path) -> Times:
    """Return by plugin and hook when it was last called, in seconds since 1970, in the newest sessions."""
    from openkoi_hookspecs.events import HooksCalled
    from openkoi_runlog import list_sessions, read_segment
    from openkoi_runlog.read_segments import list_session_segments
    from openkoi_runlog.select_records import make_filter

    times: Times = {}
    wanted = make_filter((HooksCalled,))
    newest = list_sessions(sessions)[-MAX_SESSIONS:]
    for path in (path for session in newest for path in list_session_segments(sessions, session)):
        for event in (record.event for record in read_segment(path, wanted=wanted)):
            for one in event.activity if isinstance(event, HooksCalled) else ():
                known = times.setdefault(one.plugin, {})
                known[one.hook] = max(known.get(one.hook, 0.0), one.last)
    return times


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
