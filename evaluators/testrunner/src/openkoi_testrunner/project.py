"""Find out from a project's files how its tests are run. Reads files, runs nothing."""

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from .package import Package
from .reading import source, toml

PASSED_OVER = {"node_modules", "venv", "site-packages", "target", "build", "dist", "vendor", "__pycache__"}
MOST_FILES = 20_000
CONFTESTS = ("conftest.py", "tests/conftest.py", "test/conftest.py")
PYTEST_TABLES = (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
PYTEST_TEST = re.compile(r"^\s*(import pytest|from pytest)\b|^(async )?def test_", re.MULTILINE)
UNITTEST_TEST = re.compile(r"\bTestCase\b")


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
    """Whether the project configures pytest."""
    if any((root / name).is_file() for name in ("pytest.ini", ".pytest.ini", "pytest.toml", *CONFTESTS)):
        return True
    tools = toml(root / "pyproject.toml").get("tool", {})
    named = any(table in source(root / name) for name, table in PYTEST_TABLES)
    return named or (isinstance(tools, dict) and "pytest" in tools)


def python_tests(root: Path) -> RunnerKind | None:
    """The runner that the Python tests were written for; plain test cases run under either."""
    kind = None
    for path in test_files(root):
        written = source(path)
        if PYTEST_TEST.search(written):
            return RunnerKind.PYTEST
        if UNITTEST_TEST.search(written):
            kind = RunnerKind.UNITTEST
    return kind


def manifests(root: Path) -> Iterator[RunnerKind]:
    """The runners of other languages that a folder's manifests name, the one to be preferred first."""
    if (root / "Cargo.toml").is_file():
        yield RunnerKind.CARGO
    if (root / "go.mod").is_file():
        yield RunnerKind.GO
    if Package.of(root).test:
        yield RunnerKind.NPM
    elif any("node:test" in source(path) for path in node_tests(root)):
        yield RunnerKind.NODE
    if target(makefile(root)):
        yield RunnerKind.MAKE
    if target(justfile(root)):
        yield RunnerKind.JUST


def target(recipes: Path) -> str:
    """The target that runs tests; empty when there is none."""
    named = re.findall(r"^@?(test|check)\b[^:=\n]*:(?!=)", source(recipes), re.MULTILINE)
    return "test" if "test" in named else next(iter(named), "")


def makefile(root: Path) -> Path:
    """The Makefile that make would take."""
    names = ("GNUmakefile", "makefile", "Makefile")
    return next((root / name for name in names if (root / name).is_file()), root / "Makefile")


def justfile(root: Path) -> Path:
    """The recipes that just would take."""
    names = ("justfile", ".justfile", "Justfile")
    return next((root / name for name in names if (root / name).is_file()), root / "justfile")


def unittest_folders(root: Path) -> list[str]:
    """The folders to discover unittest tests from: those of the test files, or of the packages these belong to."""
    folders = dict.fromkeys(top(path.parent, root) for path in test_files(root))
    return [folder.relative_to(root).as_posix() for folder in folders]


def top(folder: Path, root: Path) -> Path:
    """The folder that holds the outermost package."""
    while folder != root and (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def test_files(root: Path) -> Iterator[Path]:
    """Python test files, by the names that both runners know."""
    for path in files(root):
        if path.suffix == ".py" and (path.name.startswith("test") or path.stem.endswith("_test")):
            yield path


def node_tests(root: Path) -> Iterator[Path]:
    """JavaScript test files, by the names that node knows."""
    for path in files(root):
        named = path.parent.name == "test" or re.search(r"(^|[.\-_])test(\b|[.\-_])", path.stem)
        if named and path.suffix in {".js", ".mjs", ".cjs"}:
            yield path


def files(root: Path) -> Iterator[Path]:
    """The project's own files, up to a bound."""
    left = MOST_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER and not name.startswith("."))
        for name in sorted(names)[:left]:
            yield Path(folder, name)
        left -= len(names)
        if left <= 0:
            return
