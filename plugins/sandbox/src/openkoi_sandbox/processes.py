"""What Linux tells of processes in ``/proc``. Elsewhere there is nothing to read, and ``PROCS`` is false."""

import os
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PROCS = sys.platform.startswith("linux") and (PROC / "self" / "environ").exists()


@dataclass(frozen=True, slots=True)
class Running:
    """A process as the system lists it; ``born`` counts the system's ticks since it started."""

    pid: int
    parent: int
    group: int
    session: int
    born: int


def listed() -> list[Running]:
    """All processes that are alive."""
    with os.scandir(PROC) as listing:
        found = [running(int(item.name)) for item in listing if item.name.isdecimal()]
    return [process for process in found if process]


def descendants(root: int, processes: Collection[Running]) -> set[int]:
    """The children of a process, their children, and so on."""
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    below, open_ends = set[int](), [root]
    while open_ends:
        born = children.get(open_ends.pop(), [])
        below.update(born)
        open_ends += born
    return below


def running(pid: int) -> Running | None:
    """Read one process, None if it is dead; its name may hold anything, so fields are counted after it."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X", b"x"):
        return None
    return Running(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def carries(pid: int, mark: bytes) -> bool:
    """Whether a process inherited the mark; another user's does not tell."""
    try:
        return mark in (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
