"""Prepare a copy of the demo project, and run OpenKoi in it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns

HERE = Path(__file__).parent
PROJECT = HERE / "project"
MODEL = "scripted/demo"
TASK = "Fix the failing tests of this project."
TASK_OPTIONS = ("-i", "3", "-q", "0.8")
PROJECT_ID = "openkoi-demo"


def prepare_project(folder: Path) -> Path:
    """Copy the project. Its id is always the same, so that a second demo recalls the first."""
    copy = folder / "teahouse"
    copytree(PROJECT, copy, ignore=ignore_patterns("__pycache__", ".*"))
    (copy / ".openkoi").mkdir()
    (copy / ".openkoi" / "project").write_text(f"{PROJECT_ID}\n", encoding="utf-8")
    return copy


def run_task(copy: Path) -> int:
    """Run the task in the copy, on this terminal; return its exit status."""
    command = [sys.executable, "-P", "-m", "openkoi", "-m", MODEL, *TASK_OPTIONS, TASK]
    stdin = None if sys.stdin is not None and sys.stdin.isatty() else subprocess.DEVNULL
    with subprocess.Popen(command, cwd=copy, stdin=stdin, env=demo_environment(os.environ)) as run:
        return wait_for(run)


def demo_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the path of the model's script."""
    return {**env, "OPENKOI_SCRIPTED": str(HERE)}


def wait_for(run: subprocess.Popen[bytes]) -> int:
    """Wait for the run, even if the user interrupts it: it then ends by itself and reports that."""
    while True:
        try:
            return run.wait()
        except KeyboardInterrupt:
            continue
