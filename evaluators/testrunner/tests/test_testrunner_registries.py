"""Test real projects of four languages with one bug each: the bug is reported, and nothing else.

They are fetched into a temporary folder by pip, npm and apt; nothing of theirs is kept here, and nothing is installed.
A campaign.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi_hookspecs import Command, Evaluation, ExecutionResult, Task
from openkoi_testing import Scenario, logged_baseline, make_run
from openkoi_testrunner import TestRunner

pytestmark = [pytest.mark.campaign, pytest.mark.skipif(os.name == "nt", reason="runs commands of POSIX")]
CLIMB = Command(["true"])
CAGED = Scenario(settings={"use.sandbox": "ladder"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The origin of a project, the planted bug, and where it must be reported; ``bare`` runs the tests without us.

    ``files`` are those that a package leaves out.
    """

    needs: tuple[str, ...]
    bare: tuple[str, ...]
    file: str
    good: str
    bad: str
    place: str
    package: str = ""
    tool: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
TAPE = ("sh", "-c", 'PATH="$PWD/node_modules/.bin:$PATH"; tape "test/*.js"')
PROJECTS = {
    "toolz": Project(
        needs=("pip",),
        package="toolz==0.12.0",
        bare=PYTEST,
        file="toolz/itertoolz.py",
        good="    seq = iter(seq)\n    next(seq)\n    return next(seq)\n\n\ndef nth",
        bad="    seq = iter(seq)\n    return next(seq)\n\n\ndef nth",
        place="toolz/tests/test_itertoolz.py",
    ),
    "cachetools": Project(
        needs=("pip",),
        package="cachetools==5.3.2",
        bare=(*PYTEST, "-o", "pythonpath=src"),
        file="src/cachetools/__init__.py",
        good="            self.__update(key)\n        return value\n",
        bad="            pass\n        return value\n",
        place="src/cachetools/__init__.py",
    ),
    "concat-map": Project(
        needs=("npm",),
        package="concat-map@0.0.1",
        tool="tape@4.17.0",
        bare=TAPE,
        file="index.js",
        good="else res.push(x);",
        bad="else res.unshift(x);",
        place="test/map.js",
    ),
    "defined": Project(
        needs=("npm",),
        package="defined@1.0.0",
        tool="tape@4.17.0",
        bare=TAPE,
        file="index.js",
        good="!== undefined)",
        bad="!= null && arguments[i])",
        place="test/falsy.js",
    ),
    "rust-shlex": Project(
        needs=("apt-get", "dpkg-deb", "cargo"),
        package="librust-shlex-dev",
        bare=("sh", "-c", 'CARGO_TARGET_DIR="$(mktemp -d)" cargo test --offline'),
        file="src/lib.rs",
        good="if ch2 != '\\n' as u8 { result.push(ch2); }",
        bad="result.push(ch2);",
        place="src/lib.rs",
    ),
    "go-errors": Project(
        needs=("apt-get", "dpkg-deb", "go"),
        package="golang-github-pkg-errors-dev",
        files={"go.mod": "module github.com/pkg/errors\n\ngo 1.19\n"},
        bare=("go", "test", "-count=1", "./..."),
        file="errors.go",
        good="err = cause.Cause()\n",
        bad="return cause.Cause()\n",
        place="errors_test.go",
    ),
}


def fetched(project: Project, folder: Path) -> Path:
    """The project's root folder, with the dependencies of its tests."""
    root = from_apt(project, folder) if "apt-get" in project.needs else unpacked(download(project, folder), folder)
    if project.good not in (root / project.file).read_text():
        pytest.skip(f"{project.package} is of another version here: there is no {project.good!r} in {project.file}")
    for name, text in project.files.items():
        (root / name).write_text(text)
    if project.tool:
        call(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", project.tool], root)
        (root / "package-lock.json").unlink(missing_ok=True)
    return root


def from_apt(project: Project, folder: Path) -> Path:
    """A library's source as a distribution has it, where it lies in its package: some tests know their folder."""
    call(["apt-get", "download", project.package], folder)
    call(["dpkg-deb", "-x", *(path.name for path in folder.glob("*.deb")), "unpacked"], folder)
    source = next((folder / "unpacked" / "usr" / "share").rglob(project.file))
    return source.parents[len(Path(project.file).parts) - 1]


def download(project: Project, folder: Path) -> Path:
    """The archive of a package's source."""
    if "npm" in project.needs:
        call(["npm", "pack", "--silent", project.package], folder)
    else:
        call(["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", project.package], folder)
    return next(path for path in folder.iterdir() if path.name.endswith(("gz", "tgz")))


def unpacked(archive: Path, folder: Path) -> Path:
    """The archive's one folder."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (top,) = [path for path in (folder / "unpacked").iterdir() if path.is_dir()]
    return top


def call(argv: list[str], folder: Path) -> None:
    """Run a client of a registry; skip the test without one."""
    result = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    if result.returncode:
        pytest.skip(f"{argv[0]} could not fetch {argv[-1]}: {result.stderr.strip()[-200:]}")


def evaluate_work(root: Path, project: Project) -> tuple[Evaluation, Evaluation, float]:
    """The evaluations of work without changes and of work with the bug, and the duration of the baseline."""

    async def story() -> tuple[Evaluation | None, Evaluation | None, float]:
        runner = TestRunner()
        async with make_run(root, task=Task("Tidy the pond"), stage=CAGED) as run:
            await run.execute(CLIMB)  # the sandbox is tried once, before time is taken
            began = time.monotonic()
            before = await logged_baseline(runner, run)
            took = time.monotonic() - began
            clean = await runner.evaluate(ExecutionResult("done", baseline=before), run)
            path = root / project.file
            path.write_text(path.read_text().replace(project.good, project.bad, 1))
            return (
                clean,
                await runner.evaluate(ExecutionResult("done", files=(project.file,), baseline=before), run),
                took,
            )

    clean, bad, took = asyncio.run(story())
    assert clean is not None
    assert bad is not None
    return clean, bad, took


@pytest.mark.timeout(600)
@pytest.mark.row("EVAL-02", "EVAL-25")
@pytest.mark.parametrize("name", PROJECTS)
def test_a_bug_in_a_real_project_is_found_and_nothing_else(tmp_path: Path, name: str) -> None:
    project = PROJECTS[name]
    missing = [name for name in project.needs if not shutil.which(name)]
    if missing:
        pytest.skip(f"there is no {' and no '.join(missing)} here")
    root = fetched(project, tmp_path)
    began = time.monotonic()
    subprocess.run(project.bare, cwd=root, capture_output=True, timeout=200, check=False)
    bare = time.monotonic() - began

    clean, bad, took = evaluate_work(root, project)

    print(f"\n{name}: {len(clean.checks)} checks, {took / bare:.1f} times its own runner, {len(bad.failing)} red")
    print("\n".join(f"  {finding.where} {finding.title}" for finding in bad.open))
    assert frozenset() == clean.failing
    assert () == clean.open
    assert bad.failing
    assert any(finding.where.startswith(project.place) for finding in bad.open)
