"""Detect from a project's files how its tests are run: by which test framework and command."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from openkoi_base.files.project_files import find_project_files, read_source, read_toml
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .package import Package

CONFTESTS = ("conftest.py", "tests/conftest.py", "test/conftest.py")
PYTEST_TABLES = (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
PYTEST_TEST = lazy_pattern(r"^\s*(import pytest|from pytest)\b|^(async )?def test_", re.MULTILINE)
NODE_TEST = lazy_pattern(r"(^|[.\-_])test(\b|[.\-_])")
UNITTEST_TEST = lazy_pattern(r"\bTestCase\b")


class RunnerKind(StrEnum):
    """How a project runs its tests."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    NODE = "node"
    NPM = "npm"
    CARGO = "cargo"
    GO = "go"
    MAKE = "make"
    JUST = "just"
    COMMAND = "command"


def asks_for_pytest(root: Path) -> bool:
    """Return whether the project configures pytest."""
    if any((root / name).is_file() for name in ("pytest.ini", ".pytest.ini", "pytest.toml", *CONFTESTS)):
        return True
    tools = read_toml(root / "pyproject.toml").get("tool", {})
    named = any(table in read_source(root / name) for name, table in PYTEST_TABLES)
    return named or (isinstance(tools, dict) and "pytest" in tools)


def detect_python_runner(root: Path) -> RunnerKind | None:
    """Return the runner that the Python tests were written for; plain test cases run under either."""
    kind = None
    for path in python_test_files(root):
        written = read_source(path)
        if PYTEST_TEST.search(written):
            return RunnerKind.PYTEST
        if UNITTEST_TEST.search(written):
            kind = RunnerKind.UNITTEST
    return kind


def detect_runners(root: Path) -> Iterator[RunnerKind]:
    """Return the runners of other languages that a folder's manifests name, the preferred first."""
    if (root / "Cargo.toml").is_file():
        yield RunnerKind.CARGO
    if (root / "go.mod").is_file():
        yield RunnerKind.GO
    if Package.read(root).test_script:
        yield RunnerKind.NPM
    elif any("node:test" in read_source(path) for path in node_test_files(root)):
        yield RunnerKind.NODE
    if find_target(read_makefile(root)):
        yield RunnerKind.MAKE
    if find_target(read_justfile(root)):
        yield RunnerKind.JUST


def find_target(recipes: Path) -> str:
    """Return the target that runs tests; empty if there is none."""
    named = re.findall(r"^@?(test|check)\b[^:=\n]*:(?!=)", read_source(recipes), re.MULTILINE)
    return "test" if "test" in named else next(iter(named), "")


def read_makefile(root: Path) -> Path:
    """Return the Makefile that make would use."""
    names = ("GNUmakefile", "makefile", "Makefile")
    return next((root / name for name in names if (root / name).is_file()), root / "Makefile")


def read_justfile(root: Path) -> Path:
    """Return the recipes that just would use."""
    names = ("justfile", ".justfile", "Justfile")
    return next((root / name for name in names if (root / name).is_file()), root / "justfile")


def unittest_folders(root: Path) -> list[str]:
    """Return the folders to discover unittest tests from: those of the test files, or of their packages."""
    folders = dict.fromkeys(package_root(path.parent, root) for path in python_test_files(root))
    return [folder.relative_to(root).as_posix() for folder in folders]


def package_root(folder: Path, root: Path) -> Path:
    """Return the folder that contains the outermost package."""
    while folder != root and (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def python_test_files(root: Path) -> Iterator[Path]:
    """Yield Python test files, by the names that both runners recognise."""
    return find_project_files(
        root, lambda name: name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py"))
    )


def node_test_files(root: Path) -> Iterator[Path]:
    """Yield JavaScript test files, by the names that node recognises."""
    for path in find_project_files(root, lambda name: name.endswith((".js", ".mjs", ".cjs"))):
        if path.parent.name == "test" or NODE_TEST.search(path.stem):
            yield path
