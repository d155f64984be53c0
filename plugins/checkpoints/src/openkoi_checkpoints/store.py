"""The `Checkpoints` socket: take, restore and diff, over a content store of our own. No git, no filters."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_files import private_folder
from openkoi_hookspecs import Data, KoiError

from .blobs import Blobs, digest, size_of
from .difference import Readers, difference, reader
from .errors import LeftAlone
from .hands import Journal, hands_of, ours_of
from .history import History, history_of
from .ignored import Ignored
from .lock import locked
from .manifest import NOTICED, Entry, Kind, Manifest, Stamp, same
from .named import Named, passed_over
from .plan import Plan, Views, plan
from .private import writable
from .prune import LOCK, overview, prune, prune_daily
from .rebuild import Builder, sweep
from .retention import Policy
from .saved import Saved
from .survey import Counter, Rules, Surveyor, ignore_file

MEGABYTE = 1_000_000
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
        max_saved_mb: float = 100.0,
        max_files: int = 100_000,
        skip: tuple[str, ...] = SKIPPED,
        keep_newest: int = 50,
        keep_days: float = 30.0,
        max_total_mb: float = 2_000.0,
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.blobs = Blobs(self.folder / "blobs")
        self.most_saved = int(max_saved_mb * MEGABYTE)
        self.policy = Policy(keep_newest, keep_days, int(max_total_mb * MEGABYTE))
        self.rules = Rules(
            skip=frozenset((*skip, ".git")),
            most_bytes=int(max_file_mb * MEGABYTE),
            most_paths=max_files,
            store=str(self.folder.resolve()),
        )
        self.watched = False
        self.journals: dict[Path, Journal] = {}

    async def take(self, root: Path) -> str:
        """Keep the files as they are; return an id, the last one again if nothing has changed."""
        id = await asyncio.to_thread(self.keep, there(root))
        await asyncio.to_thread(prune_daily, self.folder, self.policy)
        return id

    async def restore(self, root: Path, id: str) -> None:
        """Bring every byte and mode back; raises LeftAlone, after all else is done, for what cannot come back."""
        await asyncio.to_thread(self.bring_back, there(root), id)

    async def diff(self, root: Path, since: str) -> str:
        """Return the unified diff from a checkpoint to now, in git's style."""
        return await asyncio.to_thread(self.compare, there(root), since)

    async def save(self, root: Path, path: Path) -> None:
        """Save what ``take`` would only notice, an ignored or a large file, because a tool is about to write it."""
        await asyncio.to_thread(self.save_noticed, there(root), path)

    async def prune(self) -> str:
        """Delete what no checkpoint needs that is to be kept; say what was done."""
        return await asyncio.to_thread(prune, self.folder, self.policy)

    async def examine(self) -> Mapping[str, str]:
        """Say where the checkpoints are and how many."""
        return await asyncio.to_thread(overview, self.folder, self.policy)

    def keep(self, root: Path) -> str:
        """Take a checkpoint, in a thread."""
        with self.history(root) as history, locked(history.folder / "lock"):
            last, journal = history.last(), self.journal(history, root)
            entries, looks = self.look(root, last.entries, self.blobs.put), journal.outlook()
            entries = with_named(entries, self.named(history, root).now())
            notes = journal.notes()
            known = looks is not None and last.id and (self.watched or notes)
            was = history.ours(last.id)
            ours = ours_of(was, entries, hands_of(notes), looks or {}) if known else entries
            journal.settled(looks)
            if not last.id or entries != last.entries or ours != was:
                return history.add(entries, ours)
            if stamps(entries) != stamps(last.entries):
                history.write(Manifest(last.id, last.root, entries))
            return last.id

    def bring_back(self, root: Path, id: str) -> None:
        """Restore one, in a thread."""
        with self.history(root) as history, locked(history.folder / "lock"):
            named = self.named(history, root)
            wanted, last = with_named(history.read(id).entries, named.then(id)), history.ours(history.last().id)
            now = with_named(self.look(root, {**wanted, **last}, digest), named.now())
            sweep(root, ["", *(path for path, entry in now.items() if entry.kind is Kind.FOLDER)])
            saved = self.saved(history, root)
            todo = plan(Views(wanted, last, now, saved.has))
            todo = todo.without(unsaved(todo, now, saved))
            failed = Builder(root, now, lambda entry: self.content(entry, saved)).carry_out(todo)
            done = [path for path in todo.touched if path not in failed and is_as_wanted(root, path, wanted)]
            equal = [path for path in {*wanted, *now, *last} if same(now.get(path), wanted.get(path))]
            history.add(believed(last, with_named(history.ours(id), named.then(id)), [*done, *equal]))
            journal = self.journal(history, root)
            journal.settled(journal.outlook())
        if left := {**todo.left, **failed}:
            raise LeftAlone(left)

    def compare(self, root: Path, since: str) -> str:
        """Write the diff, in a thread."""
        with self.history(root) as history:
            then, last = history.read(since).entries, history.last()
            now = self.look(root, {**then, **last.entries}, digest)
            sides = history.ours(since), history.ours(last.id)
            hidden = theirs(sides, last.entries, now)
            readers = Readers(lambda entry: self.blobs.get(entry.digest), reader(root))
            return difference(without(then, hidden), without(now, hidden), readers)

    def save_noticed(self, root: Path, path: Path) -> None:
        """Save one file, in a thread; what is outside the workspace, or is kept anyway, is not saved."""
        place = (root / path).resolve()
        if not place.is_relative_to(root) or place == root:
            return
        name = place.relative_to(root).as_posix()
        with self.history(root) as history:
            passed = passed_over(root, name, self.rules)
            if passed or size_of(place) > self.rules.most_bytes or hides(root, name):
                self.saved(history, root).save(name)
            if passed:
                self.named(history, root).add(name)

    async def opened(self, root: Path, call: str) -> None:
        """A call that may write begins: what changes until it is closed is the run's."""
        await asyncio.to_thread(self.noted, there(root), lambda journal: journal.opened(call))

    async def closed(self, root: Path, call: str) -> list[str]:
        """It is over; return the folders that are passed over in which it changed what nobody kept."""
        told = await asyncio.to_thread(self.noted, there(root), lambda journal: journal.closed(call))
        return told or []

    def noted(self, root: Path, note: Callable[[Journal], list[str] | None]) -> list[str] | None:
        """Note it for this workspace and for all around it that were kept, in a thread."""
        told: list[str] | None = None
        for one in (*(known for known in [*self.journals] if root != known and root.is_relative_to(known)), root):
            with self.history(one) as history, locked(history.folder / "lock"):
                told = note(self.journal(history, one))
        return told

    def journal(self, history: History, root: Path) -> Journal:
        """Whose hand changed what in a workspace."""
        return self.journals.setdefault(root, Journal(history.folder / "hands", self.named(history, root), self.rules))

    @contextlib.contextmanager
    def history(self, root: Path) -> Iterator[History]:
        """The checkpoints of a workspace, of which nothing is pruned meanwhile."""
        with writable(self.folder):
            private_folder(self.folder)
        with locked(self.folder / LOCK, shared=True):
            with writable(self.folder):
                history = history_of(root, self.folder)
            yield history

    def look(self, root: Path, known: Mapping[str, Entry], keep: Callable[[bytes], str]) -> dict[str, Entry]:
        """What stands in a workspace now; ``keep`` is given what had to be read. The first time all is counted."""
        if not known:
            Counter(root, self.rules, known, keep).entries()
        return Surveyor(root, self.rules, known, keep).entries()

    def named(self, history: History, root: Path) -> Named:
        """What tools named in folders that are passed over."""
        return Named(history.folder / "named", root)

    def saved(self, history: History, root: Path) -> Saved:
        """What tools were about to write in a workspace."""
        return Saved(history.folder / "saved", root, self.blobs, self.most_saved)

    def content(self, entry: Entry, saved: Saved) -> bytes:
        """What a file held."""
        return self.blobs.get(entry.digest) if entry.kind is Kind.FILE else saved.content(entry.path, entry.look)


