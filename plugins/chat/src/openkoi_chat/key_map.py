"""Read the user's own key bindings from ``keys.toml``, next to the config file.

Each line names an action and its keys: ``queue = "ctrl-q"``, ``editor = ["ctrl-g", "f4"]``; ``search = []`` unbinds.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from prompt_toolkit.key_binding import KeyBindings

from openkoi_hookspecs import ConfigError

from .key_bindings import read_key
from .key_table import ACTIONS, KeyAction

FILE = "keys.toml"


def read_key_map(path: Path) -> tuple[KeyAction, ...]:
    """Return the actions with the user's keys; raise ConfigError if the file cannot be used."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ACTIONS
    except (OSError, ValueError) as error:
        raise ConfigError(f"Cannot use the keys in {path}: {error}.") from None
    return apply_key_map({name: read_keys(name, value, path) for name, value in found.items()})


def read_keys(name: str, value: object, path: Path) -> tuple[str, ...]:
    """Return the keys in a line of the file; raise ConfigError if the action or a key is unknown."""
    if name not in {one.name for one in ACTIONS}:
        known = ", ".join(one.name for one in ACTIONS)
        raise ConfigError(f"Unknown action {name!r} in {path}. Actions: {known}.")
    keys = [value] if isinstance(value, str) else value
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ConfigError(f'{path}: {name} takes a key or a list of keys, such as "ctrl-q" or ["ctrl-q", "f4"].')
    for key in keys:
        if not is_key(key):
            raise ConfigError(f'Unknown key {key!r} for {name} in {path}. Examples: "ctrl-q", "alt-enter", "f4".')
    return tuple(keys)


def is_key(key: str) -> bool:
    """Return whether prompt_toolkit supports a key."""
    if not (presses := read_key(key)):
        return False
    try:
        KeyBindings().add(*presses)
    except ValueError:
        return False
    return True


def apply_key_map(given: Mapping[str, Sequence[str]]) -> tuple[KeyAction, ...]:
    """Return the actions with the user's keys; a key that the user assigns loses its default action."""
    taken = {read_key(key) for keys in given.values() for key in keys}
    unchanged = (
        replace(one, keys=tuple(key for key in one.keys if read_key(key) not in taken))
        for one in ACTIONS
        if one.name not in given
    )
    return (*unchanged, *(replace(one, keys=tuple(given[one.name])) for one in ACTIONS if one.name in given))
