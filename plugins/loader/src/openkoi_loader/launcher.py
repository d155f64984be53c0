"""Start frontends, and open OpenKoi for them. Heavy modules are imported on first use."""

import atexit
import gc
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from . import restore_interrupts
from .plugin_discovery import Found, Scan, resolve

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Frontend, Installation, OpenedKoi, Paths, PluginState, Reader

T = TypeVar("T")
FRONTENDS = "frontends"
CLI = "cli"
MISSING = "The command line of OpenKoi is not installed. Run `pip install openkoi-cli`."
YOUNG_OBJECTS = 30_000  # before a collection: a start makes 60,000 that stay, and a tenth of it was collecting them
NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class Launcher(NamedTuple):
    """The installed plugins, and the frontend's arguments. ``target`` names the function that opens OpenKoi."""

    found: Scan
    arguments: Sequence[str]
    version: str
    target: str
    config: str = ""

    def plugins(self, kind: str) -> Sequence[Found]:
        """List the installed plugins of a kind, by name."""
        return [one for one in self.found.found if one.kind == kind]

    def installation(self, *, config: str = "") -> "Installation":
        """Return all installed plugins, with the configuration's preferences if it can be read."""
        from .installation import list_installed

        return list_installed(self.found, self.paths(config=config))

    def check(self, plugin: "PluginState") -> str:
        """Import an installed plugin and return why it cannot be loaded; empty if it can."""
        from .installation import explain_broken

        return explain_broken(self.found, plugin)

    def paths(self, *, config: str = "") -> "Paths":
        """Return the locations of OpenKoi's files."""
        from openkoi_settings import find_paths

        return find_paths(config=config or self.config)

    def read(self, workspace: "Path | None" = None, *, config: str = "") -> "Reader":
        """Read the configuration and records for a folder without opening OpenKoi."""
        from pathlib import Path

        from .reader import read_installation

        return read_installation(self.found, self.paths(config=config), workspace or Path.cwd())

    def open(
        self,
        workspace: "Path | None" = None,
        *,
        config: str = "",
        flags: Mapping[str, object] = NO_OPTIONS,
        settings: Mapping[str, object] = NO_OPTIONS,
    ) -> "OpenedKoi":
        """Build OpenKoi as it is configured for a folder."""
        from pathlib import Path

        from openkoi_base.files import find_workspace

        open_koi = cast("Callable[..., OpenedKoi]", resolve(self.target))
        folder, options = workspace or find_workspace(Path.cwd()), {"flags": flags, "settings": settings}
        return open_koi(folder, config=config or self.config, found=self.found, **options)

    def main(self) -> int | str:
        """Start the frontend for a command line; return its exit status, or the error that the caller must handle."""
        if not self.plugins(FRONTENDS):
            return MISSING
        gc.set_threshold(YOUNG_OBJECTS)
        atexit.register(gc.freeze)  # what is left then goes with the process: Python would search it for cycles
        try:
            return self.start(*self.choose())
        except Exception as error:
            from openkoi_base.redact import current_redactor
            from openkoi_hookspecs import KoiError

            if isinstance(error, KoiError):
                return f"Error: {current_redactor()(str(error))}"
            raise

    def choose(self) -> tuple[str, Sequence[str]]:
        """Return which frontend to start, with its arguments: the command line, which starts the others, if installed.

        Otherwise the one that the first word names, the only one, or the configured one.
        """
        names, words = [one.name for one in self.plugins(FRONTENDS)], self.arguments
        if CLI not in names and words and words[0] in names:
            return words[0], words[1:]
        if CLI in names or len(names) == 1:
            return (CLI if CLI in names else names[0]), words
        from openkoi_settings import plugin_keys

        return self.open().setting(plugin_keys.USE_FRONTEND.name, str, CLI), words

    def start(self, name: str, arguments: Sequence[str] = (), *, config: str = "") -> int:
        """Start a frontend and return its exit status; raises KoiError, which names it, if it fails."""
        launcher = self._replace(arguments=tuple(arguments), config=config or self.config)
        if name != CLI:
            restore_interrupts()
        try:
            status = launcher.make(name).run(launcher)
            return (run_async(status) if isinstance(status, Awaitable) else status) or 0
        except Exception as error:  # a frontend is a plugin, and may raise anything
            from openkoi_base.isolation import format_error
            from openkoi_hookspecs import KoiError, PluginError

            if isinstance(error, KoiError):
                raise
            raise PluginError(name, "run", format_error(error)) from error

    def make(self, name: str) -> "Frontend":
        """Create a frontend with its settings. For one without parameters, OpenKoi is not opened."""
        for one in self.plugins(FRONTENDS):
            if one.name == name and (made := resolve_plain(one.target)):
                return made
        return run_async(self.load(name))

    async def load(self, name: str) -> "Frontend":
        """Load a frontend, and close the plugins that were injected into it."""
        from contextlib import AsyncExitStack

        koi = self.open()
        async with AsyncExitStack() as stack:
            stack.push_async_exit(koi)
            return cast("Frontend", await koi.load(FRONTENDS, name))


def resolve_plain(target: str) -> "Frontend | None":
    """Return the frontend of a class without parameters; None for any other, or if it cannot be imported."""
    try:
        found = resolve(target)
    except Exception:  # a plugin may raise anything; loading it explains what
        return None
    plain = isinstance(found, type) and found.__init__ is object.__init__ and hasattr(found, "run")  # type: ignore[misc]
    return cast("Callable[[], Frontend]", found)() if plain else None


async def wait(waiting: Awaitable[T]) -> T:
    """Await any awaitable."""
    return await waiting


def run_async(waiting: Awaitable[T]) -> T:
    """Run an awaitable in a separate event loop."""
    import asyncio

    return asyncio.run(wait(waiting))
