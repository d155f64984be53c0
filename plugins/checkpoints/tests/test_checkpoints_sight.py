"""Test which files the store stores, skips, and only records."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from privileges import bound_by_modes

from openkoi_checkpoints import CheckpointStore, WorkspaceTooLargeError
from openkoi_checkpoints.blob_store import compute_digest
from openkoi_checkpoints.scan import ScanRules, WorkspaceScanner

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes are POSIX's")


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def restore(store: CheckpointStore, root: Path, id: str) -> dict[str, str]:
    restoration = asyncio.run(store.restore(root, id))
    return {**restoration.conflicts, **restoration.left}


def diff(store: CheckpointStore, root: Path, since: str) -> str:
    return asyncio.run(store.diff(root, since))


def test_only_a_file_that_changed_or_just_did_is_read_again(root: Path) -> None:
    rules = ScanRules(skip=frozenset(), most_bytes=1000, most_paths=10, store="")
    datas: list[bytes] = []

    def keep(data: bytes) -> str:
        datas.append(data)
        return compute_digest(data)

    (root / "b.txt").write_text("other\n")
    time.sleep(2.1)
    (root / "b.txt").write_text("changed\n")
    entries = WorkspaceScanner(root, rules, {}, keep).entries()
    assert entries == WorkspaceScanner(root, rules, entries, keep).entries()

    assert [b"changed\n", b"changed\n", b"first\n"] == sorted(datas)


def test_ignored_files_are_neither_kept_nor_shown_nor_deleted(store: CheckpointStore, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nout/\n")
    (root / "old.log").write_text("old\n")
    first = take(store, root)
    (root / "old.log").write_text("grown\n")
    (root / "out").mkdir()
    (root / "out/made").write_text("made\n")

    assert "" == diff(store, root, first)
    restore(store, root, first)
    assert ["grown\n", "made\n"] == [(root / name).read_text() for name in ("old.log", "out/made")]


def test_what_was_kept_stays_in_sight_when_a_rule_comes_to_hide_it(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / ".gitignore").write_text("*.txt\n")
    take(store, root)
    (root / "a.txt").write_text("hidden change\n")
    take(store, root)

    assert "+hidden change\n" in diff(store, root, first)
    restore(store, root, first)
    assert "first\n" == (root / "a.txt").read_text()


def test_what_was_hidden_then_is_not_deleted_now(store: CheckpointStore, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    (root / "old.log").write_text("mine\n")
    first = take(store, root)
    (root / ".gitignore").unlink()
    take(store, root)

    restore(store, root, first)

    assert "mine\n" == (root / "old.log").read_text()


@pytest.mark.parametrize("name", [".git", "node_modules", ".venv", "__pycache__"])
def test_heavy_folders_are_skipped(store: CheckpointStore, root: Path, name: str) -> None:
    first = take(store, root)
    (root / "sub" / name).mkdir(parents=True)
    (root / "sub" / name / "file").touch()

    assert "" == diff(store, root, first)


@pytest.mark.parametrize(
    ("name", "text"), [("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"), ("pyvenv.cfg", "home = x\n")]
)
def test_a_folder_that_says_it_can_be_made_again_is_skipped(
    store: CheckpointStore, root: Path, name: str, text: str
) -> None:
    first = take(store, root)
    (root / "target").mkdir()
    (root / "target" / name).write_text(text)

    assert "" == diff(store, root, first)


def test_a_folder_of_any_other_name_is_kept(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    (root / "build").mkdir()
    (root / "build" / "deploy.sh").write_text("true\n")

    assert "build/deploy.sh" in diff(store, root, first)


def test_a_large_file_is_shown_but_neither_kept_nor_deleted(tmp_path: Path, root: Path) -> None:
    store = CheckpointStore(folder=tmp_path / "kept", max_file_mb=0.001)
    first = take(store, root)
    (root / "large").write_bytes(bytes(2000))
    (root / "b.txt").write_text("new\n")
    take(store, root)

    assert "Binary files /dev/null and b/large differ\n" in diff(store, root, first)
    assert {"large"} == restore(store, root, first).keys()
    assert (root / "large").exists()
    assert not (root / "b.txt").exists()


def test_a_file_that_grew_too_large_is_left_as_it_is(tmp_path: Path, root: Path) -> None:
    store = CheckpointStore(folder=tmp_path / "kept", max_file_mb=0.001)
    first = take(store, root)
    (root / "a.txt").write_bytes(bytes(2000))
    take(store, root)

    assert "Binary files a/a.txt and b/a.txt differ\n" in diff(store, root, first)
    assert {"a.txt"} == restore(store, root, first).keys()
    assert bytes(2000) == (root / "a.txt").read_bytes()


@posix
def test_pipes_are_not_waited_on(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    os.mkfifo(root / "pipe")
    os.mkfifo(root / ".gitignore")

    assert "" == diff(store, root, first)


def test_what_cannot_be_read_is_tolerated(store: CheckpointStore, root: Path) -> None:
    (root / "secret").write_text("closed")
    (root / "secret").chmod(0)

    with bound_by_modes():
        first = take(store, root)

        assert "" == diff(store, root, first)


def test_a_store_within_the_workspace_does_not_keep_itself(root: Path) -> None:
    store = CheckpointStore(folder=root / "data" / "kept")
    first = take(store, root)

    assert first == take(store, root)


def test_too_many_files_are_refused_with_advice(tmp_path: Path, root: Path) -> None:
    for n in range(20):
        (root / f"{n}").touch()

    with pytest.raises(WorkspaceTooLargeError, match="max_files"):
        take(CheckpointStore(folder=tmp_path / "kept", max_files=10), root)
