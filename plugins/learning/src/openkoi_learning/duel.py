"""Recorded tasks done again, once with an entry and once without, each in a copy of its workspace as it was then.

Knows folders and how to start another OpenKoi; knows no ledger: which entry it is about stands in a variable.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import Checkpoints, KoiError, Record, Task, events

VARIABLE = "OPENKOI_LEDGER_DUEL"
SECONDS = 900


@dataclass(frozen=True, slots=True)
class Recorded:
    """A task that was done, where, and how the folder was before it: a checkpoint, or nothing where it is unchanged."""

    run: str
    task: Task
    workspace: Path
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a task went: whether its first attempt was good enough, and what it cost."""

    passed: bool
    usd: float = 0.0


def replayable_run(records: Iterable[Record], run: str) -> Recorded | None:
    """Return a run that can be replayed, or None for part of another run or a missing folder."""
    own = [record.event for record in records if record.run == run]
    started = next((event for event in own if isinstance(event, events.TaskStarted)), None)
    if started is None or started.task.parent or not started.workspace or not Path(started.workspace).is_dir():
        return None
    kept = next((event.checkpoint for event in own if isinstance(event, events.BaselineSaved)), "")
    return Recorded(run, started.task, Path(started.workspace), kept)


async def patch_of(one: Recorded, keeper: Checkpoints | None) -> str:
    """What was changed in the folder since the task began; raises KoiError where that is not known any more."""
    if not one.checkpoint:
        return ""
    if keeper is None:
        raise KoiError("No checkpoints are installed, so the files as they were are not known.")
    return await keeper.diff(one.workspace, one.checkpoint)


def again(one: Recorded, patch: str, words: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, Attempt]:
    """Do a task once for each of the words, in a copy of its own."""
    found: dict[str, Attempt] = {}
    for name, word in words.items():
        with TemporaryDirectory(prefix="openkoi-duel-", ignore_cleanup_errors=True) as private:
            copy = Path(private) / (one.workspace.name or "workspace")
            set_up(one, patch, copy)
            found[name] = attempt(one, copy, {**environment, VARIABLE: word})
    return found


def set_up(one: Recorded, patch: str, copy: Path) -> None:
    """Make the folder as it was before the task; raises KoiError."""
    try:
        shutil.copytree(one.workspace, copy, symlinks=True)
        undo = ["git", "apply", "--reverse", "--whitespace=nowarn", "-"]
        if patch:
            subprocess.run(undo, cwd=copy, input=patch.encode(), check=True, capture_output=True)
    except (OSError, shutil.Error, subprocess.CalledProcessError) as error:
        why = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else error
        raise KoiError(f"The folder cannot be made as it was before task {one.run[:8]}: {why}") from None


def attempt(one: Recorded, folder: Path, environment: Mapping[str, str]) -> Attempt:
    """Run the task in its own process; raise KoiError without a result."""
    command = [sys.executable, "-m", "openkoi", "--format", "json", "--", one.task.text]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=dict(environment),
            input=one.task.context.encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        said = json.loads(done.stdout)
        return Attempt(bool(said["accepted"]) and len(said["iterations"]) == 1, float(said["cost_usd"]))
    except subprocess.TimeoutExpired:
        raise KoiError(f"Task {one.run[:8]} took longer than {SECONDS} s.") from None
    except (ValueError, KeyError, TypeError):
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise KoiError(f"Task {one.run[:8]} came to no result: {''.join(last)}") from None


def tally(bouts: Sequence[Mapping[str, Attempt]]) -> Iterator[str]:
    """How it came out, in lines."""
    for name in ("with", "without"):
        good = sum(bout[name].passed for bout in bouts)
        usd = sum(bout[name].usd for bout in bouts)
        yield f"  {name + ':':<11}{good} of {len(bouts)} first attempts passed (${usd:.4f})"
    better = sum(bout["with"].passed > bout["without"].passed for bout in bouts)
    worse = sum(bout["with"].passed < bout["without"].passed for bout in bouts)
    yield f"  it made {better} better and {worse} worse, of {len(bouts)}"
