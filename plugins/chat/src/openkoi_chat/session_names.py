"""The names that the user gave to sessions, stored in a file of the chat."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from openkoi_base.files.private_files import write_atomically

MAX_NAME = 80


def read_names(path: Path) -> Mapping[str, str]:
    """Return the names of sessions by their ids."""
    with suppress(OSError, ValueError, AttributeError):
        return {id: str(name) for id, name in json.loads(path.read_text(encoding="utf-8")).items()}
    return {}


def name_session(path: Path, session: str, name: str) -> None:
    """Name a session; replace its old name."""
    names = {**read_names(path), session: name[:MAX_NAME]}
    write_atomically(path, json.dumps(names).encode())


def find_named(path: Path, name: str) -> str:
    """Return the session with a name; empty if there is none."""
    return next((id for id, known in reversed([*read_names(path).items()]) if known == name), "")
