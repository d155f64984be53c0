"""Read the settings of a ``config.toml``, by dotted key."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Any

from openkoi_hookspecs import ConfigError

from .value import Setting

Table = Mapping[str, Any]
MAX_BYTES = 1_000_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8, whose codec without one every process has
PLUGIN_TABLE = 2  # keys of a plugin's own table, as in [hooks.guard]


def read_settings(path: Path) -> dict[str, Setting]:
    """Read a TOML file, if there is one."""
    content = b""
    try:
        content = read_regular_file(path).removeprefix(BYTE_ORDER_MARK)
        from tomllib import loads  # only where there is a file

        tables = loads(content.decode())
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: not valid UTF-8. Save the file as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        wrong = describe_toml_error(str(error))
        raise ConfigError(f"Invalid TOML in {path}: {wrong}. Fix the line, or move the file elsewhere.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    return {".".join(keys): Setting(value, str(path), keys) for keys, value in flatten(tables)}


def describe_toml_error(text: str) -> str:
    """Return tomllib's error; it names a repeated table as a tuple, and a repeated key not at all."""
    import re

    def name_table(found: re.Match[str]) -> str:
        keys = ".".join(re.findall(r"'(.+?)'", found[1]))
        return f"the table [{keys}] occurs twice"

    return re.sub(r"Cannot declare (\(.+?\)) twice", name_table, text).replace(
        "Cannot overwrite a value", "this key is set twice, or is both a value and a table"
    )


def read_regular_file(path: Path) -> bytes:
    """Return a file's bytes; reject a file that may never end, such as a pipe."""
    if not S_ISREG(path.stat().st_mode):
        raise ConfigError(f"{path} cannot be read: it is not a regular file. Move it elsewhere.")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path} cannot be read: it is larger than 1 MB. Shorten it, or move it elsewhere.")
    return content


def flatten(table: Table, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield each value with the keys that lead to it; an empty table counts as a value below a plugin's own table."""
    for key, value in table.items():
        keys = (*above, key)
        if isinstance(value, dict) and (value or len(above) < PLUGIN_TABLE):
            yield from flatten(value, keys)
        else:
            yield keys, value
