"""Find out from a project's files how its tests are run. Reads files, runs nothing."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

PASSED_OVER = {"node_modules", "venv", "site-packages", "target", "build", "dist", "vendor", "__pycache__"}
MOST_FILES = 20_000
CONFTESTS = ("conftest.py", "tests/conftest.py", "test/conftest.py")
PYTEST_TABLES = (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]"))
PYTEST_TEST = re.compile(r"^\s*(import pytest|from pytest)\b|^(async )?def test_", re.MULTILINE)
UNITTEST_TEST = re.compile(r"\bTestCase\b")
NO_TEST = "no test specified"


class Kind(StrEnum):
    """How a project runs its tests."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    NODE = "node"
    NPM = "npm"
    CARGO = "cargo"
    GO = "go"
    MAKE = "make"


def kind_of(root: Path) -> Kind | None:
    """The project's runner; None when it has no tests that we know how to run."""
    if asks_for_pytest(root):
        return Kind.PYTEST
    return python_tests(root) or next(manifests(root), None)


def kinds_of(root: Path, before: Kind | None) -> tuple[Kind, ...]:
    """The project's runner, and the one it had before if that still has something to run."""
    now = kind_of(root)
    stays = before if before and before is not now and before in manifests(root) else None
    return tuple(kind for kind in (now, stays) if kind)


def asks_for_pytest(root: Path) -> bool:
    """Whether the project configures pytest."""
    if any((root / name).is_file() for name in ("pytest.ini", ".pytest.ini", "pytest.toml", *CONFTESTS)):
        return True
    tools = toml(root / "pyproject.toml").get("tool", {})
    named = any(table in source(root / name) for name, table in PYTEST_TABLES)
    return named or (isinstance(tools, dict) and "pytest" in tools)


def python_tests(root: Path) -> Kind | None:
    """The runner that the Python tests were written for; plain test cases run under either."""
    kind = None
    for path in test_files(root):
        written = source(path)
        if PYTEST_TEST.search(written):
            return Kind.PYTEST
        if UNITTEST_TEST.search(written):
            kind = Kind.UNITTEST
    return kind


def manifests(root: Path) -> Iterator[Kind]:
    """The runners of other languages, by their manifests, the one to be preferred first."""
    if (root / "Cargo.toml").is_file():
        yield Kind.CARGO
    if (root / "go.mod").is_file():
        yield Kind.GO
    if has_npm_test(root):
        yield Kind.NPM
    if any("node:test" in source(path) for path in node_tests(root)):
        yield Kind.NODE
    if re.search(r"^test\s*:", source(makefile(root)), re.MULTILINE):
        yield Kind.MAKE


def npm_test(root: Path) -> str:
    """What ``npm test`` runs; empty when there is nothing, or only what ``npm init`` left there."""
    try:
        package = json.loads(source(root / "package.json") or "{}")
        script = str(package.get("scripts", {}).get("test", ""))
    except (ValueError, AttributeError):
        return ""
    return "" if NO_TEST in script else script


def has_npm_test(root: Path) -> bool:
    """Whether there is an ``npm test``."""
    return bool(npm_test(root).strip())


def makefile(root: Path) -> Path:
    """The Makefile that make would take."""
    names = ("GNUmakefile", "makefile", "Makefile")
    return next((root / name for name in names if (root / name).is_file()), root / "Makefile")


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


def source(path: Path) -> str:
    """The text of a file; empty when there is none to read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def toml(path: Path) -> dict[str, object]:
    """A TOML file's tables; none when it is missing or broken."""
    try:
        return tomllib.loads(source(path))
    except tomllib.TOMLDecodeError:
        return {}
