"""Read the table ``[capabilities]`` of a manifest: what a sandboxed plugin requests. Nothing is granted by default.

[capabilities]
filesystem = ["read:~/notes/*.md"]
network = ["https://api.example.com/*"]
environment = ["ACME_TOKEN"]
memory = true
messages = ["slack"]
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openkoi_base.printable import is_one_line
from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .path_grants import PathGrant
from .url_patterns import UrlPattern

LISTS = ("filesystem", "network", "environment", "messages")
KEYS = (*LISTS, "memory")
MAX_LISTED = 100  # of a list; estimate: a user who is asked about more reads none
VERBS = {"read": "read", "write": "write", "readwrite": "read and write"}
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a plugin may do beyond computing. ``memory`` allows searching it, ``messages`` lists apps."""

    filesystem: tuple[PathGrant, ...] = ()
    network: tuple[UrlPattern, ...] = ()
    environment: tuple[str, ...] = ()
    memory: bool = False
    messages: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def may_read(self, path: Path, root: Path) -> bool:
        """Return whether a file may be read, wherever links lead."""
        return any(one.may_read and one.covers(path, root) for one in self.filesystem)

    def may_write(self, path: Path, root: Path) -> bool:
        """Return whether a file may be written, wherever links lead."""
        return any(one.may_write and one.covers(path, root) for one in self.filesystem)

    def may_fetch(self, url: str) -> bool:
        """Return whether an address may be fetched. Ask again for each redirect."""
        return any(one.matches(url) for one in self.network)

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the granted variables of an environment."""
        return {name: environment[name] for name in self.environment if name in environment}


NO_CAPABILITIES = Capabilities()


def read_capabilities(table: Mapping[str, Any], file: Path) -> Capabilities:
    """Return what a manifest's table requests; raise ConfigError, which names the file and the key."""
    try:
        return parse_table(table)
    except ConfigError as error:
        raise ConfigError(f"{file}: [capabilities] {error}") from None


def parse_table(table: Mapping[str, Any]) -> Capabilities:
    """Return what a table requests."""
    if unknown := sorted(table.keys() - {*KEYS}):
        raise ConfigError(f"has the unknown key {unknown[0]!r}. Use {', '.join(KEYS)}.")
    memory = table.get("memory", False)
    if not isinstance(memory, bool):
        raise ConfigError("memory must be true or false.")
    files, addresses, variables, apps = (read_list(table, key) for key in LISTS)
    if wrong := next((one for one in variables if not VARIABLE.fullmatch(one)), ""):
        raise ConfigError(f"environment: {wrong!r} is not a valid variable name.")
    return Capabilities(
        tuple(map(PathGrant.parse, files)),
        tuple(map(UrlPattern.parse, addresses)),
        variables,
        memory,
        apps,
        tuple(describe(table)),
    )


def read_list(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a key that is a list of strings."""
    found = table.get(key, ())
    if isinstance(found, str) or not isinstance(found, Sequence) or not all(isinstance(one, str) for one in found):
        raise ConfigError(f"{key} must be a list of strings.")
    if wrong := next((one for one in found if not is_one_line(one)), ""):
        raise ConfigError(f"{key}: {wrong[:200]!a} contains a line break or an invisible character. Remove it.")
    if len(found) > MAX_LISTED:
        raise ConfigError(f"{key} has more than {MAX_LISTED} entries.")
    return tuple(found)


def describe(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield each request in the words of the question to the user."""
    for one in read_list(table, "filesystem"):
        access, _, pattern = one.partition(":")
        yield f"{VERBS[access]} {pattern}"
    yield from (f"fetch {one}" for one in read_list(table, "network"))
    yield from (f"read the environment variable {one}" for one in read_list(table, "environment"))
    if table.get("memory"):
        yield "search memory"
    yield from (f"send messages with {one}" for one in read_list(table, "messages"))
