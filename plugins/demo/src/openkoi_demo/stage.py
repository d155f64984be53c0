"""Set the stage: a copy of the tea house, and how to start the play on it. Knows no terminal."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns

HERE = Path(__file__).parent
PROJECT = HERE / "project"
MODEL = "rehearsal/demo"
TASK = "Fix the failing tests of this project."
AIM = ("-i", "3", "-q", "0.8")
PROJECT_ID = "openkoi-demo"


def prepare(folder: Path) -> Path:
    """Copy the project. Its id is always the same, so that a second demo recalls the first."""
    copy = folder / "teahouse"
    copytree(PROJECT, copy, ignore=ignore_patterns("__pycache__", ".*"))
    (copy / ".openkoi").mkdir()
    (copy / ".openkoi" / "project").write_text(f"{PROJECT_ID}\n", encoding="utf-8")
    return copy


def perform(copy: Path) -> int:
    """Let OpenKoi do the task in the copy, on this very terminal; return its exit status."""
    command = [sys.executable, "-P", "-m", "openkoi", "-m", MODEL, *AIM, TASK]
    stdin = None if sys.stdin is not None and sys.stdin.isatty() else subprocess.DEVNULL
    with subprocess.Popen(command, cwd=copy, stdin=stdin, env=surroundings(os.environ)) as run:
        return waited(run)


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """Tell the scripted model where its script is."""
    return {**env, "OPENKOI_REHEARSAL": str(HERE)}


def waited(run: subprocess.Popen[bytes]) -> int:
    """Wait for the run, also when a person interrupts it: it ends by itself and says so."""
    while True:
        try:
            return run.wait()
        except KeyboardInterrupt:
            continue
