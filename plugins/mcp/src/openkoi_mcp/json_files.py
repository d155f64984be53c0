"""Read servers from files in the format of other programs: an object ``mcpServers`` in a JSON file. Reads files."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openkoi_base.files import read_small_text

from .server_config import CALL_SECONDS, ServerConfig, ServerTable

PROJECT_FILE = ".mcp.json"
SERVERS = "mcpServers"
BYTE_ORDER_MARK = "\ufeff"  # which editors of Windows write


def user_file() -> Path:
    """Return the file that several programs of a user share."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder, "mcp", "servers.json")


def read_servers(file: Path, *, project: bool) -> tuple[list[ServerConfig], list[str]]:
    """Return the servers that a file lists, and a warning for each that cannot be used; nothing if it is missing."""
    try:
        listed = parse(read_small_text(file))
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        return [], [f"{file} cannot be read, so its MCP servers are not used: {why}."]
    servers, warnings = [], []
    for name, entry in listed:
        try:
            servers.append(ServerConfig(name, table_of(entry), str(file), project))
        except (TypeError, ValueError, OverflowError) as error:
            warnings.append(f"The MCP server {name!r} in {file} is not used: {error}.")
    return servers, warnings


def parse(text: str) -> Iterator[tuple[str, Any]]:
    document = json.loads(text.removeprefix(BYTE_ORDER_MARK))
    listed = document.get(SERVERS, None if document else {}) if isinstance(document, dict) else None
    if not isinstance(listed, dict):
        raise ValueError(f"it should contain an object {SERVERS}")
    return iter(listed.items())


def table_of(entry: Any) -> ServerTable:
    """Return an entry as a table of ours; raise TypeError for a value of the wrong type. Other keys are ignored."""
    if not isinstance(entry, dict):
        raise TypeError("it is not an object")
    return ServerTable(
        command=text(entry, "command"),
        args=tuple(texts(entry, "args")),
        env=mapping(entry, "env"),
        cwd=text(entry, "cwd"),
        url=text(entry, "url"),
        headers=mapping(entry, "headers"),
        transport=text(entry, "type") or text(entry, "transport"),
        timeout=number(entry, "timeout", CALL_SECONDS),
        enabled=entry.get("disabled") is not True,
    )


def text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise TypeError(f"{key} is not a string")
    return value


def number(entry: Mapping[str, Any], key: str, default: float) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{key} is not a number")
    return float(value)


def texts(entry: Mapping[str, Any], key: str) -> list[str]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError(f"{key} is not a list of strings")
    return value


def mapping(entry: Mapping[str, Any], key: str) -> dict[str, str]:
    value = entry.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise TypeError(f"{key} is not an object of strings")
    return value
