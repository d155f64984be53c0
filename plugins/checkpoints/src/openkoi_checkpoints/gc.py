"""Collect garbage: delete what no retained checkpoint needs, with the store locked; report the store's state."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass

from .checkpoint_history import ID, CheckpointHistory
from .errors import CheckpointStoreError, store_errors
from .manifest import Manifest, PathKind
from .retention import DAY_SECONDS, RetentionPolicy, StoredCheckpoint, checkpoints_to_delete
from .store_lock import try_lock_store

LOCK = "lock"
REPORT = "pruned"
BUSY = "The checkpoint store is in use by another process: nothing was pruned."


@dataclass(frozen=True, slots=True)
class StoreSnapshot:
    """The store's folder as it was when pruning began."""

    folder: Path
    now: float

    def histories(self) -> Iterator[CheckpointHistory]:
        """Yield the checkpoint history of each workspace."""
        yield from (CheckpointHistory(path, "") for path in sorted(self.folder.glob("workspaces/*")) if path.is_dir())

    def list_checkpoints(self) -> list[StoredCheckpoint]:
        """Return all checkpoints that can be read."""
        return [one for history in self.histories() for one in self.list_history(history)]

    def list_history(self, history: CheckpointHistory) -> Iterator[StoredCheckpoint]:
        """Yield the checkpoints of one workspace, the newest first."""
        for newer, checkpoint_id in enumerate(reversed(history.ids())):
            with suppress(CheckpointStoreError):
                yield self.describe_checkpoint(history, history.read(checkpoint_id), newer)

    def describe_checkpoint(self, history: CheckpointHistory, manifest: Manifest, newer: int) -> StoredCheckpoint:
        """Return one checkpoint with its age and blobs."""
        blobs = frozenset(entry.digest for entry in manifest.entries.values() if entry.kind is PathKind.FILE)
        gone = not Path(manifest.root).is_dir()
        return StoredCheckpoint(
            history.folder.name, manifest.id, self.now - creation_time(manifest.id), newer, gone, blobs
        )

    def list_blobs(self) -> dict[str, Path]:
        """Map all blobs, and other files in their folders, to their paths."""
        return {path.parent.name + path.name: path for path in self.folder.glob("blobs/*/*")}

    def list_marks(self, oldest: Mapping[str, float]) -> Iterator[tuple[Path, bool]]:
        """Yield the marks of saved files, each with whether it is young enough for a checkpoint to need it."""
        for mark in self.folder.glob("workspaces/*/saved/*"):
            yield mark, self.age_of(mark) < max(DAY_SECONDS, oldest.get(mark.parent.parent.name, 0.0) + DAY_SECONDS)

    def age_of(self, path: Path) -> float:
        """Return the seconds since a file was written; 0 for a missing one."""
        try:
            return self.now - path.stat().st_mtime
        except OSError:
            return 0.0


def prune_store(folder: Path, policy: RetentionPolicy) -> str:
    """Delete what need not be retained; return a summary."""
    private_folder(folder)
    with try_lock_store(folder / LOCK) as alone:
        if not alone:
            return BUSY
        done = prune_snapshot(StoreSnapshot(folder, time.time()), policy)
        with store_errors(folder):
            write_atomically(folder / REPORT, done.encode())
        return done


def prune_snapshot(snapshot: StoreSnapshot, policy: RetentionPolicy) -> str:
    """Delete checkpoints first: a killed prune leaves unused blobs for the next one."""
    blobs, held = snapshot.list_blobs(), snapshot.list_checkpoints()
    dropped = checkpoints_to_delete(held, {name: size_or_zero(path) for name, path in blobs.items()}, policy)
    for one in dropped:
        for end in ("json", "ours"):
            (snapshot.folder / "workspaces" / one.workspace / f"{one.id}.{end}").unlink(missing_ok=True)
    gone = {(one.workspace, one.id) for one in dropped}
    rest = [one for one in held if (one.workspace, one.id) not in gone]
    needed = {blob for one in rest for blob in one.blobs} | prune_marks(snapshot, rest)
    freed = 0
    for path in (path for name, path in blobs.items() if name not in needed and snapshot.age_of(path) > DAY_SECONDS):
        freed += size_or_zero(path)
        path.unlink(missing_ok=True)
    noun = "checkpoint" if len(dropped) == 1 else "checkpoints"
    return f"deleted {len(dropped)} {noun} and freed {freed / 1_000_000:.1f} MB"


def prune_marks(snapshot: StoreSnapshot, held: list[StoredCheckpoint]) -> set[str]:
    """Return the blobs of files saved for retained checkpoints; delete the marks of all other files."""
    oldest: dict[str, float] = {}
    for one in held:
        oldest[one.workspace] = max(one.age, oldest.get(one.workspace, 0.0))
    needed: set[str] = set()
    for mark, stays in snapshot.list_marks(oldest):
        if stays:
            needed.add(mark.read_text("ascii", errors="replace"))  # a damaged mark needs no blob
        else:
            mark.unlink(missing_ok=True)
    return needed


def prune_daily(folder: Path, policy: RetentionPolicy) -> None:
    """Prune unless that was done within a day; a failure stops no task, and ``health`` reports it."""
    report = folder / REPORT
    try:
        if not report.is_file():
            write_atomically(report, b"never")
        elif time.time() - report.stat().st_mtime > DAY_SECONDS:
            prune_store(folder, policy)
    except (OSError, CheckpointStoreError) as error:
        with suppress(OSError):
            write_atomically(report, f"failed: {error}".encode("utf-8", "replace"))


def describe_store(folder: Path, policy: RetentionPolicy) -> Mapping[str, str]:
    """Return where the checkpoints are, how many, how large, and how long they are kept."""
    with store_errors(folder):
        probe = private_folder(folder) / "examined"
        write_atomically(probe, b"")
        probe.unlink(missing_ok=True)
    ids = [path for path in folder.glob("workspaces/*/*.json") if ID.fullmatch(path.stem)]
    workspaces = len({path.parent for path in ids})
    total = sum(size_or_zero(path) for path in folder.rglob("*") if path.is_file())
    return {
        "folder": str(folder),
        "checkpoints": f"{len(ids)} in {workspaces} workspace{'' if workspaces == 1 else 's'}",
        "size": f"{total / 1_000_000:.1f} MB of {policy.most_bytes / 1_000_000:.0f} MB",
        "kept": f"the newest {policy.newest} of each workspace, and all of the last {policy.days:g} days",
        "pruned": read_last_report(folder),
    }


def read_last_report(folder: Path) -> str:
    """Return what the last pruning did, and when."""
    try:
        outcome = (folder / REPORT).read_text("utf-8", errors="replace")
        at = time.strftime("%Y-%m-%d", time.gmtime((folder / REPORT).stat().st_mtime))
    except OSError:
        return "never"
    return outcome if outcome == "never" else f"{at}: {outcome}"


def creation_time(checkpoint_id: str) -> float:
    """Return when a checkpoint was created, in seconds."""
    return int(checkpoint_id.partition("-")[0], 16) / 1_000_000_000


def size_or_zero(path: Path) -> int:
    """Return the size of a file; 0 if it is missing."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
