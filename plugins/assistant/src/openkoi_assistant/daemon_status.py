"""Report the status of the daemon from its files."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import Koi
from openkoi_hookspecs.lazy_dataclass import dataclass

from .connected_apps import connected_apps
from .daemon_files import DaemonFiles
from .database import open_database
from .hosted_app import AppStatus
from .inbox import Requests, State
from .outbox import Outbox, Stage
from .user_pairing import Members

GOOD = (AppStatus.WATCHING, AppStatus.CONNECTED, AppStatus.CONNECTING)


@dataclass(frozen=True, slots=True)
class DaemonReport:
    """The daemon's status. ``facts`` are for programs; ``names`` are all apps, ``users`` those of apps with chats."""

    running: bool
    names: Sequence[str] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    apps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    users: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, int] = field(default_factory=dict)
    outbox: Mapping[str, int] = field(default_factory=dict)

    @property
    def healthy(self) -> bool:
        """Whether the daemon runs, and all its apps are reachable."""
        return self.running and all(app["status"] in GOOD for app in self.apps.values())


def build_report(koi: Koi, files: DaemonFiles) -> DaemonReport:
    """Return the status of the daemon."""
    state = files.read_state()
    found = state.get("apps")
    apps: dict[str, dict[str, str]] = found if isinstance(found, dict) else {}
    hosted_users = state.get("users")
    names = sorted({*apps, *connected_apps(koi)})
    users = dict.fromkeys(hosted_users if isinstance(hosted_users, dict) else (), "") | list_users(files.folder)
    with contextlib.closing(open_database(files.folder)) as database:
        requests, outbox = Requests(database).counts(), Outbox(koi, database).counts()
    facts = {"running": files.is_running(), **state, "requests": requests, "outbox": outbox, "users": users}
    return DaemonReport(files.is_running(), names, facts, apps, users, requests, outbox)


def list_users(folder: Path) -> dict[str, str]:
    """Return who may send tasks to the assistant, by app."""
    with contextlib.closing(open_database(folder)) as database:
        members = Members(database)
        return {app: members.describe_all(app) for app in members.apps()}


def format_report(report: DaemonReport) -> Iterator[str]:
    """Yield the lines that a user reads."""
    if report.running:
        yield f"The daemon is running (process {report.facts.get('pid', 'unknown')})."
    else:
        yield "The daemon is not running. To start it, run `openkoi daemon start`."
    for name in report.names:
        app = report.apps.get(name, {})
        status = app.get("status", "not hosted; run `openkoi daemon restart`" if report.running else "not hosted")
        detail = f": {app['detail']}" if app.get("detail") else ""
        yield f"  {name:<12} {status}{detail}"
        if name in report.users:
            pair = f"none; to pair one, run `openkoi connect {name} --pair owner`"
            yield f"  {'':<12} users: {report.users[name] or pair}"
    waiting = report.requests.get(State.WAITING, 0)
    under_way = report.requests.get(State.NEW, 0) + report.requests.get(State.RUNNING, 0)
    yield f"  tasks: {under_way} running, {waiting} waiting for approval, {report.requests.get(State.DONE, 0)} done"
    unsent = report.outbox.get(Stage.QUEUED, 0) + report.outbox.get(Stage.SENDING, 0)
    if unsent or report.outbox.get(Stage.FAILED, 0):
        yield f"  posts: {unsent} queued, {report.outbox.get(Stage.FAILED, 0)} failed"
    warnings = report.facts.get("warnings")
    yield from (f"  ! {one}" for one in warnings) if isinstance(warnings, list) else ()
