"""Start the daemon in the background, as a process that outlives the terminal."""

import atexit
import os
import subprocess
import sys
from pathlib import Path

MAX_LOG_BYTES = 1_000_000  # of the log before: the daemon prints warnings alone


def daemon_command() -> list[str]:
    """Return the command line of a daemon in the foreground."""
    return [sys.executable, "-P", "-m", "openkoi", "daemon", "run"]


def replace_process() -> None:
    """Run this command line again in this process, once it has ended."""
    atexit.register(replace_with, [sys.executable, *sys.orig_argv[1:]])


def replace_with(command: list[str]) -> None:
    """Replace this process with another program, after flushing its output."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)


def sibling_command(action: str) -> list[str]:
    """Return the command line of this process with another action of the daemon."""
    return [sys.executable, *sys.orig_argv[1:-1], action]


def start_process(log: Path, folder: Path) -> "subprocess.Popen[bytes]":
    """Start the daemon in a separate session, with a log as its output."""
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
