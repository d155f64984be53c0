"""Save the read position: how far the log has been ingested into the memory file, and the number of items.

It is valid only for the state of the file that it was saved for; for any other state, the file itself is read.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from openkoi_search.file_version import file_version

from .database_file import DatabaseFile
from .schema import VERSION


class Position(NamedTuple):
    """The state of the file, how far each segment was read into it, and the number of items in it."""

    born: str
    segments: dict[str, int]
    entries: int


def load_position(file: DatabaseFile) -> Position | None:
    """Return the saved position; None if the file itself must be read."""
    try:
        content: Mapping[str, Any] = json.loads(file.beside("seen").read_bytes())
        if content["state"] != file_state(file):
            return None
        segments = {str(name): int(end) for name, end in content["segments"].items()}
        return Position(str(content["born"]), segments, int(content["entries"]))
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def save_position(file: DatabaseFile, position: Position) -> None:
    """Save the position while the file is closed and locked. If that fails, the file is opened next time."""
    content = {"state": file_state(file), **position._asdict()}
    fresh = file.beside(f"seen.{os.getpid()}")
    with suppress(OSError):
        fresh.write_text(json.dumps(content), encoding="utf-8")
        fresh.chmod(0o600)
        fresh.replace(file.beside("seen"))


def file_state(file: DatabaseFile) -> list[Any]:
    """Return what identifies a state of a file, as JSON."""
    return [VERSION, *(list(stamp) if (stamp := file_version(path)) else None for path in (file.path, file.log))]
