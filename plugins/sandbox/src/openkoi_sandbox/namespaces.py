"""Build bubblewrap's arguments from a policy: namespaces, without a network if it is blocked, and mounted folders."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sandbox_policy import SandboxPolicy, is_within

PRIVATE_FOLDERS = (Path("/tmp"), Path("/var/tmp"), Path("/run"))
VISIBLE_IN_RUN = (Path("/run/current-system"), Path("/run/wrappers"), Path("/run/opengl-driver"))
UNSHARED = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
PROCESS_OPTIONS = ("--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
BASE_MOUNTS = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")


@dataclass(frozen=True, slots=True)
class MountLayout:
    """The parts of the system that a command sees.

    Its workspace, with read-only paths in it, what it needs besides, other programs' sockets, and the folder
    for temporary files.
    """

    root: Path
    needed: tuple[Path, ...] = ()
    sockets: tuple[Path, ...] = ()
    temporary: Path | None = None
    read_only: tuple[Path, ...] = ()

    @property
    def pinned_folders(self) -> tuple[Path, ...]:
        """Folders that must not be moved away, along with the read-only paths in them."""
        return tuple(dict.fromkeys(path.parent for path in self.read_only if path.parent.name == ".git"))


def bwrap_arguments(program: str, policy: SandboxPolicy, laid: MountLayout) -> list[str]:
    """Return bubblewrap's command line.

    The system read-only, the workspace writable, private or hidden paths covered.
    """
    root = laid.root
    covered = [path for path in (*PRIVATE_FOLDERS, *policy.hidden) if path_exists(path)]
    wanted = [path for path in (*laid.needed, *VISIBLE_IN_RUN, *policy.readable) if path_exists(path)]
    opened = [*filter(path_exists, policy.writable), root]
    inside = [path for path in covered if is_within(path, opened) and path not in opened]
    left = [path for path in laid.sockets if not is_within(path, [*covered, *opened]) and path not in policy.readable]
    return [
        program,
        *UNSHARED,
        *(() if policy.network else ("--unshare-net",)),
        *PROCESS_OPTIONS,
        *BASE_MOUNTS,
        *flatten(cover_path(path) for path in outermost_paths(covered)),
        *(("--bind", str(laid.temporary), str(PRIVATE_FOLDERS[0])) if laid.temporary else ()),
        *flatten(("--ro-bind", "/dev/null", str(path)) for path in left),
        *flatten(expose_path(path) for path in wanted if is_within(path, covered) and not is_within(path, opened)),
        *flatten(("--bind", str(path), str(path)) for path in opened),
        *flatten(("--bind-try", str(path), str(path)) for path in laid.pinned_folders),
        *flatten(("--ro-bind-try", str(path), str(path)) for path in laid.read_only),
        *flatten(cover_path(path) for path in outermost_paths(inside)),
        *flatten(expose_path(path) for path in wanted if is_within(path, inside)),
        *("--chdir", str(root), "--"),
    ]


def expose_path(path: Path) -> tuple[str, ...]:
    """Make a covered path readable again."""
    return ("--ro-bind", str(path), str(path))


def path_exists(path: Path) -> bool:
    """Return whether a path exists and is visible to us."""
    return os.access(path, os.F_OK)


def cover_path(path: Path) -> tuple[str, ...]:
    """Cover a path with an empty folder or file."""
    if path.is_dir():
        return ("--perms", "1777", "--tmpfs", str(path)) if path in PRIVATE_FOLDERS[:2] else ("--tmpfs", str(path))
    return ("--ro-bind", "/dev/null", str(path))


def outermost_paths(paths: Sequence[Path]) -> list[Path]:
    """Return the paths that are not in any of the others."""
    return [path for path in dict.fromkeys(paths) if not is_within(path, [other for other in paths if other != path])]


def flatten(groups: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield all words of all groups."""
    return (word for group in groups for word in group)


def name_service_folders() -> tuple[Path, ...]:
    """Return the paths that host name lookups need; they are often in a covered folder."""
    place = Path("/etc/resolv.conf")
    return (place.resolve(),) if place.exists() else ()


def bound_sockets(listing: str) -> Iterator[Path]:
    """Yield the sockets on which programs listen, from the kernel's list; those without a path are omitted."""
    for line in listing.splitlines()[1:]:
        path = line.split(maxsplit=7)[7:]
        if path and path[0].startswith("/") and is_socket(Path(path[0])):
            yield Path(path[0]).resolve()


def is_socket(path: Path) -> bool:
    """Return whether there is a socket that we could reach."""
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False
