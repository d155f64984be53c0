"""Test that pruning deletes old checkpoints and the blobs that only they need, even while other processes work."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openkoi_base.files.filelock import lock_file
from openkoi_checkpoints import CheckpointNotFoundError, CheckpointStore
from openkoi_checkpoints.retention import DAY_SECONDS, RetentionPolicy, StoredCheckpoint, checkpoints_to_delete

SIZES = {"a": 10, "b": 20, "c": 30}


def held(id: str, days: float, newer: int, *blobs: str, abandoned: bool = False) -> StoredCheckpoint:
    return StoredCheckpoint("w", id, days * DAY_SECONDS, newer, abandoned, frozenset(blobs))


def dropped(policy: RetentionPolicy, *some: StoredCheckpoint) -> list[str]:
    return [one.id for one in checkpoints_to_delete(some, SIZES, policy)]


def test_the_newest_and_the_young_stay() -> None:
    some = (held("new", 90, 0), held("second", 91, 1), held("third", 92, 2), held("young", 3, 3))

    assert ["third"] == dropped(RetentionPolicy(2, 30, 1000), *some)


def test_the_oldest_go_until_the_rest_fits() -> None:
    some = (held("1", 2, 3, "a", "b"), held("2", 3, 2, "b"), held("3", 4, 1, "c"), held("4", 5, 4, "c"))

    assert ["4", "3"] == dropped(RetentionPolicy(9, 30, 30), *some)
    assert [] == dropped(RetentionPolicy(9, 30, 60), *some)


def test_what_is_younger_than_a_day_stays_whatever_its_size_and_so_does_the_latest() -> None:
    some = (held("latest", 50, 0, "b"), held("young", 0.9, 1, "c"), held("old", 2, 2, "a"))

    assert ["old"] == dropped(RetentionPolicy(0, 1, 0), *some)


def test_a_workspace_that_is_gone_keeps_only_its_young_ones() -> None:
    assert ["gone"] == dropped(RetentionPolicy(9, 30, 1000), held("gone", 31, 0, abandoned=True))


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    """A store that retains two checkpoints, or those of ten days."""
    return CheckpointStore(folder=tmp_path / "kept", keep_newest=2, keep_days=10)


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def restore(store: CheckpointStore, root: Path, id: str) -> None:
    asyncio.run(store.restore(root, id))


def prune(store: CheckpointStore) -> str:
    return asyncio.run(store.prune())


def grown(store: CheckpointStore, root: Path, days: int) -> list[str]:
    """Five checkpoints of this age, each an hour younger than the one before; return their ids."""
    ids = []
    for n in range(5):
        (root / "a.txt").write_text(f"version {n}\n")
        ids.append(aged(store, take(store, root), days * DAY_SECONDS - n * 3600))
    return ids


def aged(store: CheckpointStore, id: str, seconds: float) -> str:
    """Make a checkpoint and all blobs older; return its new id."""
    then = time.time() - seconds
    new = f"{int(then * 1e9):016x}-{id[-6:]}"
    place = next(store.folder.glob(f"workspaces/*/{id}.json"))
    place.rename(place.with_name(f"{new}.json"))
    for blob in store.folder.glob("blobs/*/*"):
        os.utime(blob, (then, then))
    return new


def blobs(store: CheckpointStore) -> int:
    return len([*store.folder.glob("blobs/*/*")])


def test_old_checkpoints_go_with_what_only_they_needed(store: CheckpointStore, root: Path) -> None:
    ids = grown(store, root, days=20)

    assert prune(store).startswith("deleted 3 checkpoints")

    assert 2 == blobs(store)
    with pytest.raises(CheckpointNotFoundError):
        restore(store, root, ids[0])
    restore(store, root, ids[3])
    assert "version 3\n" == (root / "a.txt").read_text()


def test_young_checkpoints_all_stay(store: CheckpointStore, root: Path) -> None:
    ids = grown(store, root, days=5)

    assert prune(store).startswith("deleted 0 checkpoints")

    assert 5 == blobs(store)
    restore(store, root, ids[0])
    assert "version 0\n" == (root / "a.txt").read_text()


def test_what_a_young_checkpoint_shares_with_old_ones_stays(store: CheckpointStore, root: Path) -> None:
    (root / "shared").write_text("in all of them\n")
    grown(store, root, days=20)
    (root / "a.txt").write_text("now\n")
    now = take(store, root)
    prune(store)
    (root / "shared").unlink()
    take(store, root)

    restore(store, root, now)

    assert "in all of them\n" == (root / "shared").read_text()


def test_a_file_that_is_kept_again_makes_its_blob_young(store: CheckpointStore, root: Path) -> None:
    grown(store, root, days=20)
    (root / "a.txt").write_text("version 0\n")
    last = take(store, root)
    prune(store)
    (root / "a.txt").write_text("spoilt\n")
    take(store, root)

    restore(store, root, last)

    assert "version 0\n" == (root / "a.txt").read_text()


def test_what_a_tool_saved_stays_as_long_as_the_checkpoint(store: CheckpointStore, root: Path) -> None:
    (root / ".gitignore").write_text(".env\n")
    (root / ".env").write_text("KEY=1\n")
    first = take(store, root)
    asyncio.run(store.save(root, Path(".env")))
    (root / ".env").write_text("KEY=2\n")
    first = aged(store, first, 3 * DAY_SECONDS)
    take(store, root)
    prune(store)

    restore(store, root, first)

    assert "KEY=1\n" == (root / ".env").read_text()


def test_nothing_is_pruned_while_somebody_is_at_work(store: CheckpointStore, root: Path) -> None:
    grown(store, root, days=20)

    with lock_file(store.folder / "lock", shared=True):
        assert "nothing was pruned" in prune(store)

    assert 5 == blobs(store)


def test_the_checkpoints_of_a_deleted_workspace_go_in_time(store: CheckpointStore, root: Path) -> None:
    grown(store, root, days=20)
    shutil.rmtree(root)

    assert prune(store).startswith("deleted 5 checkpoints")

    assert 0 == blobs(store)


def test_it_is_done_once_a_day_and_told(store: CheckpointStore, root: Path) -> None:
    grown(store, root, days=20)
    assert "never" == asyncio.run(store.health())["pruned"]
    os.utime(store.folder / "pruned", (0, 0))
    (root / "a.txt").write_text("now\n")
    take(store, root)

    reply = asyncio.run(store.health())

    assert ": deleted 4 checkpoints and freed " in reply["pruned"]
    assert "the newest 2 of each workspace, and all of the last 10 days" == reply["kept"]
    assert "2 in 1 workspace" == reply["checkpoints"]


WORKER = """
import asyncio, contextlib, os, pathlib, sys
from openkoi_checkpoints import CheckpointStore
store, root = CheckpointStore(folder=pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
def age():
    with store.workspaces.open_history(root) as history:
        for id in history.ids()[:-1]:
            (history.folder / f"{id}.json").unlink()
    for blob in store.folder.glob("blobs/*/*"):
        with contextlib.suppress(OSError):
            os.utime(blob, (0, 0))
async def story():
    for n in range(30):
        (root / "a.txt").write_text(f"version {n % 3}")
        id = await store.create(root)
        (root / "a.txt").write_text("spoilt")
        await store.create(root)
        await store.restore(root, id)
        assert (root / "a.txt").read_text() == f"version {n % 3}"
        age()
        print(await store.prune())
asyncio.run(story())
"""


def test_processes_that_prune_and_take_at_the_same_time_lose_nothing(store: CheckpointStore, tmp_path: Path) -> None:
    roots = [tmp_path / f"root{n}" for n in range(2)]
    for root in roots:
        root.mkdir()
    command = [sys.executable, "-c", WORKER, str(store.folder)]
    started = [subprocess.Popen([*command, str(root)], stdout=subprocess.PIPE, text=True) for root in roots]
    reply = "".join(process.communicate()[0] for process in started)

    assert [0, 0] == [process.returncode for process in started]
    assert "0 checkpoints" in reply
