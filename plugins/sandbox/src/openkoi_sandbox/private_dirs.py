"""Give a confined command a persistent cache folder and a temporary folder besides its workspace.

Both belong to one workspace: what is put into them reaches no other, and no program outside a sandbox.
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
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from openkoi_base.files import walk
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .tool_caches import bytecode_variables, cache_links, cache_variables
from .worktree import find_git_folders

UNUSED_DAYS = 30
DAY_SECONDS = 86_400
MARKER = "workspace"
UNREACHABLE_VARIABLES = (
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
class PrivateDirs:
    """The folders a command may write and read besides its workspace, its temporary folder, and variables.

    ``git`` is the workspace's own git folder, where that lies elsewhere.
    """

    temporary: Path | None = None
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    removed_variables: frozenset[str] = frozenset()
    git: tuple[Path, ...] = ()

    def exists(self) -> bool:
        """Return whether it still exists."""
        return all(place.is_dir() for place in (*filter(None, [self.temporary]), *self.writable))

    def environment(self, ours: Mapping[str, str]) -> dict[str, str]:
        """Return OpenKoi's environment without references to unreachable programs, and with the variables of tools."""
        return {**{name: value for name, value in ours.items() if name not in self.removed_variables}, **self.variables}


class PrivateDirsFactory:
    """Make private folders, one set for each workspace. Without a folder there are no caches."""

    def __init__(self, folder: Path | None, shared: Sequence[Path], passed: Sequence[str]) -> None:
        self.folder = folder
        self.shared = shared
        self.unreachable = frozenset(
            name for name in UNREACHABLE_VARIABLES if not any(fnmatchcase(name, one) for one in passed)
        )
        self.rooms: list[Path] = []
        self.made: dict[Path, PrivateDirs] = {}
        self.making = threading.Lock()
        weakref.finalize(self, remove_temporary, self.rooms)

    def dirs_for(self, root: Path) -> PrivateDirs:
        """Return the private folders of a workspace.

        Made once, except for what git needs, which a command may have changed.
        """
        root = root.resolve()
        with self.making:
            private = self.made.get(root)
            if private is None or not private.exists():
                private = self.made[root] = self.create(root)
        git = find_git_folders(root)
        return replace(private, writable=(*private.writable, *git.written), readable=git.read, git=git.own)

    def shared_dirs(self, root: Path) -> PrivateDirs:
        """Return the folders of an unconfined command: only Python's compiled files are redirected."""
        root = root.resolve()
        with self.making, contextlib.suppress(OSError):
            variables = bytecode_variables(open_cache(self.folder, root)) if self.folder and root.is_dir() else {}
            return PrivateDirs(variables=variables, git=find_git_folders(root).own)
        return PrivateDirs(git=find_git_folders(root).own)

    def create(self, root: Path) -> PrivateDirs:
        """Make the private folders of a workspace."""
        room = Path(tempfile.mkdtemp(prefix="openkoi-")).resolve()
        self.rooms.append(room)
        if not self.folder:
            return PrivateDirs(room, removed_variables=self.unreachable)
        try:
            cache = open_cache(self.folder, root)
        except OSError as error:
            raise KoiError(
                f"Cannot create caches in {self.folder}: {error.strerror}. Make the folder writable."
            ) from error
        variables = cache_variables(cache, Path.home(), os.environ, (*self.shared, root))
        return PrivateDirs(room, (cache,), variables=variables, removed_variables=self.unreachable)


def remove_temporary(rooms: Sequence[Path]) -> None:
    """Remove temporary folders."""
    for room in rooms:
        remove_tree(room)


def open_cache(folder: Path, root: Path) -> Path:
    """Return the cache folder of a workspace, created before any command could put something in its place."""
    place = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    if not place.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_unused(folder, time.time() - UNUSED_DAYS * DAY_SECONDS)
        made = create_cache(folder, root)
        with contextlib.suppress(OSError):
            made.rename(place)
        remove_tree(made)
    (place / MARKER).touch()
    return (place / "files").resolve()


def create_cache(folder: Path, root: Path) -> Path:
    """Create a folder with links to read-only content, next to a note that names its workspace."""
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    (made / MARKER).write_text(str(root), errors="surrogateescape")
    (made / "files").mkdir()
    for name, target in cache_links(Path.home(), os.environ):
        link = made / "files" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    return made


def remove_unused(folder: Path, since: float) -> None:
    """Remove the caches of workspaces that are gone, or long unused."""
    for marker in folder.glob(f"*/{MARKER}"):
        with contextlib.suppress(OSError):
            if marker.stat().st_mtime < since or not Path(marker.read_text(errors="surrogateescape")).is_dir():
                remove_tree(marker.parent)


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, including read-only content; links are not followed."""
    places = []
    for place, _, _ in walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)  # noqa: PTH101  # as it comes from the walk
        places.append(place)
    for place in reversed(places):  # the deepest first: removing a whole tree is a recursion
        shutil.rmtree(place, ignore_errors=True)
