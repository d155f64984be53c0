"""Test that nothing is lost when processes collide or are killed, or disks fail."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore, CheckpointStoreError
from openkoi_hookspecs import KoiError


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def restore(store: CheckpointStore, root: Path, id: str) -> dict[str, str]:
    restoration = asyncio.run(store.restore(root, id))
    return {**restoration.conflicts, **restoration.left}


def diff(store: CheckpointStore, root: Path, since: str) -> str:
    return asyncio.run(store.diff(root, since))


def test_a_folder_that_a_killed_restore_has_made_gets_its_mode(store: CheckpointStore, root: Path) -> None:
    """The folder is private until it is complete, then gets its mode."""
    (root / "gone").mkdir(mode=0o755)
    (root / "gone" / "b.txt").write_text("b\n")
    first = take(store, root)
    (root / "gone" / "b.txt").unlink()
    (root / "gone").rmdir()
    take(store, root)
    (root / "gone").mkdir(mode=0o700)

    restore(store, root, first)

    assert (0o755, "b\n") == ((root / "gone").stat().st_mode & 0o777, (root / "gone" / "b.txt").read_text())


def test_of_a_workspace_that_is_too_large_nothing_is_kept(tmp_path: Path, root: Path) -> None:
    (root / "b.txt").write_text("b\n")
    store = CheckpointStore(folder=tmp_path / "kept", max_files=1)

    with pytest.raises(KoiError, match="more than 1 files"):
        take(store, root)

    assert [] == [path for path in (tmp_path / "kept").rglob("*") if path.is_file() and "blobs" in path.parts]


def test_damaged_content_is_never_restored(store: CheckpointStore, root: Path) -> None:
    (root / "b.txt").write_text("second\n")
    first = take(store, root)
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("agent\n")
    take(store, root)
    blob = next(path for path in (store.folder / "blobs").glob("*/*") if path.read_bytes() == b"first\n")
    blob.write_bytes(b"frist\n")

    assert "damaged" in restore(store, root, first)["a.txt"]
    assert ["agent\n", "second\n"] == [(root / name).read_text() for name in ("a.txt", "b.txt")]


def test_content_cut_off_by_a_crash_is_written_anew(store: CheckpointStore, root: Path) -> None:
    take(store, root)
    for blob in (store.folder / "blobs").glob("*/*"):
        blob.write_bytes(b"fi")
    (root / "b.txt").write_text("first\n")
    second = take(store, root)
    (root / "b.txt").unlink()
    take(store, root)

    restore(store, root, second)

    assert "first\n" == (root / "b.txt").read_text()


def test_a_torn_manifest_is_reported_and_skipped(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    next(store.folder.glob("workspaces/*/*.json")).write_text('{"entr')

    with pytest.raises(CheckpointStoreError, match=first):
        restore(store, root, first)
    assert first != take(store, root)


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path, root: Path) -> None:
    (tmp_path / "kept").write_text("in the way")
    store = CheckpointStore(folder=tmp_path / "kept")

    with pytest.raises(CheckpointStoreError, match="kept"):
        take(store, root)
    with pytest.raises(CheckpointStoreError, match="kept"):
        asyncio.run(store.health())


WORKER = """
import asyncio, pathlib, sys
from openkoi_checkpoints import CheckpointStore
store, root, mine = CheckpointStore(folder=pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2]), sys.argv[3]
async def story():
    ids = []
    for n in range(6):
        (root / mine).write_text(f"{mine} {n}")
        ids.append(await store.create(root))
    print(*ids)
asyncio.run(story())
"""


def test_processes_take_turns(store: CheckpointStore, root: Path) -> None:
    command = [sys.executable, "-c", WORKER, str(store.folder), str(root)]
    started = [subprocess.Popen([*command, f"w{n}"], stdout=subprocess.PIPE, text=True) for n in range(2)]
    reply = [process.communicate()[0].split() for process in started]

    assert [0, 0] == [process.returncode for process in started]
    assert [6, 6] == [len(ids) for ids in reply]
    for worker, ids in enumerate(reply):
        restore(store, root, ids[4])
        assert f"w{worker} 4" == (root / f"w{worker}").read_text()


KILLED = """
import asyncio, pathlib, sys
from openkoi_checkpoints import CheckpointStore
asyncio.run(CheckpointStore(folder=pathlib.Path(sys.argv[1])).restore(pathlib.Path(sys.argv[2]), sys.argv[3]))
"""


def test_a_restore_that_is_killed_can_be_repeated(store: CheckpointStore, root: Path) -> None:
    for n in range(200):
        (root / f"f{n}").write_text(f"{n}\n")
    first = take(store, root)
    for n in range(200):
        (root / f"f{n}").write_text("spoilt, and longer than before\n")
    take(store, root)
    for pause in (0.16, 0.25):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(store.folder), str(root), first])
        time.sleep(pause)
        process.kill()
        process.wait()
        words = {(root / f"f{n}").read_text() for n in range(200)}
        assert words <= {"spoilt, and longer than before\n", *(f"{n}\n" for n in range(200))}

    restore(store, root, first)

    assert "" == diff(store, root, first)
    assert [] == [path.name for path in root.iterdir() if path.name.startswith(".openkoi")]
