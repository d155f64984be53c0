"""Format which hooks of a plugin were called, and how long ago."""

from collections.abc import Mapping
from time import time

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


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
