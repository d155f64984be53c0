"""Change one setting in the user's own configuration, and leave everything else unchanged."""

from pathlib import Path
from typing import Any

from openkoi_base.files import lock_beside, private_folder, replace_file
from openkoi_hookspecs import ConfigError, Json


def write_setting(file: Path, key: str, value: Json) -> Path:
    """Set a dotted key, or remove it for None; raise ConfigError if the file cannot be read or written."""
    from tomlkit.exceptions import TOMLKitError

    try:
        private_folder(file.parent)
        with lock_beside(file):
            text = file.read_text(encoding="utf-8-sig") if file.is_file() else ""
            return replace_file(file, with_value(text, key.split("."), value))
    except TOMLKitError as error:
        raise ConfigError(f"Invalid TOML in {file}: {error}. Fix the file, or move it elsewhere.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"Cannot change {file}: {error}. Fix the file or its permissions, or move it elsewhere."
        ) from None


def with_value(text: str, path: list[str], value: Json) -> str:
    """Return the file's text with the setting in it, or without it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    document = tomlkit.parse(text)
    table: Any = document
    *tables, name = path
    for step in tables:
        if step not in table:
            table[step] = tomlkit.table()
        table = table[step]
        if not isinstance(table, dict):
            raise TOMLKitError(f"{step} is a value, but should be a table")
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    return tomlkit.dumps(document)
