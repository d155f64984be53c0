"""Measure a first write among many files that only look like Python files.

The same run without an evaluation is the floor. Ruff is on the path, and the project has no rules of its own.

Peers check a first write among as many files, each beside itself without the check: aider has its linter look at the
file that it wrote, without a repository and its map; pre-commit runs Ruff on the file of a commit. Neither runs tests,
keeps findings or looks at what was wrong before, as ours does.
"""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say

from .contest import load, met, table, usage_of, variables
from .homes import home_of_openkoi
from .peers import python_of

SIZES = (1_000, 10_000)
OPENKOI, PEER_ROUNDS = "openkoi", 2
NOT_PYTHON = "def f(:\n" + ")( 1 2 3\nx = = 4 $ ??\n  import\n" * 40
PYTHON = "x = 1\n"
WRITE = ToolCall("c1", "write_file", {"path": "new.py", "content": PYTHON, "overwrite": True})
TASK = ("-m", "openai/mock", "Write new.py")
FLOOR, OURS = ("-i", "0"), ("-i", "1", "--no-judge")
MOST_SECONDS, MOST_MEGABYTES, MOST_KEPT = 1.0, 100.0, 1.0
AIDER = (
    *("--model", "openai/mock", "--edit-format", "whole", "--message", "Write new.py", "--yes-always", "--no-git"),
    *("--no-check-update", "--analytics-disable", "--no-show-model-warnings", "--no-show-release-notes"),
)
WRITTEN = f"Here it is.\n\nnew.py\n```\n{PYTHON}```\n"
HOOKS = """repos:
- repo: local
  hooks: [{id: ruff, name: ruff, entry: ruff check, language: system, types: [python]}]
"""
COMMIT = ("git", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "-m", "new")


@dataclass(frozen=True, slots=True)
class WriteCost:
    """Seconds of processor time, and the most memory and the size of the program's own files in MiB."""

    cpu: float
    peak: float
    kept: float


def show(rounds: int) -> None:
    """Print a table with the goals."""
    peers = {name: python for name in ("aider-chat", "pre-commit") if (python := python_of(name))}
    rows = [row for size in SIZES for row in rows_among(size, rounds, peers)]
    head = [f"a first write ({load()})", "more processor time", "", "more memory", "", "more files kept", ""]
    print(table(head, rows))
    print(
        f"Goals: evaluation adds at most {MOST_SECONDS:g} s, {MOST_MEGABYTES:g} MiB of memory "
        f"and {MOST_KEPT:g} MiB of files."
    )


def rows_among(size: int, rounds: int, peers: Mapping[str, str]) -> list[list[str]]:
    """Return the extra cost of evaluating a write among this many files."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ours, repository = Path(folder, "ours", "workspace"), Path(folder, "peers", "workspace")
        for root in (ours, repository):
            fill(root, size)
        ways: dict[str, Callable[[bool], WriteCost]] = {
            OPENKOI: lambda checked: cost_of_write(ours, OURS if checked else FLOOR)
        }
        if python := peers.get("aider-chat"):
            aider = [python, "-m", "aider", *AIDER]
            ways["aider"] = lambda checked: cost_by_aider(repository, aider, checked=checked)
        if python := peers.get("pre-commit"):
            begin_repository(repository, python)
            ways["pre-commit"] = lambda checked: cost_of_commit(repository, checked=checked)
        pairs: dict[str, list[tuple[WriteCost, WriteCost]]] = {name: [] for name in ways}
        for turn in range(rounds):
            for name, way in ways.items():
                if name == OPENKOI or turn < PEER_ROUNDS:
                    pairs[name].append((way(False), way(True)))
    return [row(f"{name}, among {size:,} files", found, goals=name == OPENKOI) for name, found in pairs.items()]


def fill(root: Path, size: int) -> None:
    """Write a number of files."""
    for number in range(size):
        path = root / f"folder{number // 100}" / f"bad{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOT_PYTHON)


def row(name: str, pairs: Sequence[tuple[WriteCost, WriteCost]], *, goals: bool) -> list[str]:
    """Return a line of the table."""
    seconds = statistics.median(checked.cpu - floor.cpu for floor, checked in pairs)
    whole = statistics.median(checked.cpu for _, checked in pairs)
    memory = statistics.median(checked.peak - floor.peak for floor, checked in pairs)
    kept = statistics.median(checked.kept - floor.kept for floor, checked in pairs)
    return [
        name,
        *(f"{seconds:+.2f} s of {whole:.1f} s", met(seconds, MOST_SECONDS) if goals else ""),
        *(f"{memory:+.0f} MiB", met(memory, MOST_MEGABYTES) if goals else ""),
        *(f"{kept:+.2f} MiB", met(kept, MOST_KEPT) if goals else ""),
    ]


def cost_of_write(root: Path, options: Sequence[str]) -> WriteCost:
    """Do the task once, with files of OpenKoi that are its own."""
    (root / "new.py").unlink(missing_ok=True)
    home = root.with_name("home")
    shutil.rmtree(home, ignore_errors=True)
    with OpenAIServer(Say([WRITE]), "Done.", models=["mock"]) as server:
        own = {"OPENKOI_HOME": str(home), "OPENAI_BASE_URL": server.url}
        return cost([str(Path(home_of_openkoi()).with_name("openkoi")), *options, *TASK], own, root, home)


def cost_by_aider(root: Path, command: Sequence[str], *, checked: bool) -> WriteCost:
    """Let aider write the file, with or without its linter; its other requests are refused at once."""
    (root / "new.py").unlink(missing_ok=True)
    home = root.with_name("aider")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    with OpenAIServer(WRITTEN, models=["mock"]) as server:
        own = {"HOME": str(home), "OPENAI_API_BASE": server.url, "HTTPS_PROXY": "http://127.0.0.1:9"}
        found = cost([*command, "--auto-lint" if checked else "--no-auto-lint"], own, root, home)
    assert (root / "new.py").read_text() == PYTHON
    return found


def begin_repository(root: Path, python: str) -> None:
    """Commit all files, and install pre-commit's hook."""
    (root / ".pre-commit-config.yaml").write_text(HOOKS)
    commands = [["git", "init", "--quiet"], ["git", "add", "."], [*COMMIT, "--no-verify"]]
    commands.append([python, "-m", "pre_commit", "install"])
    for command in commands:
        subprocess.run(command, cwd=root, check=True, capture_output=True)


def cost_of_commit(root: Path, *, checked: bool) -> WriteCost:
    """Commit the file, with or without the hook."""
    (root / "new.py").write_text(PYTHON)
    subprocess.run(["git", "add", "new.py"], cwd=root, check=True)
    home = root.with_name("pre-commit")
    own = {"PRE_COMMIT_HOME": str(home)}
    found = cost([*COMMIT, *(() if checked else ("--no-verify",))], own, root, home)
    subprocess.run(["git", "reset", "--quiet", "--hard", "HEAD~1"], cwd=root, check=True)
    return found


def cost(command: Sequence[str], own: Mapping[str, str], root: Path, home: Path) -> WriteCost:
    """Run a command among the files, and return what it cost."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    usage = usage_of(command, variables(**{"PATH": path, **own}), root)
    count = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    return WriteCost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, count / 2**20)
