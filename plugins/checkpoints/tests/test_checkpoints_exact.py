"""Test each defect that generated repositories revealed."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore
from openkoi_checkpoints.apply_restore import RestoreExecutor
from openkoi_checkpoints.manifest import PathEntry, PathKind
from openkoi_checkpoints.restore_plan import CHANGED, RestorePlan
from openkoi_checkpoints.scan import MAX_IGNORED_FILES

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes are POSIX's")


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def left(store: CheckpointStore, root: Path, id: str) -> dict[str, str]:
    """Restore; return the files that were left alone."""
    restoration = asyncio.run(store.restore(root, id))
    return {**restoration.conflicts, **restoration.left}


@pytest.mark.parametrize("name", ["node_modules", "sub/.git", ".venv"])
def test_a_folder_that_is_skipped_is_reported_when_it_is_gone(store: CheckpointStore, root: Path, name: str) -> None:
    (root / name).mkdir(parents=True)
    (root / name / "HEAD").touch()
    first = take(store, root)
    shutil.rmtree(root / name)
    take(store, root)

    assert {name: "skipped, so it was not saved"} == left(store, root, first)


def test_one_that_came_stays_without_a_word(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "__pycache__").mkdir()
    take(store, root)

    assert {} == left(store, root, first)


def test_a_file_named_git_is_a_file(store: CheckpointStore, root: Path) -> None:
    """A submodule's, or a second working tree's."""
    (root / ".git").write_text("gitdir: ../elsewhere\n")
    first = take(store, root)
    (root / ".git").unlink()
    take(store, root)

    assert {} == left(store, root, first)
    assert "gitdir: ../elsewhere\n" == (root / ".git").read_text()


@posix
def test_a_pipe_that_is_gone_is_named(store: CheckpointStore, root: Path) -> None:
    os.mkfifo(root / "pipe")
    first = take(store, root)
    (root / "pipe").unlink()
    take(store, root)

    assert {"pipe"} == left(store, root, first).keys()


@posix
def test_a_link_that_cannot_be_put_in_place_leaves_nothing_behind(store: CheckpointStore, root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    first = take(store, root)
    (root / "link").unlink()
    (root / "link").mkdir()
    take(store, root)
    (root / "link" / "mine").touch()

    assert {"link"} == left(store, root, first).keys()
    assert {"a.txt", "link"} == {path.name for path in root.iterdir()}


def test_a_folder_stays_when_the_file_that_it_makes_way_for_is_lost(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "a.txt").unlink()
    (root / "a.txt").mkdir()
    (root / "a.txt" / "inside").write_text("by the run\n")
    take(store, root)
    next(path for path in store.folder.glob("blobs/*/*") if path.read_bytes() == b"first\n").unlink()

    assert {"a.txt"} == left(store, root, first).keys()
    assert "by the run\n" == (root / "a.txt" / "inside").read_text()


@posix
def test_a_mode_that_changed_alone_leaves_hard_links_together(store: CheckpointStore, root: Path) -> None:
    (root / "twin").hardlink_to(root / "a.txt")
    first = take(store, root)
    (root / "a.txt").chmod(0o600)
    take(store, root)

    assert {} == left(store, root, first)
    assert (root / "twin").samefile(root / "a.txt")


def test_of_an_ignored_folder_with_too_much_in_it_only_the_folder_is_named(store: CheckpointStore, root: Path) -> None:
    (root / ".gitignore").write_text("out/\n")
    first = take(store, root)
    (root / "out").mkdir()
    for n in range(MAX_IGNORED_FILES + 1):
        (root / "out" / str(n)).touch()
    take(store, root)

    assert {"out"} == left(store, root, first).keys()
    assert (root / "out" / "7").exists()


def test_what_changes_while_it_is_being_restored_is_left(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a person was quicker")
    seen, want = (
        PathEntry("a", PathKind.FILE, 0o644, 3, "x", stamp=(3, 5)),
        PathEntry("a", PathKind.FILE, 0o644, 3, "y"),
    )
    builder = RestoreExecutor(tmp_path, {"a": seen}, lambda entry: b"old")

    assert {"a": CHANGED} == builder.carry_out(RestorePlan(make=[want]))
    assert {"a": CHANGED} == builder.carry_out(RestorePlan(remove=[seen]))
    assert {"b": CHANGED} == came_meanwhile(tmp_path, want)


def came_meanwhile(root: Path, want: PathEntry) -> dict[str, str]:
    """Write to a path where a file has appeared meanwhile."""
    (root / "b").touch()
    return RestoreExecutor(root, {}, lambda entry: b"old").carry_out(
        RestorePlan(make=[PathEntry("b", PathKind.FILE, want.mode)])
    )


AS_NOBODY = """
import asyncio, os, pathlib, sys
from openkoi_checkpoints import CheckpointStore, stored_workspaces  # while the library can be read
asyncio.run(asyncio.to_thread(int))
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
home = pathlib.Path(sys.argv[1])
root, store = home / "root", CheckpointStore(folder=home / "kept")
(root / "shut").mkdir(parents=True)
(root / "shut" / "a").write_text("first")
(root / "shut").chmod(0o555)
async def story():
    first = await store.create(root)
    (root / "shut").chmod(0o755)
    (root / "shut" / "a").write_text("second")
    (root / "shut" / "new").mkdir()
    (root / "shut" / "new" / "file").touch()
    (root / "shut" / "new").chmod(0o500)
    (root / "shut").chmod(0o555)
    await store.create(root)
    await store.restore(root, first)
asyncio.run(story())
assert ["a"] == os.listdir(root / "shut")
assert "first" == (root / "shut" / "a").read_text()
assert 0o555 == (root / "shut").stat().st_mode & 0o777
"""


@posix
def test_folders_that_may_not_be_written_in_are_opened_and_shut_again() -> None:
    """As a user to whom file modes apply, since tests may run as root."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o777)
        result = subprocess.run([sys.executable, "-c", AS_NOBODY, home], capture_output=True, text=True, check=False)

    assert (0, "") == (result.returncode, result.stderr)
