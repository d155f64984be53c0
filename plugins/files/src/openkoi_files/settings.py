"""Settings in TOML files, by dotted key, each with where it stands. Knows values and their types; knows no key.

What was said in a variable or a flag is text, and is read as the number that is wanted.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeVar

from openkoi_hookspecs import ConfigError

T = TypeVar("T")
Table = Mapping[str, Any]
LARGEST = 2**1000
WORDS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)
LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it came from."""

    value: object
    origin: str


def typed(key: str, setting: Setting, kind: type[T]) -> T:
    value = setting.value
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
        value = float(value)
    if isinstance(value, str) and kind is bool and setting.origin.startswith(("$", "--")):
        value = WORDS.get(value.strip().lower(), value)
    if isinstance(value, str) and kind in (int, float) and setting.origin.startswith(("$", "--")):
        value = number(key, setting, kind)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise ConfigError(f"{key} in {setting.origin} is {value!r}; it should be of type {kind.__name__}.")


def number(key: str, setting: Setting, kind: type) -> object:
    try:
        return kind(setting.value)
    except ValueError:
        raise ConfigError(f"{setting.origin} is {setting.value!r}; {key} should be a number.") from None


def read_settings(path: Path) -> dict[str, Setting]:
    """Read a TOML file, if there is one."""
    try:
        tables = tomllib.loads(read_whole(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Mend the line, or move the file away.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    return {key: Setting(value, str(path)) for key, value in flatten(tables)}


def read_whole(path: Path) -> bytes:
    """A file's bytes, if it is one that ends soon: a pipe would keep us waiting."""
    if not S_ISREG(path.stat().st_mode):
        raise ConfigError(f"{path} cannot be read: it is no regular file. Move it away.")
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ConfigError(f"{path} cannot be read: it is larger than 1 MB. Move it away, or shorten it.")
    return content


def flatten(table: Table, prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
