"""Undo merges files with repeated lines as ``git merge-file`` does: the same text, and the same conflicts."""

import json
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import shell
from test_undo_git import run

COUNT = 300
REPEATED = ("a\n", "}\n", "\n", "  pass\n", "return x\n", "b\n")


def some_lines(chance: random.Random, count: int, repeated: int, new: str) -> list[str]:
    """Return lines of which most are repeated."""
    lines = REPEATED[:repeated]
    return [chance.choice(lines) if chance.random() < 0.7 else f"{new} {chance.randint(0, 30)}\n" for _ in range(count)]


def edit_lines(chance: random.Random, lines: list[str], repeated: int) -> list[str]:
    """Insert, delete, replace or copy some lines."""
    texts = [*lines]
    for _ in range(chance.randint(1, 3)):
        place, count, act = chance.randint(0, len(texts)), chance.randint(1, 3), chance.random()
        fresh = texts[place : place + count] if act < 0.2 else some_lines(chance, count, repeated, "new")
        there = chance.randint(0, len(texts)) if act < 0.2 else place
        texts[there : there + (count if act > 0.55 else 0)] = [] if act > 0.75 else fresh
    if chance.random() < 0.15 and texts:
        texts[-1] = texts[-1].removesuffix("\n")
    return texts


def three_versions(seed: int) -> tuple[bytes, bytes, bytes]:
    """Return a text before a task, after it, and as others left it."""
    chance = random.Random(seed)
    repeated = chance.choice([2, 3, 4, 6])
    after = some_lines(chance, chance.randint(3, 25), repeated, "line")
    before, now = edit_lines(chance, after, repeated), edit_lines(chance, after, repeated)
    texts = ["".join(lines).encode() for lines in (before, after, now)]
    return texts[0] or b"\n", texts[1], texts[2] or b"\n"


def merge_by_git(folder: Path, before: bytes, after: bytes, now: bytes) -> bytes:
    """Return what git makes of it; what stands there now where changes conflict."""
    for name, data in (("before", before), ("after", after), ("now", now)):
        (folder / name).write_bytes(data)
    command = ["git", "merge-file", "-p", "now", "after", "before"]
    result = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return now if result.returncode else result.stdout


@pytest.mark.parametrize("first", [0, pytest.param(COUNT, marks=pytest.mark.campaign)])
def test_files_with_repeated_lines_are_merged_as_by_git(tmp_path: Path, first: int) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n')
    versions = {f"{seed:04}.txt": three_versions(seed) for seed in range(first, first + COUNT)}
    (tmp_path / "after.json").write_text(json.dumps({name: each[1].decode() for name, each in versions.items()}))
    for name, (before, _, _) in versions.items():
        (openkoi.folder / name).write_bytes(before)
    source = str(tmp_path / "after.json")
    code = f"import json, pathlib; [pathlib.Path(n).write_text(t) for n, t in json.load(open({source!r})).items()]"
    run(openkoi, f"{sys.executable} -c {shlex.quote(code)}")
    for name, (_, _, now) in versions.items():
        (openkoi.folder / name).write_bytes(now)
    openkoi("undo")
    wanted = {name: merge_by_git(tmp_path, *each) for name, each in versions.items()}
    conflicts = [name for name, (_, _, now) in versions.items() if wanted[name] == now]

    assert COUNT / 6 < len(conflicts) < COUNT
    assert [] == [name for name in versions if (openkoi.folder / name).read_bytes() != wanted[name]]
