"""Level 3: bubblewrap's namespaces. Pure but for looking at what exists: a policy in, words for bubblewrap out."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .policy import Policy, is_within

PRIVATE = (Path("/tmp"), Path("/var/tmp"), Path("/run"))
FROM_RUN = (Path("/run/current-system"), Path("/run/wrappers"), Path("/run/opengl-driver"))
UNSHARED = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
MANNERS = ("--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
FRESH = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a command sees: its workspace, with ``sealed`` paths in it that are read-only, what it needs besides,
    other programs' sockets, and the room for temporary files.
    """

    root: Path
    needed: tuple[Path, ...] = ()
    sockets: tuple[Path, ...] = ()
    room: Path | None = None
    sealed: tuple[Path, ...] = ()

    @property
    def pinned(self) -> tuple[Path, ...]:
        """Folders that must not be moved away, along with what is sealed in them."""
        return tuple(dict.fromkeys(path.parent for path in self.sealed if path.parent.name == ".git"))


def words(program: str, policy: Policy, laid: Layout) -> list[str]:
    """Bubblewrap and all it is told: the system read-only, the workspace open, what is private or hidden covered."""
    root = laid.root
    covered = [path for path in (*PRIVATE, *policy.hidden) if is_there(path)]
    wanted = [path for path in (*laid.needed, *FROM_RUN, *policy.readable) if is_there(path)]
    opened = [*filter(is_there, policy.writable), root]
    inside = [path for path in covered if is_within(path, opened) and path not in opened]
    left = [path for path in laid.sockets if not is_within(path, [*covered, *opened]) and path not in policy.readable]
    return [
        program,
        *UNSHARED,
        *(() if policy.network else ("--unshare-net",)),
        *MANNERS,
        *FRESH,
        *flat(cover(path) for path in outermost(covered)),
        *(("--bind", str(laid.room), str(PRIVATE[0])) if laid.room else ()),
        *flat(("--ro-bind", "/dev/null", str(path)) for path in left),
        *flat(shown(path) for path in wanted if is_within(path, covered) and not is_within(path, opened)),
        *flat(("--bind", str(path), str(path)) for path in opened),
        *flat(cover(path) for path in outermost(inside)),
        *flat(shown(path) for path in wanted if is_within(path, inside)),
        *flat(("--bind-try", str(path), str(path)) for path in laid.pinned),
        *flat(("--ro-bind-try", str(path), str(path)) for path in laid.sealed),
        *("--chdir", str(root), "--"),
    ]


def shown(path: Path) -> tuple[str, ...]:
    """Lay a path open again, to be read."""
    return ("--ro-bind", str(path), str(path))


def is_there(path: Path) -> bool:
    """Whether a path exists, as far as we may know."""
    return os.access(path, os.F_OK)


def cover(path: Path) -> tuple[str, ...]:
    """Put something empty over a path."""
    if path.is_dir():
        return ("--perms", "1777", "--tmpfs", str(path)) if path in PRIVATE[:2] else ("--tmpfs", str(path))
    return ("--ro-bind", "/dev/null", str(path))


def outermost(paths: Sequence[Path]) -> list[Path]:
    """Those that lie in no other of them."""
    return [path for path in dict.fromkeys(paths) if not is_within(path, [other for other in paths if other != path])]


def flat(groups: Iterable[Sequence[str]]) -> Iterator[str]:
    """All words of all groups."""
    return (word for group in groups for word in group)


def name_service() -> tuple[Path, ...]:
    """Where the names of other machines are looked up; it often lies in a folder that is covered."""
    place = Path("/etc/resolv.conf")
    return (place.resolve(),) if place.exists() else ()


def bound_sockets(listing: str) -> Iterator[Path]:
    """The sockets that programs listen at now, by the kernel's list of them; those without a path are not there."""
    for line in listing.splitlines()[1:]:
        path = line.split(maxsplit=7)[7:]
        if path and path[0].startswith("/") and is_socket(Path(path[0])):
            yield Path(path[0]).resolve()


def is_socket(path: Path) -> bool:
    """Whether there is a socket that we could reach."""
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False
