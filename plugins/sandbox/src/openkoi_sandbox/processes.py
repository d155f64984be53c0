"""Read processes from Linux's ``/proc``. Elsewhere there is nothing to read, and ``PROCS`` is false."""

import os
import sys
from collections.abc import Collection
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

PROC = Path("/proc")
HAS_PROC = sys.platform.startswith("linux") and (PROC / "self" / "environ").exists()


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """Describe a process as the system lists it; ``born`` counts the system's ticks since it started."""

    pid: int
    parent: int
    group: int
    session: int
    born: int


def list_processes() -> list[ProcessInfo]:
    """Return all processes that are alive."""
    with os.scandir(PROC) as listing:
        found = [read_process(int(item.name)) for item in listing if item.name.isdecimal()]
    return [process for process in found if process]


def find_descendants(root: int, processes: Collection[ProcessInfo]) -> set[int]:
    """Return the children of a process, their children, and so on."""
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    below, open_ends = set[int](), [root]
    while open_ends:
        born = children.get(open_ends.pop(), [])
        below.update(born)
        open_ends += born
    return below


def read_process(pid: int) -> ProcessInfo | None:
    """Read one process, None if it is dead; its name may contain anything, so fields are counted after it."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X", b"x"):
        return None
    return ProcessInfo(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def has_mark(pid: int, mark: bytes) -> bool:
    """Return whether a process inherited the mark; another user's cannot be read."""
    try:
        return mark in (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
