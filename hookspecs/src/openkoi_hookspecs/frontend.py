"""Frontends: the user interfaces of OpenKoi, and what starts one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, Self

from .configuration import Paths
from .plugin_entry import Installation, InstalledPlugin, PluginState
from .reading import Reader
from .run import HookReturn, Koi

NO_SETTINGS: Mapping[str, object] = MappingProxyType({})


class OpenedKoi(Koi, Protocol):
    """OpenKoi as a frontend opens it, for one folder.

    Enter it before use: that registers the hooks. Leaving it stops all active runs and closes the plugins. Methods that
    call no hook, such as ``load``, also work before it is entered.
    """

    async def __aenter__(self) -> Self:
        """Register the hooks, and discover the plugins of plugin sources."""

    async def __aexit__(self, *error: object) -> None:
        """Stop all active runs, and close the plugins."""


class Launcher(Protocol):
    """What the program ``openkoi`` provides to the frontend that it starts."""

    @property
    def version(self) -> str:
        """The version of OpenKoi."""

    @property
    def arguments(self) -> Sequence[str]:
        """The command-line arguments after the frontend's name."""

    def plugins(self, kind: str) -> Sequence[InstalledPlugin]:
        """List the installed plugins of a kind, by name, without reading settings."""

    def installation(self, *, config: str = "") -> Installation:
        """Return all installed plugins, with the configuration's preferences if it can be read."""

    def check(self, plugin: PluginState) -> str:
        """Import an installed plugin and return why it cannot be loaded; empty if it can.

        Its import may end or block the process: check it in a child.
        """

    def paths(self, *, config: str = "") -> Paths:
        """Return the locations of OpenKoi's files, as ``open`` uses them, without reading any file."""

    def read(self, workspace: Path | None = None, *, config: str = "") -> Reader:
        """Read the configuration and records for a folder without opening OpenKoi. Raises ConfigError."""

    def open(
        self,
        workspace: Path | None = None,
        *,
        config: str = "",
        flags: Mapping[str, object] = NO_SETTINGS,
        settings: Mapping[str, object] = NO_SETTINGS,
    ) -> OpenedKoi:
        """Build OpenKoi as it is configured for a folder.

        That is the root of the repository or project that the current folder is in, unless another one is given.
        ``config`` replaces the user's config file. ``settings``, by dotted key, override what is configured; so
        do ``flags``, the options of ``openkoi`` by name, in which None means that an option is not given. Raises
        ConfigError.
        """

    def start(self, name: str, arguments: Sequence[str] = (), *, config: str = "") -> int:
        """Start another frontend and return its exit status; ``config`` is the config file that it opens.

        Raises PluginNotFoundError, ConfigError, and PluginError for any other error.
        """


class Frontend(Protocol):
    """How a user interacts with OpenKoi: a command line, a chat, a web page. Group ``openkoi.frontends``.

    ``web`` is started by ``openkoi web ...``, and by ``openkoi`` alone if ``[use] frontend`` selects it.
    """

    def run(self, launcher: Launcher) -> HookReturn[int]:
        """Run until the user leaves; return the exit status. ``def``, or ``async def`` if it waits."""
