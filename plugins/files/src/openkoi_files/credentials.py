"""Saved keys, readable by their user alone. Knows one file; asks nobody.

``credentials/providers.json`` maps a provider's name to its key; ``<name>.key`` files of older habits are read too.
"""

import json
from pathlib import Path
from typing import NamedTuple

from openkoi_hookspecs import ConfigError

from .filelock import locked
from .private import private_folder, read_text, replace_file

STORE = "providers.json"


class SavedKey(NamedTuple):
    """A key, and the file that it is in."""

    value: str
    file: str


def saved_key(folder: Path, name: str) -> SavedKey | None:
    """The key saved for a provider, if there is one."""
    store, single = folder / STORE, folder / f"{name}.key"
    key = read_store(store).get(name) if store.is_file() else None
    if isinstance(key, str) and key:
        return SavedKey(key, str(store))
    text = read(single).strip() if single.is_file() else ""
    return SavedKey(text, str(single)) if text else None


def saved_names(folder: Path) -> list[str]:
    """The providers whose keys are saved."""
    store = folder / STORE
    stored = read_store(store) if store.is_file() else {}
    return sorted({*stored, *(path.stem for path in folder.glob("*.key"))})


def save_key(folder: Path, name: str, key: str) -> Path:
    """Keep a key, in the place of an older one; raises ConfigError when the store cannot be read or written."""
    store = folder / STORE
    try:
        private_folder(folder)
        with locked(store):
            stored = read_store(store) if store.is_file() else {}
            replace_file(store, json.dumps({**stored, name: key}, indent=1, sort_keys=True))
    except OSError as error:
        raise ConfigError(f"{store} cannot be written: {error.strerror}. Make room, or mend the folder.") from None
    return store


def moved_in(folder: Path) -> list[Path]:
    """Move ``<name>.key`` files of older habits into the store; return them. A key that is there already stays."""
    moved = []
    for single in sorted(folder.glob("*.key")):
        saved = saved_key(folder, single.stem)
        if saved is not None:
            save_key(folder, single.stem, saved.value)
            single.unlink()
            moved.append(single)
    return moved


def read(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}. Mend it, or move it away and save the key anew.") from None


def read_store(store: Path) -> dict[str, object]:
    try:
        keys = json.loads(read(store))
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{store} is not valid JSON ({error}). Mend it, or move it away and save the keys anew."
        ) from None
    if not isinstance(keys, dict):
        raise ConfigError(f"{store} should hold one object: a key for each provider's name.")
    return keys
