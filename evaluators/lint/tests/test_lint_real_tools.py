"""Test linters that are not on every machine: eslint and tsc (npm), clippy (cargo). They really run. A campaign."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_base.files import UnstartableProgram, diagnose_start
from openkoi_hookspecs import Evaluation, ExecutionResult, Severity
from openkoi_lint import Lint
from openkoi_testing import Scenario, make_run

WITHOUT_CHECKPOINTS = Scenario(settings={"use.checkpoints": "none"})

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(300)]
if os.name == "nt":
    pytestmark.append(pytest.mark.skip(reason="links folders, and runs commands of POSIX"))
RULES = 'export default [{ rules: { "no-undef": "error", "no-unused-vars": "warn" } }];\n'
CARGO = '[package]\nname = "pond"\nversion = "0.1.0"\nedition = "2021"\n\n[[bench]]\nname = "b"\nharness = false\n'
FILES: dict[str, dict[str, str]] = {
    "eslint": {"eslint.config.mjs": RULES, "pond.js": "const x = nothing;\n"},
    "tsc": {
        "tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}}',
        "pond.ts": 'export const depth: number = "deep";\n',
    },
    "clippy": {
        "Cargo.toml": CARGO,
        "benches/b.rs": "#![feature(test)]\nfn main() {}\n",
        "src/lib.rs": "pub fn depth(fish: &Vec<u32>) -> bool {\n    fish.len() == 0\n}\n",
    },
    "shellcheck": {"pond.sh": "#!/bin/sh\ncd $1\n"},
}
FOUND = {
    "eslint": ("no-undef", "pond.js:1", Severity.IMPORTANT),
    "tsc": ("TS2322", "pond.ts:1", Severity.IMPORTANT),
    "clippy": ("clippy::len_zero", "src/lib.rs:2", Severity.SUGGESTION),
    "shellcheck": ("SC2164", "pond.sh:2", Severity.IMPORTANT),
}
ON_THE_PATH = {"clippy": "cargo-clippy", "shellcheck": "shellcheck"}
HEADS = {"pond.sh": "#!/bin/sh\n"}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the packages; skip the tests without npm."""
    folder = tmp_path_factory.mktemp("packages")
    if shutil.which("npm") is None:
        pytest.skip("needs npm: apt-get install npm")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "eslint", "typescript"]
    result = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    if result.returncode:
        pytest.skip(f"npm could not fetch eslint and typescript: {result.stderr.strip()[-200:]}")
    return folder / "node_modules"


def lint_files(root: Path, files: Mapping[str, str]) -> Evaluation:
    async def story() -> Evaluation | None:
        async with make_run(root, stage=WITHOUT_CHECKPOINTS) as run:
            return await Lint(seconds=120).evaluate(ExecutionResult("done"), run)

    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation


def placed(evaluation: Evaluation) -> set[tuple[str, str, Severity]]:
    return {(finding.rule, finding.where, finding.severity) for finding in evaluation.findings}


def lower(name: str, text: str) -> str:
    """The same file with its code moved down by three lines."""
    head = HEADS.get(name, "")
    return f"{head}\n\n\n{text.removeprefix(head)}"


def lacking(program: str) -> UnstartableProgram | None:
    """The reason why an installed program cannot start."""
    tried = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return diagnose_start(tried.returncode, tried.stdout + tried.stderr)


@pytest.mark.row("EVAL-02", "EVAL-25")
@pytest.mark.parametrize("linter", FILES)
def test_a_linter_tells_where_and_a_finding_stays_the_same_when_it_moves(
    tmp_path: Path, request: pytest.FixtureRequest, linter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if linter not in ON_THE_PATH:
        (tmp_path / "node_modules").symlink_to(request.getfixturevalue("packages"))
    elif shutil.which(ON_THE_PATH[linter]) is None:
        pytest.skip(f"there is no {linter} here")
    elif broken := lacking(ON_THE_PATH[linter]):
        pytest.skip(f"{linter} cannot start here: {broken.why}. {broken.fix}")
    monkeypatch.setenv("TMPDIR", str(tmp_path.parent))
    rule, where, severity = FOUND[linter]
    file, _, line = where.partition(":")

    first = lint_files(tmp_path, FILES[linter])
    moved = lint_files(tmp_path, {file: lower(file, FILES[linter][file])})

    assert (rule, where, severity) in placed(first)
    assert (rule, f"{file}:{int(line) + 3}", severity) in placed(moved)
    assert {finding.key for finding in first.findings} == {finding.key for finding in moved.findings}
    assert () == first.blockers


ADDED = {"eslint": ("pond.js", "other;\n", "no-undef"), "shellcheck": ("pond.sh", "cd $2\n", "SC2164")}


@pytest.mark.parametrize("linter", ADDED)
def test_a_changed_file_is_compared_with_how_it_was(
    tmp_path: Path, request: pytest.FixtureRequest, linter: str
) -> None:
    if linter not in ON_THE_PATH:
        (tmp_path / "node_modules").symlink_to(request.getfixturevalue("packages"))
    elif shutil.which(ON_THE_PATH[linter]) is None:
        pytest.skip(f"there is no {linter} here")
    file, line, rule = ADDED[linter]
    text = FILES[linter][file]
    count = text.count("\n")
    lines = "".join(f" {one}\n" for one in text.splitlines())
    diff = f"diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1,{count} +1,{count + 1} @@\n{lines}+{line}"
    lint = Lint(seconds=120)
    with_checkpoints = Scenario(settings={"use.checkpoints": "store"})

    async def story() -> Evaluation | None:
        async with make_run(tmp_path, stage=with_checkpoints) as run:
            before = await lint.baseline(run)
            (tmp_path / file).write_text(f"{text}{line}")
            work = ExecutionResult("done", diff=diff, files=(file,), checkpoint="1", baseline=before)
            return await lint.evaluate(work, run)

    for name, content in FILES[linter].items():
        (tmp_path / name).write_text(content)
    evaluation = asyncio.run(story())

    assert evaluation is not None
    important = [(one.rule, one.where) for one in evaluation.findings if one.severity is Severity.IMPORTANT]
    assert ([(rule, f"{file}:{count + 1}")], ()) == (important, evaluation.missing)
