"""Define ``openkoi daemon``: start, stop and inspect the process that hosts the apps."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import click

from openkoi_base.printable import make_printable
from openkoi_hookspecs import Koi, KoiError

from .background import replace_process
from .daemon_files import RUNNING, DaemonFiles, daemon_files
from .daemon_options import DaemonOptions, Schedule

NOT_RUNNING = "The daemon is not running. To start it, run `openkoi daemon start`."
STOP_FIRST = (
    "The daemon is running (process {pid}), and the service would start a second one. "
    "Run `openkoi daemon stop`, then `openkoi daemon install`."
)
NO_SCHEDULES: Mapping[str, Schedule] = MappingProxyType({})
NO_LOG = "The daemon has no log yet. To start it, run `openkoi daemon start`."
NO_LOG_OF_SERVICE = (
    "The daemon was not started by `openkoi daemon start`, so its output is in its terminal or in the log "
    "of its service. With systemd, run `journalctl --user -u openkoi`."
)
MAX_SHOWN_BYTES = 1_000_000  # of the end of a log, in which the last lines are looked for (estimate)
START_SECONDS, STOP_SECONDS, POLL_SECONDS = 30.0, 30.0, 0.05


def make_daemon(
    *, tasks: int = 8, workspace: str = "", schedules: Mapping[str, Schedule] = NO_SCHEDULES
) -> click.Group:
    """Return the command. ``[commands.daemon]``: ``tasks`` run at once; ``workspace`` is their folder."""
    options = DaemonOptions(tasks=tasks, workspace=workspace, schedules=schedules)
    daemon = click.Group("daemon", help="Run tasks from chats in the background: start, stop, status, logs, install.")
    configured = make_run(options), make_check(options), make_reload(options)
    for command in (*configured, start, stop, restart, status, logs, install, uninstall):
        daemon.add_command(command)
    return daemon


def make_run(options: DaemonOptions) -> click.Command:
    """Return ``openkoi daemon run``."""

    @click.command()
    @click.pass_obj
    async def run(koi: Koi) -> None:
        """Run the daemon in the foreground until Ctrl-C."""
        from .daemon import run_daemon

        click.echo("The daemon is running.")
        if await run_daemon(koi, options):
            click.echo("The daemon is restarting to reload its configuration.")
            replace_process()
        else:
            click.echo("The daemon has stopped.")

    return run


def make_check(options: DaemonOptions) -> click.Command:
    """Return ``openkoi daemon check``."""

    @click.command()
    @click.pass_obj
    async def check(koi: Koi) -> None:
        """Check whether the daemon can start with this configuration."""
        from .daemon import check_daemon

        await check_daemon(koi, options)
        click.echo("The configuration is valid: the daemon can start with it.")

    return check


def make_reload(options: DaemonOptions) -> click.Command:
    """Return ``openkoi daemon reload``."""

    @click.command()
    @click.pass_obj
    async def reload(koi: Koi) -> None:
        """Reload the daemon's configuration if it is valid; running tasks are resumed."""
        from .daemon import check_daemon

        files = daemon_files(koi)
        if not files.is_running():
            raise KoiError(NOT_RUNNING)
        await check_daemon(koi, options)
        click.echo(koi.redact(reload_daemon(files)))

    return reload


@click.command()
@click.pass_obj
async def start(koi: Koi) -> None:
    """Start the daemon in the background."""
    files = daemon_files(koi)
    if files.is_running():
        raise KoiError(RUNNING.format(pid=files.find_pid()))
    click.echo(koi.redact(start_in_background(files, koi)))


@click.command()
@click.pass_obj
async def stop(koi: Koi) -> None:
    """Stop the daemon; unfinished tasks are resumed when you start it again."""
    files = daemon_files(koi)
    if not files.is_running():
        raise KoiError(NOT_RUNNING)
    end_daemon(files)
    click.echo("The daemon has stopped.")


@click.command()
@click.pass_obj
async def restart(koi: Koi) -> None:
    """Restart the daemon with the current configuration, or start it; no messages are lost."""
    files = daemon_files(koi)
    if files.is_running():
        end_daemon(files)
    click.echo(koi.redact(start_in_background(files, koi)))


