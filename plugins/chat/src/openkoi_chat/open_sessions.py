"""Keep each session open in only one chat, with a file for the state of that chat.

The lock ends with the process, so that a killed chat can be continued; a second chat continues in a copy.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import is_run_active, lock_run
from openkoi_hookspecs import KoiError

from .saved_state import SavedState, load_state, save_state

MAX_FILES = 50  # of a workspace; the newest are kept


class OpenSession:
    """The session that this chat has open, and the states of other chats in its workspace."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self.folder = folder
        self.prefix = sha256(str(workspace).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.session = ""
        self.lock = ExitStack()

    def file_of(self, session: str) -> Path:
        """Return the file of a session's state."""
        return self.folder / f"{self.prefix}-{session}.json"

    def states(self) -> Iterator[SavedState]:
        """Yield the states of chats in this workspace, the newest first; files beyond a number are removed."""
        files = sorted(self.folder.glob(f"{self.prefix}-*.json"), key=read_time, reverse=True)
        for file in files[MAX_FILES:]:
            file.unlink(missing_ok=True)
        yield from map(load_state, files[:MAX_FILES])

    def is_elsewhere(self, session: str) -> bool:
        """Return whether another chat has a session open."""
        return session != self.session and is_run_active(self.folder, session)

    def hold(self, session: str) -> bool:
        """Open a session instead of the previous one; return whether no other chat has it open.

        If no lock can be written, as on a full disk, it is opened without one.
        """
        if session == self.session:
            return True
        lock = ExitStack()
        try:
            lock.enter_context(lock_run(self.folder, session))
        except KoiError:
            return not is_run_active(self.folder, session)
        if self.session:
            self.file_of(self.session).unlink(missing_ok=True)  # its draft has moved
        self.lock.close()
        self.lock, self.session = lock, session
        return True

    def save(self, state: SavedState, *, is_empty: bool) -> None:
        """Save the state of this chat, unless nothing was asked or written in it."""
        if not self.hold(state.session):
            return
        if is_empty and not state.has_unsent:
            self.file_of(state.session).unlink(missing_ok=True)
        else:
            save_state(self.file_of(state.session), state)

    def close(self) -> None:
        """Let other chats open the session."""
        self.lock.close()


def read_time(file: Path) -> int:
    """Return when a file was last written; 0 if it no longer exists."""
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
