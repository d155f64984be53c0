"""How far the log was read into the memory file, kept beside it: who finds nothing new there does not open the file.

It holds for the very state of the file that it was written for; of any other the file itself is asked.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from openkoi_search.file_version import file_version

from .database_file import DatabaseFile
from .schema import VERSION

Position = tuple[str, dict[str, int]]


def load_position(file: DatabaseFile) -> Position | None:
    """Return which file this is, and how far each segment was read; None where the file has to be asked."""
    try:
        content: Mapping[str, Any] = json.loads(file.beside("seen").read_bytes())
        if content["state"] != file_state(file):
            return None
        return str(content["born"]), {str(name): int(end) for name, end in content["segments"].items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def save_position(file: DatabaseFile, position: Position) -> None:
    """Note it, while the file is closed and locked; without it the file is opened, which is all that is lost."""
    born, segments = position
    content = {"state": file_state(file), "born": born, "segments": segments}
    fresh = file.beside(f"seen.{os.getpid()}")
    with suppress(OSError):
        fresh.write_text(json.dumps(content), encoding="utf-8")
        fresh.chmod(0o600)
        fresh.replace(file.beside("seen"))


def file_state(file: DatabaseFile) -> list[Any]:
    """Return what tells one state of a file from another, as JSON has it."""
    return [VERSION, *(list(stamp) if (stamp := file_version(path)) else None for path in (file.path, file.log))]
