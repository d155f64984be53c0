"""Test that exactly the files that git ignores are ignored."""

import random
import shutil
from pathlib import Path

import pytest
from ignored_trees import grow_tree, seen_by_git, seen_by_us

from openkoi_checkpoints.gitignore import GitIgnore


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize("seed", range(40))
def test_git_and_we_see_the_same(tmp_path: Path, seed: int) -> None:
    grow_tree(tmp_path / "root", random.Random(seed))

    assert seen_by_git(tmp_path / "root") == seen_by_us(tmp_path / "root")


def test_a_deeper_file_outranks_one_above() -> None:
    rules = {"": b"*.log\n", "keep": b"!*.log\n"}
    ignored = GitIgnore(lambda folder: rules.get(folder, b""))

    assert ignored.hides("a.log", folder=False)
    assert not ignored.hides("keep/a.log", folder=False)


def test_nothing_comes_back_below_a_hidden_folder() -> None:
    ignored = GitIgnore(lambda folder: b"" if folder else b"out/\n!out/keep\n")

    assert ignored.hides("out/keep", folder=False)
