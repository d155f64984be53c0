"""Test that files in the way of undo stay, and that undo then leaves alone what it would have moved there."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore
from openkoi_hookspecs import Restoration

TEXT = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(folder=tmp_path / "kept")


def undo(store: CheckpointStore, root: Path, work: Callable[[], object], user: Callable[[], object]) -> Restoration:
    """Undo the work after an action of the user."""
    before = asyncio.run(store.create(root))
    work()
    after = asyncio.run(store.create(root))
    user()
    return asyncio.run(store.restore(root, before, since=after))


def write(path: Path, text: str) -> None:
    """Write a file in place of whatever is there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def move(path: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    path.rename(new)


def files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def remove_folder(root: Path) -> None:
    shutil.rmtree(root / "x")


@pytest.mark.parametrize("taken", ["x", "x/y.txt/inside"])
def test_a_renamed_file_that_the_user_edited_stays_where_its_old_name_is_taken(
    store: CheckpointStore, tmp_path: Path, taken: str
) -> None:
    root = tmp_path / "own"
    write(root / "x/y.txt", TEXT)

    def work() -> None:
        move(root / "x/y.txt", root / "z.txt")
        remove_folder(root)

    def user() -> None:
        write(root / "z.txt", TEXT.replace("line 20", "mine"))
        write(root / taken, "mine\n")

    restoration = undo(store, root, work, user)

    assert {taken: "mine\n", "z.txt": TEXT.replace("line 20", "mine")} == files(root)
    assert {"x/y.txt" if "inside" in taken else "x", "z.txt"} == set(restoration.conflicts)
    assert "changed later, and its old name x/y.txt is taken" == restoration.conflicts["z.txt"]


def test_a_renamed_file_gets_its_name_back_that_the_work_gave_to_a_folder(
    store: CheckpointStore, tmp_path: Path
) -> None:
    root = tmp_path / "own"
    write(root / "d.txt", TEXT)
    edited = TEXT.replace("line 20", "mine")

    def work() -> None:
        move(root / "d.txt", root / "e.txt")
        write(root / "d.txt/inside.txt", "by the work\n")

    before, after = undo_and_redo(store, root, work, lambda: write(root / "e.txt", edited))

    assert ({"d.txt": edited}, {"d.txt/inside.txt": "by the work\n", "e.txt": edited}) == (before, after)


def undo_and_redo(
    store: CheckpointStore, root: Path, work: Callable[[], object], user: Callable[[], object]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files after an undo, and those after a redo, both without any conflict."""
    before = asyncio.run(store.create(root))
    work()
    after = asyncio.run(store.create(root))
    user()
    undone = asyncio.run(store.restore(root, before, since=after))
    first = files(root)
    redone = asyncio.run(store.restore(root, after, since=before))
    assert ({}, {}, {}, {}) == (undone.conflicts, undone.left, redone.conflicts, redone.left)
    return first, files(root)


def test_files_of_a_folder_come_back_where_the_work_s_file_in_its_place_was_deleted(
    store: CheckpointStore, tmp_path: Path
) -> None:
    root = tmp_path / "own"
    write(root / "x/y.txt", TEXT)
    restoration = undo(store, root, lambda: write(root / "x", "by the work\n"), lambda: (root / "x").unlink())

    assert ({"x/y.txt": TEXT}, {}) == (files(root), {**restoration.conflicts, **restoration.left})


def test_empty_folders_of_the_user_make_way_for_a_file(store: CheckpointStore, tmp_path: Path) -> None:
    root = tmp_path / "own"
    write(root / "a.txt", TEXT)

    def user() -> None:
        (root / "a.txt/inside.txt").unlink()
        (root / "a.txt/deep/er").mkdir(parents=True)

    def work() -> None:
        (root / "a.txt").unlink()
        write(root / "a.txt/inside.txt", "by the work\n")

    restoration = undo(store, root, work, user)

    assert ({"a.txt": TEXT}, {}) == (files(root), {**restoration.conflicts, **restoration.left})


def test_an_empty_file_is_no_conflict_where_the_user_wrote_one_of_that_name(
    store: CheckpointStore, tmp_path: Path
) -> None:
    root = tmp_path / "own"
    write(root / "new.txt", "")
    restoration = undo(store, root, lambda: (root / "new.txt").unlink(), lambda: write(root / "new.txt", "mine\n"))

    assert ({"new.txt": "mine\n"}, {}) == (files(root), dict(restoration.conflicts))


def test_a_file_that_the_user_made_executable_stays_though_a_folder_was_in_its_place(
    store: CheckpointStore, tmp_path: Path
) -> None:
    root = tmp_path / "own"
    write(root / "x/y.txt", TEXT)
    restoration = undo(store, root, lambda: write(root / "x", "#!/bin/sh\n"), lambda: (root / "x").chmod(0o755))

    assert ({"x": "#!/bin/sh\n"}, ["x"]) == (files(root), [*restoration.conflicts])


def test_a_link_in_place_of_a_renamed_file_that_the_user_moved_back_is_no_conflict(
    store: CheckpointStore, tmp_path: Path
) -> None:
    root = tmp_path / "own"
    write(root / "a.txt", TEXT)

    def user() -> None:
        move(root / "b.txt", root / "a.txt")
        (root / "b.txt").symlink_to("a.txt")

    restoration = undo(store, root, lambda: move(root / "a.txt", root / "b.txt"), user)

    assert ({}, {}) == (dict(restoration.conflicts), dict(restoration.left))
    assert ({"a.txt": TEXT, "b.txt": TEXT}, True) == (files(root), (root / "b.txt").is_symlink())


def test_force_overwrites_what_is_in_the_way_and_keeps_what_cannot_be_moved(
    store: CheckpointStore, tmp_path: Path
) -> None:
    """A folder with the user's files is never deleted."""
    root = tmp_path / "own"
    write(root / "d.txt", TEXT)
    edited = TEXT.replace("line 20", "mine")
    before = asyncio.run(store.create(root))
    move(root / "d.txt", root / "e.txt")
    after = asyncio.run(store.create(root))
    write(root / "e.txt", edited)
    write(root / "d.txt/mine.txt", "mine\n")
    restoration = asyncio.run(store.restore(root, before, since=after, force=True))

    assert {"d.txt/mine.txt": "mine\n", "e.txt": edited} == files(root)
    assert {"d.txt": "something else exists there now"} == restoration.left


def user(path: Path) -> None:
    """Write a file some time before it is scanned."""
    write(path, "mine\n")
    time.sleep(2.1)


def test_what_the_user_wrote_before_an_undo_is_kept_for_the_undo_after_it(
    store: CheckpointStore, tmp_path: Path
) -> None:
    """The checkpoint after a restore contains every file, not only the restored ones.

    A file is read again unless it was written two seconds before.
    """
    root = tmp_path / "own"
    write(root / "a.txt", TEXT)
    write(root / "b.txt", TEXT)
    undo(store, root, lambda: write(root / "a.txt", "by the work\n"), lambda: user(root / "b.txt"))
    restoration = undo(store, root, lambda: write(root / "b.txt", "by the next work\n"), lambda: None)

    assert ({"a.txt": TEXT, "b.txt": "mine\n"}, {}) == (files(root), dict(restoration.left))
