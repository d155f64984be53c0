"""Test nested folders: a scan takes the same effort for each, however deep it is."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from openkoi_checkpoints.manifest import PathEntry
from openkoi_checkpoints.scan import ScanRules, WorkspaceScanner

RULES = ScanRules(frozenset(), 1_000_000, 100_000, "")


def make_deep(root: Path, depth: int) -> Path:
    """Make folders in folders, each with a file; a rule of the root applies to all of them."""
    root.mkdir()
    (root / ".gitignore").write_text("*.log\n!/d/keep.log\n")
    for number in range(1, depth + 1):
        folder = f"{root}{'/d' * number}"
        os.mkdir(folder)  # noqa: PTH102  # as in the code that is tested, a Path would take long
        for name in ("a.txt", "keep.log"):
            with open(f"{folder}/{name}", "w") as file:  # noqa: PTH123
                file.write(name)
    return root


def scan(root: Path, known: Mapping[str, PathEntry]) -> dict[str, PathEntry]:
    return WorkspaceScanner(root, RULES, known, lambda data: str(len(data))).entries()


def count_calls(function: Callable[[], object]) -> int:
    """Return how many calls and steps of generators a function makes."""
    counted = 0

    def count(*_: object) -> None:
        nonlocal counted
        counted += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("again", [False, True])
def test_a_scan_does_as_much_for_a_deep_folder_as_for_a_flat_one(tmp_path: Path, again: bool) -> None:
    shallow, deep = make_deep(tmp_path / "shallow", 60), make_deep(tmp_path / "deep", 240)
    known = {root: scan(root, {}) if again else {} for root in (shallow, deep)}

    few, many = (count_calls(partial(scan, root, known[root])) for root in (shallow, deep))

    assert many < 4.4 * few


def test_rules_of_the_root_apply_in_the_deepest_folder(tmp_path: Path) -> None:
    found = scan(make_deep(tmp_path / "deep", 240), {})

    kinds = {path: entry.kind for path, entry in found.items()}
    assert 1 + 3 * 240 == len(kinds)
    assert {"file"} == {kinds["d/" * depth + "a.txt"].value for depth in range(1, 241)}
    assert "file" == kinds["d/keep.log"].value
    assert {"ignored"} == {kinds["d/" * depth + "keep.log"].value for depth in range(2, 241)}
