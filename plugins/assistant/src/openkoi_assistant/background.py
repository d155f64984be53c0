"""Start the daemon as a process that outlives the terminal."""

import os
import subprocess
import sys
from pathlib import Path

MAX_LOG_BYTES = 1_000_000  # of the log before: the daemon prints warnings alone


def daemon_command() -> list[str]:
    """Return the command line of a daemon in the foreground."""
    return [sys.executable, "-m", "openkoi", "daemon", "run"]


def start_process(log: Path, folder: Path) -> "subprocess.Popen[bytes]":
    """Start the daemon in a session of its own, printing to a log."""
    if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    log.touch(mode=0o600)
    with log.open("ab") as out:
        return subprocess.Popen(
            daemon_command(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
