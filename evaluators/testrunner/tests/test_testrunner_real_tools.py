"""Test runners that are not on every machine: vitest and jest from npm, just from pip. They really run. A campaign."""

import asyncio
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult, Severity
from openkoi_testing import make_run
from openkoi_testrunner import TestRunner

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(300)]
if os.name == "nt":
    pytestmark.append(pytest.mark.skip(reason="links folders, and runs commands of POSIX"))
SCRIPTS = {"vitest": "vitest run", "jest": "NODE_OPTIONS=--experimental-vm-modules jest"}
IMPORTS = {"vitest": 'import { expect, test } from "vitest";\n', "jest": ""}
DEEP = 'test("is deep", () => {\n  expect(2 * 2).toBe(5);\n});\ntest("is wet", () => {});\n'
FLAKY = """
import { existsSync, writeFileSync } from "node:fs";
test("sometimes", () => {
  const seen = existsSync("COUNTER");
  writeFileSync("COUNTER", "");
  expect(seen).toBe(true);
});
"""
ENDLESS = 'test("never ends", () => {\n  for (;;) {}\n});\n'


def fetched(argv: list[str], folder: Path) -> Path:
    """The folder with the packages from a registry; skip the tests without a registry."""
    if shutil.which(argv[0]) is None:
        pytest.skip(f"there is no {argv[0]} here")
    result = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    if result.returncode:
        pytest.skip(f"{argv[0]} could not fetch {argv[-1]}: {result.stderr.strip()[-200:]}")
    return folder


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the packages."""
    folder = tmp_path_factory.mktemp("packages")
    return fetched(["npm", "install", "--silent", "--no-audit", "--no-fund", "vitest", "jest"], folder) / "node_modules"


def run_tests(root: Path, runner: TestRunner | None = None) -> Evaluation:
    async def story() -> Evaluation | None:
        async with make_run(root) as run:
            return await (runner or TestRunner()).evaluate(ExecutionResult("done"), run)

    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation


def project(root: Path, packages: Path, tool: str, tests: str) -> Path:
    """A project whose tests this tool runs."""
    (root / "node_modules").symlink_to(packages)
    (root / "package.json").write_text(f'{{"type": "module", "scripts": {{"test": "{SCRIPTS[tool]}"}}}}')
    (root / "pond.test.js").write_text(IMPORTS[tool] + tests)
    return root


@pytest.mark.row("EVAL-02", "EVAL-25")
@pytest.mark.parametrize("tool", SCRIPTS)
def test_a_red_test_is_told_at_its_line_and_stays_the_same_when_it_moves(
    tmp_path: Path, packages: Path, tool: str
) -> None:
    first = run_tests(project(tmp_path, packages, tool, DEEP))
    (tmp_path / "pond.test.js").write_text(f"{IMPORTS[tool]}\n\n\n{DEEP}")
    moved = run_tests(tmp_path)

    line = 2 + IMPORTS[tool].count("\n")
    assert {"pond.test.js > is deep"} == first.failing
    assert {"pond.test.js > is deep", "pond.test.js > is wet"} == {check.name for check in first.checks}
    assert [f"pond.test.js:{line}"] == [finding.where for finding in first.findings]
    assert [f"pond.test.js:{line + 3}"] == [finding.where for finding in moved.findings]
    assert [finding.key for finding in first.findings] == [finding.key for finding in moved.findings]


@pytest.mark.parametrize("tool", SCRIPTS)
def test_a_flaky_test_is_asked_again_and_named(tmp_path: Path, packages: Path, tool: str) -> None:
    counter = tmp_path / "counter"
    (tmp_path / "pond").mkdir()
    flaky = project(tmp_path / "pond", packages, tool, FLAKY.replace("COUNTER", str(counter)))

    evaluation = run_tests(flaky)

    assert frozenset() == evaluation.failing
    found = [(finding.title, finding.severity) for finding in evaluation.findings]
    assert [("pond.test.js > sometimes is flaky", Severity.SUGGESTION)] == found


@pytest.mark.parametrize("tool", SCRIPTS)
def test_a_test_that_never_ends_fails(tmp_path: Path, packages: Path, tool: str) -> None:
    evaluation = run_tests(project(tmp_path, packages, tool, ENDLESS), TestRunner(seconds=10))

    assert {"npm test"} == evaluation.failing
    assert ["npm test timed out"] == [finding.title for finding in evaluation.findings]


def test_a_recipe_of_just_is_one_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "pond").mkdir()
    pip = ["pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "rust-just"]
    with zipfile.ZipFile(next(fetched(pip, tmp_path).glob("*.whl"))) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/just"))
        (tmp_path / "bin" / "just").write_bytes(wheel.read(name))
    (tmp_path / "bin" / "just").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "pond" / "justfile").write_text("test:\n    @echo 'Error: the pond is dry' && false\n")

    evaluation = run_tests(tmp_path / "pond")

    assert {"just test": False} == {check.name: check.passed for check in evaluation.checks}
    assert evaluation.findings[0].title.startswith("just test fails: ")