def unsaved(todo: Plan, now: Mapping[str, Entry], saved: Saved) -> dict[str, str]:
    """Save what is only noticed before it makes way; return what cannot be saved, with the reason."""
    left: dict[str, str] = {}
    for path in (entry.path for entry in (*todo.remove, *todo.make)):
        entry = now.get(path)
        try:
            if entry and entry.kind in NOTICED and not saved.has(path, entry.look):
                saved.save(path)
        except (OSError, KoiError) as error:
            left[path] = getattr(error, "strerror", None) or str(error)
    return left


def hides(root: Path, path: str) -> bool:
    """Whether the ignore rules of a workspace hide a file."""
    return Ignored(lambda folder: ignore_file(root / folder)).hides(path, folder=False)


def is_as_wanted(root: Path, path: str, wanted: Mapping[str, Entry]) -> bool:
    """Whether a path is gone if it had to go."""
    return path in wanted or not os.path.lexists(root / path)


def there(root: Path) -> Path:
    """The workspace by its one true name."""
    if not (root.is_dir() and os.access(root, os.R_OK | os.X_OK)):
        raise KoiError(f"The workspace {root} is not a folder that can be read. Name one that is.")
    return root.resolve()


def stamps(entries: Mapping[str, Entry]) -> list[Stamp]:
    """What tells whether a file has to be read again."""
    return [entry.stamp for entry in entries.values()]


def with_named(entries: Mapping[str, Entry], named: Mapping[str, Entry]) -> dict[str, Entry]:
    """What a look found, and what it passed over that tools named."""
    return dict(sorted({**named, **entries}.items())) if named else dict(entries)


def without(entries: Mapping[str, Entry], some: Container[str]) -> dict[str, Entry]:
    """All but some paths."""
    return {path: entry for path, entry in entries.items() if path not in some}


def theirs(
    sides: tuple[Mapping[str, Entry], Mapping[str, Entry]], last: Mapping[str, Entry], now: Mapping[str, Entry]
) -> set[str]:
    """The paths that are as somebody else left them before we last looked: ours never changed from side to side."""
    then, since = sides
    return {
        path for path in {*last, *now} if same(then.get(path), since.get(path)) and same(now.get(path), last.get(path))
    }


def believed(last: Mapping[str, Entry], wanted: Mapping[str, Entry], done: list[str]) -> dict[str, Entry]:
    """What the workspace holds by our own hand after a restore; what was left alone still counts as changed."""
    entries = dict(last)
    for path in done:
        entries.pop(path, None)
        if path in wanted:
            entries[path] = replace(wanted[path], stamp=())
    return dict(sorted(entries.items()))
