"""Test the store beyond the contract."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointNotFoundError, CheckpointStore

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes are POSIX's")


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def restore(store: CheckpointStore, root: Path, id: str) -> dict[str, str]:
    restoration = asyncio.run(store.restore(root, id))
    return {**restoration.conflicts, **restoration.left}


def diff(store: CheckpointStore, root: Path, since: str) -> str:
    return asyncio.run(store.diff(root, since))


def test_nothing_changed_is_the_same_checkpoint(store: CheckpointStore, root: Path) -> None:
    assert take(store, root) == take(store, root)


def test_content_is_kept_once(store: CheckpointStore, root: Path) -> None:
    (root / "b.txt").write_text("first\n")
    take(store, root)

    assert 1 == len([*(store.folder / "blobs").glob("*/*")])


@posix
def test_only_the_owner_may_read_what_is_kept(store: CheckpointStore, root: Path) -> None:
    take(store, root)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in store.folder.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in [store.folder, *store.folder.rglob("*")] if path.is_dir()}
    assert ({0o600}, {0o700}) == (modes, folders)


def test_a_change_in_the_same_instant_is_seen(store: CheckpointStore, root: Path) -> None:
    for n in range(20):
        first = take(store, root)
        before = (root / "a.txt").stat()
        (root / "a.txt").write_text(f"{n:05}\n")
        os.utime(root / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))

        assert f"+{n:05}\n" in diff(store, root, first)


def test_a_new_file_of_a_person_stays_without_a_word(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "sub").mkdir()
    (root / "sub" / "agent.txt").write_text("agent\n")
    take(store, root)
    (root / "sub" / "person.txt").write_text("person\n")

    restore(store, root, first)

    assert ["person.txt"] == [path.name for path in (root / "sub").iterdir()]


def test_what_others_deleted_comes_back_by_force(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "a.txt").write_text("agent\n")
    take(store, root)
    (root / "a.txt").unlink()

    assert {"a.txt": "deleted later, or moved out of this folder"} == restore(store, root, first)
    asyncio.run(store.restore(root, first, force=True))
    assert "first\n" == (root / "a.txt").read_text()


def test_what_was_left_alone_is_so_again_until_it_is_forced(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "a.txt").write_text("agent\n")
    take(store, root)
    (root / "a.txt").write_text("person\n")

    for _ in range(2):
        assert {"a.txt"} == restore(store, root, first).keys()
    restoration = asyncio.run(store.restore(root, first, force=True))
    assert (("a.txt",), "first\n") == (restoration.restored, (root / "a.txt").read_text())


@posix
def test_nothing_is_written_through_a_link(store: CheckpointStore, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "sub").mkdir()
    (root / "sub/file").write_text("inside\n")
    first = take(store, root)
    (root / "sub/file").write_text("agent\n")
    take(store, root)
    (root / "sub/file").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)

    assert {"sub/file"} == restore(store, root, first).keys()
    assert [] == [*outside.iterdir()]


@posix
def test_a_closed_folder_is_opened_and_closed_again(store: CheckpointStore, root: Path) -> None:
    (root / "sub").mkdir(mode=0o755)
    first = take(store, root)
    (root / "sub/new").touch()
    (root / "sub").chmod(0o555)
    take(store, root)

    restore(store, root, first)

    assert [] == [*(root / "sub").iterdir()]
    assert 0o755 == stat.S_IMODE((root / "sub").stat().st_mode)


@posix
def test_names_that_are_no_text_come_back(store: CheckpointStore, root: Path) -> None:
    name = os.fsdecode(b"bad\xff\nname")
    try:
        (root / name).write_text("odd\n")
    except OSError:
        pytest.skip("this file system wants text")
    first = take(store, root)
    (root / name).unlink()
    take(store, root)

    assert 'diff --git "a/bad\\377\\nname" "b/bad\\377\\nname"\ndeleted file' in diff(store, root, first)
    restore(store, root, first)
    assert "odd\n" == (root / name).read_text()


def test_another_workspaces_checkpoint_is_not_restored(store: CheckpointStore, root: Path, tmp_path: Path) -> None:
    first = take(store, root)
    (tmp_path / "other").mkdir()

    with pytest.raises(CheckpointNotFoundError, match=first):
        restore(store, tmp_path / "other", first)


@pytest.mark.parametrize("id", ["", "..", "../../etc/passwd", "/etc/passwd", "\0"])
def test_an_id_is_never_a_path(store: CheckpointStore, root: Path, id: str) -> None:
    with pytest.raises(CheckpointNotFoundError):
        restore(store, root, id)


def test_it_tells_how_it_is(store: CheckpointStore, root: Path) -> None:
    take(store, root)

    assert "1 in 1 workspace" == asyncio.run(store.health())["checkpoints"]
