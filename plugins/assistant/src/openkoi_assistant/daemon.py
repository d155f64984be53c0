"""Run the daemon, one for each data folder, until a signal (SIGTERM) ends it; a file contains its state."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import field
from datetime import UTC, datetime

import click

from openkoi_base.files import replace_file
from openkoi_base.grants.wildcards import find_wildcards
from openkoi_hookspecs import ConfigError, Koi, KoiError, PluginError
from openkoi_hookspecs.integrations import Documents, Messenger
from openkoi_hookspecs.lazy_dataclass import dataclass

from .background import sibling_command
from .connected_apps import connected_apps
from .daemon_files import DaemonFiles, alone, daemon_files
from .daemon_memory import collect_soon, use_one_malloc_arena
from .daemon_options import DaemonOptions, check_options
from .database import open_database
from .gateway import Gateway
from .schedules import follow_schedules

SHOW_SECONDS = 5.0  # until what could not be written is written again (estimate)
NOT_RELOADED = "The configuration was not reloaded, so the daemon still uses the previous one. {0}"


async def run_daemon(koi: Koi, options: DaemonOptions) -> bool:
    """Host all connected apps until a signal; return whether the daemon must start again."""
    check_options(options)
    return_memory = use_one_malloc_arena()
    files = daemon_files(koi)
    with alone(files), contextlib.closing(open_database(files.folder)) as database:
        gateway = Gateway(koi, database, options.tasks, options.workspace)
        log, begun = DaemonLog(koi), datetime.now(UTC).isoformat()

        def show() -> None:
            try:
                log.show(gateway)
                write_state(files, gateway, begun)
            except OSError:  # a full disk, which ends nothing that continues without it
                asyncio.get_running_loop().call_later(SHOW_SECONDS, show)

        gateway.changed, gateway.rested = show, return_memory
        for name in connected_apps(koi):
            try:
                await host(gateway, name)
            except KoiError as error:
                koi.warn(str(error))
        for warning in find_wildcards(koi):
            koi.warn(warning)
        show()
        gateway.keep(follow_schedules(gateway, options.schedules))
        signals = Signals(gateway)
        signals.listen()
        collect_soon()
        await gateway.run(signals.end)
    return signals.must_restart


@dataclass(slots=True)
class DaemonLog:
    """Prints changes with the time. ``shown`` is what was last printed about each app, task and warning."""

    koi: Koi
    shown: dict[str, str] = field(default_factory=dict)

    def show(self, gateway: Gateway) -> None:
        """Print the changes since the last call."""
        hosted = gateway.apps | gateway.libraries
        lines = {f"app {name}": f"{name}: {app.status} {app.detail}" for name, app in hosted.items()}
        lines |= {f"warning {text}": f"! {text}" for text in self.koi.warnings()}
        lines |= {f"task {name}": f"working on {name}" for name in gateway.turns.active}
        for key, line in lines.items():
            if self.shown.get(key) != line:
                click.echo(self.koi.redact(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}".rstrip()))
        self.shown = lines


async def host(gateway: Gateway, name: str) -> None:
    """Add an app to the gateway; raise KoiError if it cannot be loaded."""
    app = await load_app(gateway.koi, name)
    if isinstance(app, Messenger | Documents):
        gateway.host(name, app)


async def load_app(koi: Koi, name: str) -> object:
    """Return an app; raise KoiError if it cannot be loaded."""
    try:
        return await koi.load("integrations", name)
    except (ConfigError, PluginError) as error:
        raise KoiError(f"Cannot connect {name}: {error}") from None


async def check_daemon(koi: Koi, options: DaemonOptions) -> None:
    """Raise KoiError if a daemon with this configuration would not start, or could not host every app."""
    check_options(options)
    for name in connected_apps(koi):
        await load_app(koi, name)


@dataclass(slots=True)
class Signals:
    """The daemon's pending signals: to ``end``, or to restart with the new configuration."""

    gateway: Gateway
    end: asyncio.Event = field(default_factory=asyncio.Event)
    must_restart: bool = False

    def listen(self) -> None:
        """Handle the signals of this process. If the daemon has a terminal, losing it ends the daemon."""
        if sys.platform == "win32":  # its event loops take no signals: Ctrl-C ends the process
            return
        loop, has_terminal = asyncio.get_running_loop(), sys.stdin is not None and sys.stdin.isatty()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self.end.set)
        loop.add_signal_handler(signal.SIGHUP, self.end.set if has_terminal else self.ask_to_reload)

    def ask_to_reload(self) -> None:
        """Check the new configuration, and start again with it."""
        self.gateway.keep(self.reload())

    async def reload(self) -> None:
        """Start again if the configuration works; otherwise change nothing."""
        process = await asyncio.create_subprocess_exec(
            *sibling_command("check"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, printed = await process.communicate()
        if process.returncode:
            self.gateway.koi.warn(NOT_RELOADED.format(printed.decode(errors="replace").strip()))
            self.gateway.changed()
            return
        self.must_restart = True
        self.end.set()


def write_state(files: DaemonFiles, gateway: Gateway, begun: str) -> None:
    """Write the daemon's state to its file, for other processes."""
    apps = {
        name: {"status": app.status, "detail": gateway.koi.redact(app.detail), "since": app.since}
        for name, app in (gateway.apps | gateway.libraries).items()
    }
    users = {name: gateway.members.describe_all(name) for name in gateway.apps}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    warnings: Sequence[str] = [gateway.koi.redact(one) for one in gateway.koi.warnings()]
    facts = {"apps": apps, "users": users, "active": len(gateway.turns.active), "warnings": warnings}
    replace_file(files.state, json.dumps({"pid": os.getpid(), "begun": begun, "at": now, **facts}))
