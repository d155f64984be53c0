"""Answer ``openkoi status`` and ``openkoi memory search WORDS`` without click, whose import takes as long as they do.

Anything else is left to the commands: options, errors and warnings, a log or a memory that must be changed.
"""

import os
import sys
from collections.abc import Sequence
from types import ModuleType

from .invocation import Invocation

STATUS, SEARCH = ["status"], ["memory", "search"]
RESULTS = 10
# Imported by dataclasses, urllib.parse and pathlib, and used by no command here.
SELDOM_USED = ("copy", "inspect", "ipaddress", "ntpath", "fnmatch")
ESCAPE = "\x1b"  # click removes colors where they are not shown


def answer(invocation: Invocation) -> int | None:
    """Print the answer to a line that only reads; return the exit status, or None if the command has to run."""
    words = invocation.launcher.arguments
    if not is_plain(words) or invocation.verbose or "_OPENKOI_COMPLETE" in os.environ:
        return None
    from .streams import open_missing_streams

    open_missing_streams()
    for name in SELDOM_USED:
        defer_import(name)
    try:
        text = read_status(invocation) if len(words) == 1 else search_memory(invocation, words[2:])
        if text is None or not can_print(text):
            return None
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except KeyboardInterrupt:
        from .entry import end_interrupted

        return end_interrupted(invocation)
    except Exception:  # the command reports the same error
        return None
    from .log_limit import limit_log

    limit_log(invocation)
    return 0


def defer_import(name: str) -> None:
    """Import a module when one of its names is first used."""

    def load(attribute: str) -> object:
        from importlib import import_module

        del sys.modules[name], deferred.__getattr__  # what the module lacks is then an AttributeError
        vars(deferred).update(vars(import_module(name)))
        return getattr(deferred, attribute)

    if name not in sys.modules:
        deferred = sys.modules[name] = ModuleType(name)
        vars(deferred)["__getattr__"] = load


def is_plain(words: Sequence[str]) -> bool:
    """Return whether words are one of the commands, without options."""
    if any(word.startswith("-") for word in words):
        return False
    return list(words) == STATUS or (list(words[:2]) == SEARCH and len(words) > 2)


def can_print(text: str) -> bool:
    """Return whether standard output can print a text unchanged."""
    return ESCAPE not in text and sys.stdout.encoding.lower() == "utf-8"


def read_status(invocation: Invocation) -> str | None:
    """Return the status; None if memory has to be opened for it."""
    from .status_text import format_status, read_state

    state = read_state(invocation.read())
    return format_status(invocation, state) if state else None


def search_memory(invocation: Invocation, words: Sequence[str]) -> str | None:
    """Return the hits from memory; None if it has to be opened, or if there is a warning."""
    from .memory_search import format_hits, read_items

    reader = invocation.read()
    hits = read_items(reader, invocation.paths, " ".join(words), RESULTS)
    return None if hits is None or reader.warnings() else reader.redact(format_hits(hits))
