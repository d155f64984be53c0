"""Read and write saved API keys (credentials), readable only by their user.

``credentials/providers.json`` maps a provider's name to its key; ``<name>.key`` files of earlier tools are read as
well.
"""

import json
from pathlib import Path
from typing import NamedTuple

from openkoi_hookspecs import ConfigError

from .filelock import lock_beside
from .private_files import private_folder, read_small_text, replace_file

STORE_FILE = "providers.json"


class SavedKey(NamedTuple):
    """A key, and the file that contains it."""

    value: str
    file: str


def find_key(folder: Path, name: str) -> SavedKey | None:
    """Return the key saved for a provider, if there is one."""
    store, single = folder / STORE_FILE, folder / f"{name}.key"
    key = read_store(store).get(name) if store.is_file() else None
    if isinstance(key, str) and key:
        return SavedKey(key, str(store))
    text = read(single).strip() if single.is_file() else ""
    return SavedKey(text, str(single)) if text else None


def list_names(folder: Path) -> list[str]:
    """Return the providers whose keys are saved."""
    store = folder / STORE_FILE
    stored = read_store(store) if store.is_file() else {}
    return sorted({*stored, *(path.stem for path in folder.glob("*.key"))})


def save_key(folder: Path, name: str, key: str) -> Path:
    """Save a key, replacing an older one; raise ConfigError if the store cannot be read or written."""
    store = folder / STORE_FILE
    try:
        private_folder(folder)
        with lock_beside(store):
            stored = read_store(store) if store.is_file() else {}
            replace_file(store, json.dumps({**stored, name: key}, indent=1, sort_keys=True))
    except OSError as error:
        from .write_errors import describe_write_error

        raise ConfigError(f"Cannot write {store}: {describe_write_error(error)}.") from None
    return store


def migrate_key_files(folder: Path) -> list[Path]:
    """Move ``<name>.key`` files into the store and return them. Keys that are already in the store are kept."""
    moved = []
    for single in sorted(folder.glob("*.key")):
        saved = find_key(folder, single.stem)
        if saved is not None:
            save_key(folder, single.stem, saved.value)
            single.unlink()
            moved.append(single)
    return moved


def read(path: Path) -> str:
    try:
        return read_small_text(path)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path} cannot be read: {error}. Fix the file, or move it elsewhere and save the key again."
        ) from None


def read_store(store: Path) -> dict[str, object]:
    try:
        keys = json.loads(read(store))
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{store} is not valid JSON ({error}). Fix the file, or move it elsewhere and save the keys again."
        ) from None
    if not isinstance(keys, dict):
        raise ConfigError(
            f"{store} must contain one JSON object that maps provider names to keys. "
            "Fix the file, or move it elsewhere and save the keys again."
        )
    return keys
