"""Delete what no checkpoint needs that is to be kept, while nobody else is at the store; and tell how the store is."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from openkoi_files import private_folder

from .errors import StoreFault
from .history import ID, History
from .lock import locked_at_once
from .manifest import Kind, Manifest
from .private import writable, write_whole
from .retention import DAY, Held, Policy, to_drop

LOCK = "lock"
REPORT = "pruned"
BUSY = "Somebody else is at the checkpoints: nothing was pruned."


@dataclass(frozen=True, slots=True)
class Shelf:
    """The store's folder as a pruner sees it, at one time."""

    folder: Path
    now: float

    def histories(self) -> Iterator[History]:
        """The checkpoints of each workspace."""
        yield from (History(path, "") for path in sorted(self.folder.glob("workspaces/*")) if path.is_dir())

    def held(self) -> list[Held]:
        """All checkpoints that can be read."""
        return [one for history in self.histories() for one in self.held_of(history)]

    def held_of(self, history: History) -> Iterator[Held]:
        """Those of one workspace, the newest first."""
        for newer, id in enumerate(reversed(history.ids())):
            with suppress(StoreFault):
                yield self.one(history, history.read(id), newer)

    def one(self, history: History, manifest: Manifest, newer: int) -> Held:
        """One checkpoint."""
        blobs = frozenset(entry.digest for entry in manifest.entries.values() if entry.kind is Kind.FILE)
        gone = not Path(manifest.root).is_dir()
        return Held(history.folder.name, manifest.id, self.now - taken_at(manifest.id), newer, gone, blobs)

    def blobs(self) -> dict[str, Path]:
        """All blobs by their names, and whatever else lies beside them."""
        return {path.parent.name + path.name: path for path in self.folder.glob("blobs/*/*")}

    def marks(self, oldest: Mapping[str, float]) -> Iterator[tuple[Path, bool]]:
        """All marks of what was saved, and whether a checkpoint may need them: none does that is younger by a day."""
        for mark in self.folder.glob("workspaces/*/saved/*"):
            yield mark, self.age(mark) < max(DAY, oldest.get(mark.parent.parent.name, 0.0) + DAY)

    def age(self, path: Path) -> float:
        """Seconds since a file was written; of one that is gone none."""
        try:
            return self.now - path.stat().st_mtime
        except OSError:
            return 0.0


def prune(folder: Path, policy: Policy) -> str:
    """Delete what need not be kept; return what was done, in words."""
    private_folder(folder)
    with locked_at_once(folder / LOCK) as alone:
        if not alone:
            return BUSY
        done = pruned(Shelf(folder, time.time()), policy)
        with writable(folder):
            write_whole(folder / REPORT, done.encode())
        return done


def pruned(shelf: Shelf, policy: Policy) -> str:
    """Checkpoints first: a pruner that is killed leaves blobs that nobody needs, for the next one."""
    blobs, held = shelf.blobs(), shelf.held()
    dropped = to_drop(held, {name: size(path) for name, path in blobs.items()}, policy)
    for one in dropped:
        for end in ("json", "ours"):
            (shelf.folder / "workspaces" / one.workspace / f"{one.id}.{end}").unlink(missing_ok=True)
    gone = {(one.workspace, one.id) for one in dropped}
    rest = [one for one in held if (one.workspace, one.id) not in gone]
    needed = {blob for one in rest for blob in one.blobs} | saved_blobs(shelf, rest)
    freed = 0
    for path in (path for name, path in blobs.items() if name not in needed and shelf.age(path) > DAY):
        freed += size(path)
        path.unlink(missing_ok=True)
    return f"{len(dropped)} checkpoints, {freed / 1_000_000:.1f} MB"


def saved_blobs(shelf: Shelf, held: list[Held]) -> set[str]:
    """The blobs of what was saved for checkpoints that stay; the marks of others are deleted."""
    oldest: dict[str, float] = {}
    for one in held:
        oldest[one.workspace] = max(one.age, oldest.get(one.workspace, 0.0))
    needed: set[str] = set()
    for mark, stays in shelf.marks(oldest):
        if stays:
            needed.add(mark.read_text("ascii"))
        else:
            mark.unlink(missing_ok=True)
    return needed


def prune_daily(folder: Path, policy: Policy) -> None:
    """Prune if that was not done for a day; a failure is told by ``health`` and stops nobody's work."""
    report = folder / REPORT
    try:
        if not report.is_file():
            write_whole(report, b"never yet")
        elif time.time() - report.stat().st_mtime > DAY:
            prune(folder, policy)
    except (OSError, StoreFault) as error:
        with suppress(OSError):
            write_whole(report, f"failed: {error}".encode("utf-8", "replace"))


def overview(folder: Path, policy: Policy) -> Mapping[str, str]:
    """Where the checkpoints are, how many, how large, and what becomes of old ones."""
    with writable(folder):
        probe = private_folder(folder) / "examined"
        write_whole(probe, b"")
        probe.unlink(missing_ok=True)
    ids = [path for path in folder.glob("workspaces/*/*.json") if ID.fullmatch(path.stem)]
    total = sum(size(path) for path in folder.rglob("*") if path.is_file())
    return {
        "folder": str(folder),
        "checkpoints": f"{len(ids)} of {len({path.parent for path in ids})} workspaces",
        "size": f"{total / 1_000_000:.1f} MB of {policy.most_bytes / 1_000_000:.0f} MB",
        "kept": f"the newest {policy.newest} of a workspace, and {policy.days:g} days",
        "pruned": last_report(folder),
    }


def last_report(folder: Path) -> str:
    """What the last pruning did, and when."""
    try:
        said = (folder / REPORT).read_text()
        at = time.strftime("%Y-%m-%d", time.gmtime((folder / REPORT).stat().st_mtime))
    except OSError:
        return "never yet"
    return said if said == "never yet" else f"{at}: {said}"


def taken_at(id: str) -> float:
    """When a checkpoint was taken, in seconds."""
    return int(id.partition("-")[0], 16) / 1_000_000_000


def size(path: Path) -> int:
    """The size of a file; nothing if it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
