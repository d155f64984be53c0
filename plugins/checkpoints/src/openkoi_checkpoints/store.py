"""The `Checkpoints` socket: take, restore and diff, over a content store of our own. No git, no filters."""

import asyncio
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Data, KoiError

from .blobs import Blobs, digest
from .errors import LeftAlone, StoreFault
from .history import History, history_of
from .ignored import Ignored
from .lock import locked
from .manifest import Entry, Kind, Manifest, Stamp
from .patch import Version, file_patch
from .plan import Views, plan
from .private import private_folder, writable, write_whole
from .rebuild import Builder, sweep
from .survey import Rules, Surveyor, read_file

SKIPPED = (
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    ".tox",
    ".nox",
)


class Store:
    """Keeps manifests over a content store. Configured by ``[checkpoints.store]``."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, Data("checkpoints")],
        max_file_mb: float = 5.0,
        max_files: int = 100_000,
        skip: tuple[str, ...] = SKIPPED,
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.blobs = Blobs(self.folder / "blobs")
        self.rules = Rules(
            skip=frozenset((*skip, ".git")),
            most_bytes=int(max_file_mb * 1_000_000),
            most_paths=max_files,
            store=str(self.folder.resolve()),
        )

    async def take(self, root: Path) -> str:
        """Keep the files as they are; return an id, the last one again if nothing has changed."""
        return await asyncio.to_thread(self.keep, there(root))

    async def restore(self, root: Path, id: str) -> None:
        """Bring every byte and mode back; raises LeftAlone, after all else is done, for what somebody changed."""
        await asyncio.to_thread(self.bring_back, there(root), id)

    async def diff(self, root: Path, since: str) -> str:
        """Return the unified diff from a checkpoint to now, in git's style."""
        return await asyncio.to_thread(self.compare, there(root), since)

    async def examine(self) -> Mapping[str, str]:
        """Say where the checkpoints are and how many."""
        return await asyncio.to_thread(self.overview)

    def keep(self, root: Path) -> str:
        """Take a checkpoint, in a thread."""
        history = self.history(root)
        with locked(history.folder / "lock"):
            last = history.last()
            entries = self.look(root, last.entries, self.blobs.put)
            if not last.id or entries != last.entries:
                return history.add(entries)
            if stamps(entries) != stamps(last.entries):
                history.write(Manifest(last.id, last.root, entries))
            return last.id

    def bring_back(self, root: Path, id: str) -> None:
        """Restore one, in a thread."""
        history = self.history(root)
        with locked(history.folder / "lock"):
            wanted, last = history.read(id).entries, history.last().entries
            now = self.look(root, {**wanted, **last}, digest)
            sweep(root, ["", *(path for path, entry in now.items() if entry.kind is Kind.FOLDER)])
            todo = plan(Views(wanted, last, now, self.hidden_by(wanted)))
            failed = Builder(root, self.blobs.get).carry_out(todo)
            done = [entry.path for entry in (*todo.remove, *todo.make) if entry.path not in failed]
            history.add(believed(last, wanted, done))
        if left := {**todo.left, **failed}:
            raise LeftAlone(left)

    def compare(self, root: Path, since: str) -> str:
        """Write the diff, in a thread."""
        history = self.history(root)
        then, last = history.read(since).entries, history.last().entries
        now = self.look(root, {**then, **last}, digest)
        changed = [path for path in sorted({*then, *now}) if then.get(path) != now.get(path)]
        return "".join(
            file_patch(path, self.kept_version(then.get(path)), version_now(root, now.get(path))) for path in changed
        )

    def history(self, root: Path) -> History:
        """The checkpoints of a workspace."""
        with writable(self.folder):
            return history_of(root, private_folder(self.folder))

    def look(self, root: Path, known: Mapping[str, Entry], keep: Callable[[bytes], str]) -> dict[str, Entry]:
        """What stands in a workspace now; ``keep`` is given what had to be read."""
        return Surveyor(root, self.rules, known, keep).entries()

    def hidden_by(self, entries: Mapping[str, Entry]) -> Callable[[Entry], bool]:
        """What the ignore rules of a checkpoint hid from it: it may have been there then, so it is not deleted."""

        def rules(folder: str) -> bytes:
            entry = entries.get(f"{folder}/.gitignore" if folder else ".gitignore")
            try:
                return self.blobs.get(entry.digest) if entry and entry.kind is Kind.FILE else b""
            except StoreFault:
                return b""

        ignored = Ignored(rules)
        return lambda entry: ignored.hides(entry.path, folder=entry.kind is Kind.FOLDER)

    def kept_version(self, entry: Entry | None) -> Version | None:
        """A path as it was kept."""
        return version(entry, lambda found: self.blobs.get(found.digest))

    def overview(self) -> Mapping[str, str]:
        """Look at the store, in a thread."""
        with writable(self.folder):
            probe = private_folder(self.folder) / "examined"
            write_whole(probe, b"")
            probe.unlink(missing_ok=True)
        ids = list(self.folder.glob("workspaces/*/*.json"))
        size = sum(path.stat().st_size for path in self.folder.glob("*/*/*"))
        count = f"{len(ids)} of {len({path.parent for path in ids})} workspaces"
        return {"folder": str(self.folder), "checkpoints": count, "size": f"{size / 1_000_000:.1f} MB"}


def there(root: Path) -> Path:
    """The workspace by its one true name."""
    if not (root.is_dir() and os.access(root, os.R_OK | os.X_OK)):
        raise KoiError(f"The workspace {root} is not a folder that can be read. Name one that is.")
    return root.resolve()


def stamps(entries: Mapping[str, Entry]) -> list[Stamp]:
    """What tells whether a file has to be read again."""
    return [entry.stamp for entry in entries.values()]


def believed(last: Mapping[str, Entry], wanted: Mapping[str, Entry], done: list[str]) -> dict[str, Entry]:
    """What the workspace holds by our own hand after a restore; what was left alone still counts as changed."""
    entries = dict(last)
    for path in done:
        entries.pop(path, None)
        if path in wanted:
            entries[path] = replace(wanted[path], stamp=())
    return dict(sorted(entries.items()))


def version(entry: Entry | None, read: Callable[[Entry], bytes]) -> Version | None:
    """A path as a diff sees it; folders are not seen."""
    if entry is None or entry.kind is Kind.FOLDER:
        return None
    if entry.kind is Kind.LINK:
        return Version("120000", entry.target.encode("utf-8", "surrogateescape"))
    mode = "100755" if entry.mode & stat.S_IXUSR else "100644"
    try:
        return Version(mode, read(entry) if entry.kind is Kind.FILE else None)
    except (OSError, StoreFault):
        return Version(mode, None)


def version_now(root: Path, entry: Entry | None) -> Version | None:
    """A path as it is on the disk."""
    return version(entry, lambda found: read_file(root / found.path, found.size)[1])
