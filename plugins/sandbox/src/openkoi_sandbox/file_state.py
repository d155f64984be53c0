"""Capture a file so that it can be restored: its bytes, its mode, or where a link leads."""

import os
import shutil
import stat
from dataclasses import field
from enum import Enum
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_CAPTURED_BYTES = 4_000_000  # bytes of one file; a protected file is a few kilobytes as a rule
TEMPORARY_PREFIX = ".openkoi-restoring-"


class FileKind(Enum):
    """The kinds of entries at a path."""

    FILE = "file"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileState:
    """A file's state. ``data`` is missing if the file was too large or unreadable; ``stamp`` changes with the file."""

    kind: FileKind
    mode: int = 0
    data: bytes | None = None
    target: str = ""
    stamp: tuple[int, ...] = field(default=(), compare=False)

    @property
    def changed_at_ns(self) -> int:
        """Return when it last changed (ctime), in nanoseconds; no program can set this time back."""
        return self.stamp[-1] if self.stamp else 1 << 63

    @property
    def text(self) -> str:
        """Return the bytes as text."""
        return (self.data or b"").decode("utf-8", "surrogateescape")


def capture_state(path: str, known: FileState | None = None) -> FileState | None:
    """Return the state of a path, read again only if its stamp has changed; None if it is not a file or link."""
    try:
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            return None
        stamp = (status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)
        return known if known and known.stamp == stamp else read_state(path, status, stamp)
    except (FileNotFoundError, NotADirectoryError):
        return None


def read_state(path: str, status: os.stat_result, stamp: tuple[int, ...]) -> FileState:
    """Read the state of a path."""
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return FileState(FileKind.LINK, target=os.readlink(path), stamp=stamp)  # noqa: PTH115  # Path would tidy it
    if not stat.S_ISREG(status.st_mode):
        return FileState(FileKind.OTHER, mode, stamp=stamp)
    data = None
    if status.st_size <= MAX_CAPTURED_BYTES:
        try:
            data = Path(path).read_bytes()
        except PermissionError:
            data = None
    return FileState(FileKind.FILE, mode, data, str(status.st_mtime_ns) if data is None else "", stamp)


def restore_state(path: str, state: FileState) -> None:
    """Restore a path to a state, whatever it is now; raise OSError if that fails."""
    place = Path(path)
    made = place.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{place.name}"[:200])
    made.unlink(missing_ok=True)
    if state.kind is FileKind.LINK:
        made.symlink_to(state.target)
    elif state.data is None:
        raise OSError(f"{path} was too large to save, so it cannot be restored")
    else:
        made.write_bytes(state.data)
        made.chmod(state.mode)
    made.replace(place)


def move_aside(path: str, goal: Path) -> None:
    """Move what is at a path to a folder that no program reads or runs."""
    goal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = Path(path)
    if place.is_symlink() or not (place.is_file() or place.is_dir()):
        what = f"a symbolic link to {os.readlink(path)}" if place.is_symlink() else "neither a file nor a folder"  # noqa: PTH115
        goal.write_text(f"This was {what}.\n", errors="surrogateescape")
        place.unlink()
        return
    shutil.move(path, goal)
    if goal.is_file():
        goal.chmod(0o600)
