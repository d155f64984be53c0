"""Format the status of the daemon and its apps, from the daemon's file. Does not import the assistant."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

STOPPED = "  Daemon: not running; to start it, run `openkoi daemon start`"


def format_daemon(folder: Path) -> list[str]:
    """Return the daemon's state, a line for each app, and its warnings; nothing if it was never started."""
    lock, state = folder / "daemon.lock", folder / "state.json"
    if not lock.exists():
        return []
    from openkoi_base.files.filelock import is_locked

    if not (is_locked(lock) and state.exists()):
        return [STOPPED]
    import json

    from .escape import escape_controls

    try:
        found: Mapping[str, Any] = json.loads(state.read_text())
    except (OSError, ValueError):  # it has just ended
        return [STOPPED]
    apps = [format_app(name, app, found.get("users", {}).get(name)) for name, app in found["apps"].items()]
    lines = [f"  Daemon: running (process {found['pid']})", *apps, *(f"    ! {one}" for one in found["warnings"])]
    return [escape_controls(line) for line in lines]  # users' names and errors come from elsewhere


def format_app(name: str, app: Mapping[str, str], users: str | None) -> str:
    """Return the state of an app, and who can send tasks to the assistant there; ``users`` is None if no user can."""
    detail = f": {app['detail'].rstrip('.')}" if app["detail"] else ""
    who = "" if users is None else f"; users: {users or 'none'}"
    return f"    {name}  {app['status']}{detail}{who}"
