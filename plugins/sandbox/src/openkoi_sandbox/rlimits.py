"""The kernel's limits on each process: how long its files, how much its memory, how many of it, for how long."""

import math
import os
import sys
from pathlib import Path

from .policy import Policy

DEFAULT_CORES = 4


def rlimits(policy: Policy, seconds: float) -> list[tuple[int, int]]:
    """The limits of one command. Its processor time is all that the cores can give it until its time is up."""
    if sys.platform == "win32":
        return []
    import resource

    cores = os.cpu_count() or DEFAULT_CORES
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, (math.ceil(seconds) + 1) * cores),
        (resource.RLIMIT_FSIZE, policy.file),
        (resource.RLIMIT_DATA, policy.memory),
        (resource.RLIMIT_NPROC, running_tasks() + policy.processes if policy.processes else 0),
    ]
    return [(kind, most) for kind, most in wanted if most or kind == resource.RLIMIT_CORE]


def running_tasks() -> int:
    """How many threads there are on this system: the kernel counts a command's together with its user's others."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, IndexError, ValueError):
        return 1000


def watched(policy: Policy) -> int:
    """How many processes we have to count to: the kernel does not hold its administrator to their number."""
    return policy.processes if sys.platform != "win32" and os.geteuid() == 0 else 0
