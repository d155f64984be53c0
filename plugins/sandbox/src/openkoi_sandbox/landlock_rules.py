"""Level 2 on Linux 6.12 and newer: Landlock's rules about files and signals, and a filter for what they leave open.

Knows the kernel's numbers. A rule allows what is below a path; so what is hidden is gone around, entry by entry.
"""

import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
DEVICE_CONTROL = 1 << 15
CHANGES = WRITE_FILE | sum(1 << bit for bit in range(4, 13))
MOVES, TRUNCATES = 1 << 13, 1 << 14
CONNECT_AND_BIND = 0b11
ABSTRACT_SOCKETS, SIGNALS = 0b01, 0b10
DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty"))
CREATE_RULESET, ASK_VERSION = 444, 1


def version() -> int:
    """Which Landlock the kernel has; 0 is none."""
    if not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"):
        return 0
    import ctypes

    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_long(0), ASK_VERSION)))


def changes(abi: int) -> int:
    """Everything that alters files, as far as this Landlock can refuse it."""
    return CHANGES | (MOVES if abi >= 2 else 0) | (TRUNCATES if abi >= 3 else 0)


def attributes(abi: int, *, network: bool) -> bytes:
    """What is refused where no rule allows it."""
    files = changes(abi) | READ_FILE | READ_FOLDER | (DEVICE_CONTROL if abi >= 5 else 0)
    ports = CONNECT_AND_BIND if abi >= 4 and not network else 0
    scoped = ABSTRACT_SOCKETS | SIGNALS if abi >= 6 else 0
    return packed(abi, files, ports, scoped)


def abstract_only(abi: int) -> bytes:
    """Refuse abstract sockets of others and nothing else; nothing at all where that cannot be refused."""
    return packed(abi, 0, 0, ABSTRACT_SOCKETS) if abi >= 6 else b""


def packed(abi: int, files: int, ports: int, scoped: int) -> bytes:
    """The kernel's structure; an older one knows less of it."""
    return struct.pack("=QQQ", files, ports, scoped)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]


def rights(
    abi: int, *, writable: Iterable[Path], readable: Iterable[Path], hidden: Iterable[Path]
) -> list[tuple[str, int]]:
    """The rules: names may be listed everywhere, all but the hidden read, and only this be written.

    Where something hidden lies inside what may be written, what is new there can be written but not read back at once.
    """
    hidden = [path for path in hidden if is_open(path)]
    changed = changes(abi)
    devices = WRITE_FILE | (DEVICE_CONTROL if abi >= 5 else 0) | (TRUNCATES if abi >= 3 else 0)
    return [
        ("/", READ_FOLDER),
        *((path, READ_FILE) for path in around(hidden)),
        *((str(path), READ_FILE) for path in readable),
        *((str(path), changed | (0 if holds(path, hidden) else READ_FILE)) for path in writable),
        *((str(path), devices) for path in DEVICES),
    ]


def holds(folder: Path, hidden: Iterable[Path]) -> bool:
    """Whether something hidden is in a folder."""
    return any(path.is_relative_to(folder) and path != folder and os.access(path, os.F_OK) for path in hidden)


def is_open(path: Path) -> bool:
    """Whether a path is there to be read, or may come to be; one that is closed to us needs no hiding."""
    return not os.access(path, os.F_OK) or os.access(path, os.R_OK)


def around(hidden: Iterable[Path], top: str = "/") -> Iterator[str]:
    """The fewest paths that together hold everything but the hidden."""
    yield from beside([path.parts[1:] for path in hidden], top)


def beside(hidden: Sequence[tuple[str, ...]], top: str) -> Iterator[str]:
    """The same, of what is hidden below ``top``, given as the steps from there."""
    if not hidden:
        yield top
    if not hidden or not all(hidden):
        return
    first_steps = {steps[0] for steps in hidden}
    for entry in entries(top):
        if entry.name in first_steps:
            yield from beside([steps[1:] for steps in hidden if steps[0] == entry.name], entry.path)
        else:
            yield entry.path


def entries(folder: str) -> "list[os.DirEntry[str]]":
    """What is in a folder; links lead to what has a path of its own."""
    try:
        with os.scandir(folder) as listing:
            return [entry for entry in listing if not entry.is_symlink()]
    except OSError:
        return []