@click.command()
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def status(koi: Koi, /, layout: str) -> int:
    """Show the state of the daemon, its apps and its tasks; exit with status 1 if something is wrong."""
    import json

    from .daemon_status import build_report, format_report

    report = build_report(koi, daemon_files(koi))
    click.echo(json.dumps(report.facts) if layout == "json" else koi.redact("\n".join(format_report(report))))
    return 0 if report.healthy else 1


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=50, show_default=True, help="Number of lines to show.")
@click.pass_obj
async def logs(koi: Koi, /, count: int) -> None:
    """Show the last lines of the daemon's log."""
    files = daemon_files(koi)
    if not files.log.exists():
        raise KoiError(NO_LOG_OF_SERVICE if files.is_running() else NO_LOG)
    click.echo(koi.redact(make_printable(read_end(files.log, count))))


@click.command()
@click.pass_obj
async def install(koi: Koi) -> None:
    """Start the daemon now and at each login, with systemd or launchd."""
    from .service import install_service

    if (files := daemon_files(koi)).is_running():
        raise KoiError(STOP_FIRST.format(pid=files.find_pid()))
    click.echo(install_service(koi.workspace))


@click.command()
@click.pass_obj
async def uninstall(koi: Koi) -> None:
    """Stop the daemon, and no longer start it at login."""
    from .service import uninstall_service

    click.echo(uninstall_service())


def read_end(log: Path, count: int) -> str:
    """Return the last lines of a log of any size and content."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - MAX_SHOWN_BYTES))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-count:])


def start_in_background(files: DaemonFiles, koi: Koi) -> str:
    """Start a process that outlives this one; return what to print once it runs, raise KoiError if it ends."""
    from .background import start_process

    process = start_process(files.log, Path(koi.workspace))
    until = time.monotonic() + START_SECONDS
    while not is_state_of(process.pid, state := files.read_state()):
        if process.poll() is not None:
            if state:  # of another daemon, which was started at the same time
                raise KoiError(RUNNING.format(pid=state.get("pid", "unknown")))
            reason = make_printable(read_end(files.log, 1).strip())
            raise KoiError(f"The daemon did not start: {reason or 'see `openkoi daemon logs`'}")
        if time.monotonic() > until:
            raise KoiError("The daemon did not start in time. Run `openkoi daemon logs`.")
        time.sleep(POLL_SECONDS)
    return describe(state)


def is_state_of(pid: int, state: Mapping[str, object]) -> bool:
    """Return whether the state is that of a process; in a virtualenv on Windows, of its child."""
    return bool(state) and (state.get("pid") == pid or sys.platform == "win32")


def describe(state: Mapping[str, object]) -> str:
    """Return a line about the running daemon and its apps."""
    apps = state.get("apps")
    hosted = ", ".join(apps) if isinstance(apps, dict) and apps else "no app; run `openkoi connect --list`"
    return f"The daemon is running (process {state['pid']}) and hosts {hosted}."


def reload_daemon(files: DaemonFiles) -> str:
    """Ask the daemon to start again, and wait until it has; return what to print."""
    import os
    import signal

    if sys.platform == "win32":
        raise KoiError("Reloading is not supported on Windows. Run `openkoi daemon restart`.")
    if not (before := files.read_state()):
        raise KoiError("The daemon is still starting. Run `openkoi daemon reload` again in a few seconds.")
    os.kill(int(str(before["pid"])), signal.SIGHUP)
    until = time.monotonic() + START_SECONDS
    while not (state := files.read_state()) or state["begun"] == before["begun"]:
        if time.monotonic() > until:
            raise KoiError("The daemon did not reload in time. Run `openkoi daemon logs`.")
        time.sleep(POLL_SECONDS)
    return describe(state)


def end_daemon(files: DaemonFiles) -> None:
    """Ask the daemon to end, and wait until it has; raise KoiError if it does not."""
    import os
    import signal

    until = time.monotonic() + STOP_SECONDS
    asked = False
    while files.is_running():
        pid = files.read_state().get("pid")
        if not asked and isinstance(pid, int):
            os.kill(pid, signal.SIGTERM)
            asked = True
        if time.monotonic() > until:
            raise KoiError(f"The daemon (process {pid}) did not stop. Check `openkoi daemon logs`.")
        time.sleep(POLL_SECONDS)
