"""The daemon's files, which show whether it is running; only one daemon may run for a data folder."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openkoi_base.files.filelock import is_locked, try_lock_file
from openkoi_hookspecs import Koi, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

FOLDER = "assistant"
STARTING_SECONDS = 10.0  # from its lock to its state (estimate)
LOCK_TRIES, LOCK_SECONDS = 5, 0.05  # a command that looks whether a daemon runs has the lock for a moment (estimate)
RUNNING = "The daemon is already running (process {pid}). For its status, run `openkoi daemon status`."


@dataclass(frozen=True, slots=True)
class DaemonFiles:
    """The files of the daemon in its private folder."""

    folder: Path

    @property
    def lock(self) -> Path:
        """The file that is locked while the daemon runs."""
        return self.folder / "daemon.lock"

    @property
    def state(self) -> Path:
        """The file with the daemon's state."""
        return self.folder / "state.json"

    @property
    def log(self) -> Path:
        """The file with the output of a daemon in the background."""
        return self.folder / "daemon.log"

    def is_running(self) -> bool:
        """Return whether a daemon runs."""
        return self.lock.exists() and is_locked(self.lock)

    def find_pid(self) -> object:
        """Return the process id of the running daemon; wait for one that is starting."""
        until = time.monotonic() + STARTING_SECONDS
        while not (state := self.read_state()) and self.is_running() and time.monotonic() < until:
            time.sleep(LOCK_SECONDS)
        return state.get("pid", "unknown")

    def read_state(self) -> dict[str, object]:
        """Return the running daemon's state; empty if none is running or it is still starting."""
        if not (self.is_running() and self.state.exists()):
            return {}
        try:
            found = json.loads(self.state.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def daemon_files(koi: Koi) -> DaemonFiles:
    """Return the files of the daemon."""
    return DaemonFiles(koi.folder(FOLDER))


@contextmanager
def alone(files: DaemonFiles) -> Iterator[None]:
    """Lock the data folder for this daemon; raise KoiError if another one is running."""
    for _ in range(LOCK_TRIES):
        with try_lock_file(files.lock) as free:
            if free:
                files.state.unlink(missing_ok=True)
                try:
                    yield
                finally:
                    files.state.unlink(missing_ok=True)
                return
        time.sleep(LOCK_SECONDS)
    raise KoiError(RUNNING.format(pid=files.find_pid()))
