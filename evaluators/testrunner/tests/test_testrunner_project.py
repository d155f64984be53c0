"""Test which runner is chosen from a project's files."""

from pathlib import Path

import pytest

from openkoi_testrunner.project import RunnerKind, unittest_folders
from openkoi_testrunner.suites import Suite, suites_of

CASE = "from unittest import TestCase\n\nclass A(TestCase):\n    def test_a(self): ...\n"
NOTHING_YET = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
PROJECTS = {
    "an ini": ({"pytest.ini": ""}, RunnerKind.PYTEST),
    "a table": ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, RunnerKind.PYTEST),
    "a newer table": ({"pyproject.toml": "[tool.pytest]\n"}, RunnerKind.PYTEST),
    "a cfg": ({"setup.cfg": "[tool:pytest]\n"}, RunnerKind.PYTEST),
    "a conftest": ({"tests/conftest.py": ""}, RunnerKind.PYTEST),
    "a function": ({"a/tests/test_a.py": "async def test_a(): ..."}, RunnerKind.PYTEST),
    "an import": ({"a_test.py": CASE + "import pytest\n"}, RunnerKind.PYTEST),
    "a test case": ({"test_a.py": CASE}, RunnerKind.UNITTEST),
    "both": ({"test_a.py": CASE, "test_b.py": "def test_b(): ..."}, RunnerKind.PYTEST),
    "another's tests": ({".venv/lib/test_a.py": CASE, "node_modules/a/test_a.py": CASE}, None),
    "an npm script": ({"package.json": '{"scripts": {"test": "vitest run"}}'}, RunnerKind.NPM),
    "npm's placeholder": ({"package.json": NOTHING_YET}, None),
    "a broken manifest": ({"package.json": "{", "pyproject.toml": "[tool"}, None),
    "an odd manifest": ({"package.json": '{"scripts": []}'}, None),
    "a node test": ({"a.test.mjs": "import test from 'node:test'"}, RunnerKind.NODE),
    "a node folder": ({"test/a.js": "require('node:test')"}, RunnerKind.NODE),
    "a crate": ({"Cargo.toml": ""}, RunnerKind.CARGO),
    "a module": ({"go.mod": ""}, RunnerKind.GO),
    "a target": ({"Makefile": "build:\n\ttrue\ntest: build\n\ttrue\n"}, RunnerKind.MAKE),
    "another target": ({"Makefile": "testing:\n\ttrue\n"}, None),
    "python before make": ({"Makefile": "test:\n", "test_a.py": "def test_a(): ..."}, RunnerKind.PYTEST),
    "nothing": ({"README.md": "def test_a"}, None),
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_files_say_which_runner(tmp_path: Path, name: str) -> None:
    files, expected = PROJECTS[name]
    write(tmp_path, files)

    assert ([Suite(expected)] if expected else []) == list(suites_of(tmp_path))


def test_unittest_starts_above_the_outermost_package(tmp_path: Path) -> None:
    package = {"a/__init__.py": "", "a/tests/__init__.py": "", "a/tests/test_a.py": CASE}
    write(tmp_path, {**package, "tests/test_b.py": CASE})

    assert [".", "tests"] == unittest_folders(tmp_path)
