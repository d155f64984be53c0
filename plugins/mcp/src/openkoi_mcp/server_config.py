"""Describe an MCP server as a config file does. Pure; adds no imports to startup."""

import re
from collections.abc import Mapping
from dataclasses import field
from math import inf
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

STDIO, HTTP, SSE = "stdio", "http", "sse"
TRANSPORTS = {"": "", STDIO: STDIO, HTTP: HTTP, "streamable-http": HTTP, "streamable_http": HTTP, SSE: SSE}
CALL_SECONDS = 30.0  # default of a call (estimate)
VARIABLE = r"\$\{(\w+)(?::-([^}]*))?\}"


@dataclass(frozen=True, slots=True)
class ServerTable:
    """``[mcp.servers.NAME]``, or one of ``[[mcp.servers]]``, which contains its ``name``.

    ``env`` sets variables, ``env_names`` passes on those of OpenKoi; with ``inherit_env`` the server gets all of them.
    A call may take ``timeout`` seconds. ``deferred`` says whether the tools are found by search instead of being sent
    with every request; by default, they are if there are many.
    """

    name: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    env_names: tuple[str, ...] = ()
    inherit_env: bool = False
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    transport: str = ""
    timeout: float = CALL_SECONDS
    deferred: bool | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class PluginsTable:
    """``[plugins.mcp]``."""

    servers: tuple[ServerTable, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server, the file that names it, and whether that is a project's file, which others may have written."""

    name: str
    table: ServerTable
    origin: str
    project: bool = False

    @property
    def transport(self) -> str:
        """How it is reached: stdio, http or sse."""
        return TRANSPORTS.get(self.table.transport.lower(), "") or (HTTP if self.table.url else STDIO)

    @property
    def command_line(self) -> str:
        """What is started or connected to, as written, without expanding variables."""
        import shlex

        return self.table.url or shlex.join([self.table.command, *self.table.args])

    @property
    def identity(self) -> Mapping[str, object]:
        """All settings that determine the command or URL, and its input."""
        table = self.table
        return {
            "name": self.name,
            "transport": self.transport,
            "command": [table.command, *table.args],
            "env": dict(sorted(table.env.items())),
            "env_names": sorted(table.env_names),
            "inherit_env": table.inherit_env,
            "cwd": table.cwd,
            "url": table.url,
            "headers": dict(sorted(table.headers.items())),
            "project": self.origin if self.project else "",
            "timeout": table.timeout if self.project else None,
        }

    @property
    def given_variables(self) -> list[str]:
        """The names of OpenKoi's variables whose values reach the server, beyond the usual four."""
        table = self.table
        texts = [table.command, *table.args, *table.env.values(), table.url, *table.headers.values()]
        expanded = {match[0] for text in texts for match in re.findall(VARIABLE, text)}
        return sorted({*expanded, *table.env_names})

    @property
    def problem(self) -> str:
        """Why it cannot be used as configured; empty if it can."""
        table = self.table
        if table.transport.lower() not in TRANSPORTS:
            return f"its transport {table.transport!r} is unknown; use stdio, http or sse"
        if not re.fullmatch(r"[\w.-]+", self.name):
            return "its name may contain only letters, digits, dots, dashes and underscores"
        if not 0 < table.timeout < inf:
            return "its timeout must be a number of seconds above 0"
        if self.transport == STDIO:
            return "" if table.command else "it has no command"
        return (
            ""
            if table.url.startswith(("https://", "http://", "${"))
            else "its url is missing, or does not begin with https:// or http://"
        )


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace ``${NAME}`` and ``${NAME:-default}``; a variable that is not set and has no default stays as it is."""

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        return variables.get(name) or (match[0] if default is None else default)

    return re.sub(VARIABLE, value, text)


def child_environment(table: ServerTable, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a server process gets, and no others."""
    usual = ("PATH", "HOME", "LANG", "TMPDIR")
    windows = ("SYSTEMROOT", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
    names = [*variables] if table.inherit_env else [*usual, *windows, *table.env_names]
    passed = {name: variables[name] for name in names if name in variables}
    return {**passed, **{name: expand(text, variables) for name, text in table.env.items()}}


def working_folder(config: ServerConfig, workspace: Path) -> Path:
    """Return the folder that a server is started in: the workspace, or the configured one, relative to it."""
    return workspace / Path(config.table.cwd).expanduser() if config.table.cwd else workspace
