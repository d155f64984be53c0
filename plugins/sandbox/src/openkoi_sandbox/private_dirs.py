"""What a confined command has besides its workspace: a cache folder that stays, a temporary folder that goes with us.

Both belong to one workspace alone: what is put into them reaches no other, and no program outside a cage.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from openkoi_hookspecs import KoiError

from .caches import links, variables
from .worktree import git_folders

UNUSED_DAYS = 30
DAY = 86_400
MARKER = "workspace"
UNREACHABLE = (
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "PULSE_SERVER",
    "TMUX",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_IPC_HOOK_CLI",
)


@dataclass(frozen=True, slots=True)
class Den:
    """Where it may write and read besides, where its temporary files go, and what its environment is told.

    ``git`` is the workspace's own folder of git's, where that lies elsewhere.
    """

    room: Path | None = None
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()
    git: tuple[Path, ...] = ()

    def is_there(self) -> bool:
        """Whether nobody has tidied it away meanwhile."""
        return all(place.is_dir() for place in (*filter(None, [self.room]), *self.writable))

    def environment(self, ours: Mapping[str, str]) -> dict[str, str]:
        """Ours, without the ways to programs that cannot be reached, and with what tools are told."""
        return {**{name: value for name, value in ours.items() if name not in self.untold}, **self.told}


def without_room(root: Path) -> Den:
    """Return what a command has that may write everywhere."""
    return Den(git=git_folders(root).own)


class Dens:
    """Makes dens, one for each workspace. Without a folder there are no caches."""

    def __init__(self, folder: Path | None, shared: Sequence[Path], passed: Sequence[str]) -> None:
        self.folder = folder
        self.shared = shared
        self.untold = frozenset(name for name in UNREACHABLE if not any(fnmatchcase(name, one) for one in passed))
        self.rooms: list[Path] = []
        self.made: dict[Path, Den] = {}
        self.making = threading.Lock()
        weakref.finalize(self, sweep, self.rooms)

    def of(self, root: Path) -> Den:
        """The den of a workspace: made once, but for what git needs, which a command may have changed."""
        root = root.resolve()
        with self.making:
            den = self.made.get(root)
            if den is None or not den.is_there():
                den = self.made[root] = self.new(root)
        git = git_folders(root)
        return replace(den, writable=(*den.writable, *git.written), readable=git.read, git=git.own)

    def new(self, root: Path) -> Den:
        """Make what a workspace has of its own."""
        room = Path(tempfile.mkdtemp(prefix="openkoi-")).resolve()
        self.rooms.append(room)
        if not self.folder:
            return Den(room, untold=self.untold)
        try:
            cache = cache_of(self.folder, root)
        except OSError as error:
            raise KoiError(f"Caches cannot be kept in {self.folder}: {error.strerror}. Make it writable.") from error
        told = variables(cache, Path.home(), os.environ, (*self.shared, root))
        return Den(room, (cache,), told=told, untold=self.untold)


def sweep(rooms: Sequence[Path]) -> None:
    """Take temporary folders away."""
    for room in rooms:
        remove(room)


def cache_of(folder: Path, root: Path) -> Path:
    """The cache folder of a workspace. It is made whole before any command could put something in its way."""
    place = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    if not place.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        forget_unused(folder, time.time() - UNUSED_DAYS * DAY)
        made = new_cache(folder, root)
        with contextlib.suppress(OSError):
            made.rename(place)
        remove(made)
    (place / MARKER).touch()
    return (place / "files").resolve()


def new_cache(folder: Path, root: Path) -> Path:
    """A folder with links to what is only read, beside a note of whose it is."""
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    (made / MARKER).write_text(str(root), errors="surrogateescape")
    (made / "files").mkdir()
    for name, target in links(Path.home(), os.environ):
        link = made / "files" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    return made


def forget_unused(folder: Path, since: float) -> None:
    """Remove the caches of workspaces that are gone, or were not worked in for long."""
    for marker in folder.glob(f"*/{MARKER}"):
        with contextlib.suppress(OSError):
            if marker.stat().st_mtime < since or not Path(marker.read_text(errors="surrogateescape")).is_dir():
                remove(marker.parent)


def remove(folder: Path) -> None:
    """Remove a folder with everything in it, also what was made read-only; links are not followed."""
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)  # noqa: PTH101  # as it comes from the walk
    shutil.rmtree(folder, ignore_errors=True)
