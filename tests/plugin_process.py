"""Run any installed plugin in a separate process, also for suites with an event loop per call."""

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Paths, PluginNotFoundError
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext
from openkoi_loader.subprocess_plugin.members import Form, members_of
from openkoi_loader.subprocess_plugin.plugin import SubprocessPlugin, make_subprocess_plugin
from openkoi_settings import Config, Setting


def in_process_of_its_own(
    kind: str, target: str, settings: Mapping[str, object], environment: Mapping[str, str] | None = None
) -> Any:
    """Return a proxy for a plugin; enter it before use."""
    folder = Path(mkdtemp())
    own = {f"{kind}.acme.{name}": Setting(value, "config.toml") for name, value in settings.items()}
    config = Config(own, Paths(folder, folder), folder, environment=environment or {})
    return make_subprocess_plugin(Found(kind, "acme", target, "acme"), BuildContext(config, Redactor(), refuse, {}))


async def refuse(kind: str, name: str) -> object:
    """Inject nothing."""
    raise PluginNotFoundError(kind, name)


@cache
def background_loop() -> asyncio.AbstractEventLoop:
    """Return an event loop that runs in a thread until this process ends."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def wait_for(work: Coroutine[Any, Any, Any]) -> Any:
    """Run something in the background loop, and wait for it."""
    return asyncio.run_coroutine_threadsafe(work, background_loop()).result()


class InBackgroundLoop:
    """A plugin whose process belongs to the background loop; its methods can be awaited in any other one."""

    def __init__(self, plugin: SubprocessPlugin) -> None:
        wait_for(plugin.__aenter__())
        atexit.register(lambda: wait_for(plugin.__aexit__()))
        for name, member in members_of(plugin.process.found.kind).items():
            if hasattr(plugin, name):
                one = getattr(plugin, name)
                setattr(self, name, one if member.form is Form.VALUE else partial(self.call, one))

    async def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call a method in its loop."""
        running = asyncio.run_coroutine_threadsafe(method(*arguments, **named), background_loop())
        return await asyncio.wrap_future(running)


def sqlite(*, path: Path) -> Any:
    """Return the SQLite memory of a file."""
    return InBackgroundLoop(in_process_of_its_own("memory", "openkoi_sqlite:SQLite", {"path": str(path)}))


def duckdb(*, path: Path) -> Any:
    """Return the DuckDB memory of a file."""
    return InBackgroundLoop(in_process_of_its_own("memory", "openkoi_duckdb:DuckDB", {"path": str(path)}))
