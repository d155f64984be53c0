"""Show in which rules pathspec differs from git, so that checkpoints have their own (see decision 13).

If a test fails because pathspec agrees with git, a newer one may be able to replace ``openkoi_checkpoints.pattern``.
"""

import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ignored_trees import grow_tree, seen_by_git, seen_by_us
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

pytestmark = [
    pytest.mark.skipif(not shutil.which("git"), reason="git is not installed: apt-get install git"),
    pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning"),
]
DIFFERENT = {
    "a/**/": "a/file",  # git: only the folders in a
    "[[:alpha:]]": "b",  # git: a letter
    "[x\\]]": "]",  # git: x or a closing bracket
    "*\na\n!a": "a/a",  # git: the last rule applies
}
TREES = 300


def seen_by_pathspec(root: Path, folder: str = "", above: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> Iterator[str]:
    """Yield the files that are not hidden; like git, do not look into hidden folders, and compare bytes."""
    specs = ((folder, read_spec(root / folder / ".gitignore")), *above)
    for entry in os.scandir(root / folder):
        path = f"{folder}/{entry.name}".removeprefix("/")
        if entry.name == ".git" or is_hidden(path, specs, folder=entry.is_dir()):
            continue
        if entry.is_dir():
            yield from seen_by_pathspec(root, path, specs)
        else:
            yield path


def is_hidden(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...], *, folder: bool) -> bool:
    for above, spec in specs:
        below = os.fsencode(path[len(above) :].removeprefix("/")).decode("latin-1")
        found = spec.check_file(below + "/" * folder).include
        if found is not None:
            return found
    return False


def read_spec(path: Path) -> GitIgnoreSpec:
    data = path.read_bytes().removeprefix("\ufeff".encode()) if path.is_file() else b""
    return GitIgnoreSpec.from_lines([line for line in data.decode("latin-1").split("\n") if is_valid(line)])


def is_valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (GitIgnorePatternError, re.error):
        return False
    return True


@pytest.mark.parametrize(("rules", "file"), DIFFERENT.items())
def test_git_and_we_agree_on_a_rule_but_pathspec_differs(tmp_path: Path, rules: str, file: str) -> None:
    root = tmp_path / "root"
    (root / file).parent.mkdir(parents=True)
    (root / file).touch()
    (root / ".gitignore").write_text(rules)

    assert seen_by_git(root) == seen_by_us(root)
    assert seen_by_git(root) != sorted(seen_by_pathspec(root))


@pytest.mark.campaign
def test_pathspec_differs_in_random_trees_and_we_do_not(tmp_path: Path) -> None:
    ours = theirs = 0
    for seed in range(TREES):
        root = tmp_path / str(seed)
        grow_tree(root, random.Random(seed))
        git = seen_by_git(root)
        ours += git != seen_by_us(root)
        theirs += git != sorted(seen_by_pathspec(root))

    assert 0 == ours
    assert theirs, "pathspec agrees with git in all trees"
    print(f"Of {TREES} trees, {theirs} differ from git with pathspec.")
