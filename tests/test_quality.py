"""What reviewers would repeat: the shape of the code. Format, lint and types are `poe lint` and `poe types`."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SKIPPED = {".venv", "tests", "project", "build", "dist"}
FUNCTIONS_MEDIAN, FUNCTIONS_P90, FUNCTION_LONGEST, FILE_P90, FILE_LONGEST = 7, 25, 60, 200, 400


def sources() -> Iterator[Path]:
    for path in ROOT.rglob("*.py"):
        if not SKIPPED & set(path.relative_to(ROOT).parts):
            yield path


def lengths() -> list[int]:
    trees = (ast.parse(path.read_text()) for path in sources())
    return [length for tree in trees for length in lengths_in(tree)]  # no tree is kept: all are slow to collect


def lengths_in(tree: ast.Module) -> list[int]:
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]


def p90(values: list[int]) -> int:
    return sorted(values)[int(len(values) * 0.9)]


def test_functions_are_short() -> None:
    found = lengths()

    assert statistics.median(found) <= FUNCTIONS_MEDIAN
    assert p90(found) <= FUNCTIONS_P90
    assert max(found) <= FUNCTION_LONGEST


def test_files_are_short() -> None:
    found = [len(path.read_text().splitlines()) for path in sources()]

    assert p90(found) <= FILE_P90
    assert max(found) <= FILE_LONGEST


def test_nothing_is_left_undone() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "NotImplemented" + "Error", "Magic" + "Mock", "mock." + "patch")
    found = [
        (path.name, mark)
        for path in ROOT.rglob("*.py")
        if ".venv" not in path.parts
        for mark in marks
        if mark in path.read_text()
    ]

    assert [] == found
