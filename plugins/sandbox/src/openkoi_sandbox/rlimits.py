"""Compute the resource limits (rlimits) of each process: memory, processor time (CPU), file size and number."""

import math
import os
import sys
from pathlib import Path

from .sandbox_policy import SandboxPolicy

DEFAULT_CORES = 4


def compute_rlimits(policy: SandboxPolicy, seconds: float) -> list[tuple[int, int]]:
    """Return the limits of one command. Its processor time is all that the cores can give it until its time is up."""
    if sys.platform == "win32":
        return []
    import resource

    cores = os.cpu_count() or DEFAULT_CORES
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, (math.ceil(seconds) + 1) * cores),
        (resource.RLIMIT_FSIZE, policy.file),
        (resource.RLIMIT_DATA, policy.memory),
        (resource.RLIMIT_NPROC, count_tasks() + policy.processes if policy.processes else 0),
    ]
    return [(kind, most) for kind, most in wanted if most or kind == resource.RLIMIT_CORE]


def count_tasks() -> int:
    """Return how many threads run on this system: the kernel counts a command's together with its user's others."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, IndexError, ValueError):
        return 1000


def max_processes_to_watch(policy: SandboxPolicy) -> int:
    """Return how many processes we must count to: the kernel does not apply the limit to root."""
    return policy.processes if sys.platform != "win32" and os.geteuid() == 0 else 0
