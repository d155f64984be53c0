"""Replay recorded tasks, once with an entry and once without, each in a copy of its workspace as it was then.

The environment variable ``OPENKOI_LEDGER_DUEL`` carries the entry to the process that replays a task.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import Checkpoints, KoiError, Record, Task
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import build_view

from .hook import COMPARISON_VARIABLE

TIMEOUT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class RecordedTask:
    """A recorded task and its workspace; ``checkpoint`` is the state before it, or empty if it changed nothing."""

    run: str
    task: Task
    workspace: Path
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of a task: whether its first attempt was good enough, and its cost."""

    passed: bool
    usd: float = 0.0


def replayable_run(records: Iterable[Record], run: str) -> RecordedTask | None:
    """Return a run that can be replayed, or None for part of another run or a missing folder."""
    view = build_view(records, run)
    if view.task.parent or not view.workspace or not Path(view.workspace).is_dir():
        return None
    return RecordedTask(run, view.task, Path(view.workspace), view.checkpoints.origin)


async def diff_since_start(task: RecordedTask, checkpoints: Checkpoints | None) -> str:
    """Return what changed in the folder since the task began; raise KoiError if that is unknown."""
    if not task.checkpoint:
        return ""
    if checkpoints is None:
        raise KoiError("Cannot restore the files: no checkpoint plugin is installed.")
    return await checkpoints.diff(task.workspace, task.checkpoint)


def replay_task(
    task: RecordedTask, patch: str, variants: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, Attempt]:
    """Run a task once per variant, each time in a new copy of the folder."""
    found: dict[str, Attempt] = {}
    for name, variant in variants.items():
        with TemporaryDirectory(prefix="openkoi-duel-", ignore_cleanup_errors=True) as private:
            copy = Path(private) / (task.workspace.name or "workspace")
            restore_folder(task, patch, copy)
            found[name] = run_attempt(task, copy, {**environment, COMPARISON_VARIABLE: variant})
    return found


def restore_folder(task: RecordedTask, patch: str, copy: Path) -> None:
    """Copy the folder as it was before the task; raise KoiError."""
    try:
        shutil.copytree(task.workspace, copy, symlinks=True)
        undo = ["git", "apply", "--reverse", "--whitespace=nowarn", "-"]
        if patch:
            subprocess.run(undo, cwd=copy, input=patch.encode(), check=True, capture_output=True)
    except (OSError, shutil.Error, subprocess.CalledProcessError) as error:
        why = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else error
        raise KoiError(f"Cannot restore the folder to its state before task {task.run[:8]}: {why}") from None


def run_attempt(task: RecordedTask, folder: Path, environment: Mapping[str, str]) -> Attempt:
    """Run the task in its own process; raise KoiError without a result."""
    command = [sys.executable, "-P", "-m", "openkoi", "--format", "json", "--", task.task.text]
    try:
        process = subprocess.run(
            command,
            cwd=folder,
            env=dict(environment),
            input=task.task.context.encode(),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        result = json.loads(process.stdout)
        return Attempt(bool(result["accepted"]) and len(result["iterations"]) == 1, float(result["cost_usd"]))
    except subprocess.TimeoutExpired:
        raise KoiError(f"Task {task.run[:8]} took longer than {TIMEOUT_SECONDS} s.") from None
    except (ValueError, KeyError, TypeError):
        last = process.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise KoiError(f"Task {task.run[:8]} ended without a result: {''.join(last)}") from None


def format_results(pairs: Sequence[Mapping[str, Attempt]]) -> Iterator[str]:
    """Yield the lines of the summary."""
    for name in ("with", "without"):
        good = sum(pair[name].passed for pair in pairs)
        usd = sum(pair[name].usd for pair in pairs)
        yield f"  {name + ':':<11}{good} of {len(pairs)} first attempts passed (${usd:.4f})"
    better = sum(pair["with"].passed > pair["without"].passed for pair in pairs)
    worse = sum(pair["with"].passed < pair["without"].passed for pair in pairs)
    yield f"  with the entry, {better} of {len(pairs)} tasks went better and {worse} went worse"
