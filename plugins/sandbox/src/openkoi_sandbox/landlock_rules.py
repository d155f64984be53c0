"""Build Landlock's rules about files and signals (Linux 6.12 and newer).

A rule allows what is below a path; so what is hidden is excluded entry by entry.
"""

import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
DEVICE_CONTROL = 1 << 15
CHANGE_RIGHTS = WRITE_FILE | sum(1 << bit for bit in range(4, 13))
MOVE_RIGHT, TRUNCATE_RIGHT = 1 << 13, 1 << 14
CONNECT_AND_BIND = 0b11
ABSTRACT_SOCKETS, SIGNALS = 0b01, 0b10
DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty"))
CREATE_RULESET, ASK_VERSION = 444, 1


def landlock_version() -> int:
    """Return the kernel's Landlock version; 0 without Landlock."""
    if not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"):
        return 0
    import ctypes

    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_long(0), ASK_VERSION)))


def change_rights(abi: int) -> int:
    """Return every right to alter files that this version of Landlock can refuse."""
    return CHANGE_RIGHTS | (MOVE_RIGHT if abi >= 2 else 0) | (TRUNCATE_RIGHT if abi >= 3 else 0)


def ruleset_attributes(abi: int, *, network: bool) -> bytes:
    """Return the rights that are refused unless a rule allows them."""
    files = change_rights(abi) | READ_FILE | READ_FOLDER | (DEVICE_CONTROL if abi >= 5 else 0)
    ports = CONNECT_AND_BIND if abi >= 4 and not network else 0
    scoped = ABSTRACT_SOCKETS | SIGNALS if abi >= 6 else 0
    return pack_attributes(abi, files, ports, scoped)


def abstract_socket_attributes(abi: int) -> bytes:
    """Refuse other programs' abstract sockets and nothing else; refuse nothing if the kernel cannot refuse those."""
    return pack_attributes(abi, 0, 0, ABSTRACT_SOCKETS) if abi >= 6 else b""


def pack_attributes(abi: int, files: int, ports: int, scoped: int) -> bytes:
    """Return the structure for this kernel; older kernels have a shorter one."""
    return struct.pack("=QQQ", files, ports, scoped)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]


def path_rights(
    abi: int, *, writable: Iterable[Path], readable: Iterable[Path], hidden: Iterable[Path]
) -> list[tuple[str, int]]:
    """Return the rules: any folder may be listed, all paths read except hidden ones, and only these paths written.

    Where something hidden lies inside what may be written, what is new there can be written but not read back at once.
    """
    hidden = [path for path in hidden if is_readable_path(path)]
    changed = change_rights(abi)
    devices = WRITE_FILE | (DEVICE_CONTROL if abi >= 5 else 0) | (TRUNCATE_RIGHT if abi >= 3 else 0)
    return [
        ("/", READ_FOLDER),
        *((path, READ_FILE) for path in paths_around(hidden)),
        *((str(path), READ_FILE) for path in readable),
        *((str(path), changed | (0 if contains_hidden(path, hidden) else READ_FILE)) for path in writable),
        *((str(path), devices) for path in DEVICES),
    ]


def contains_hidden(folder: Path, hidden: Iterable[Path]) -> bool:
    """Return whether something hidden is in a folder."""
    return any(path.is_relative_to(folder) and path != folder and os.access(path, os.F_OK) for path in hidden)


def is_readable_path(path: Path) -> bool:
    """Return whether a path is readable or may be created; one that OpenKoi cannot access need not be hidden."""
    return not os.access(path, os.F_OK) or os.access(path, os.R_OK)


def paths_around(hidden: Iterable[Path], top: str = "/") -> Iterator[str]:
    """Yield the fewest paths that together contain everything but the hidden."""
    yield from paths_beside([path.parts[1:] for path in hidden], top)


def paths_beside(hidden: Sequence[tuple[str, ...]], top: str) -> Iterator[str]:
    """Yield the same for the hidden paths below ``top``, which are given relative to it."""
    if not hidden:
        yield top
    if not hidden or not all(hidden):
        return
    first_steps = {steps[0] for steps in hidden}
    for entry in list_entries(top):
        if entry.name in first_steps:
            yield from paths_beside([steps[1:] for steps in hidden if steps[0] == entry.name], entry.path)
        else:
            yield entry.path


def list_entries(folder: str) -> "list[os.DirEntry[str]]":
    """Return the entries of a folder, without links, whose targets have paths of their own."""
    try:
        with os.scandir(folder) as listing:
            return [entry for entry in listing if not entry.is_symlink()]
    except OSError:
        return []
