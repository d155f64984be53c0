"""The `Checkpoints` socket: take, restore and diff, over a content store of our own. No git, no filters."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from openkoi_files import private_folder
from openkoi_hookspecs import DataDir, KoiError, Restoration

from .blobs import Blobs, digest, size_of
from .difference import Readers, difference, reader
from .errors import StoreFault
from .hands import Journal, Looks, Views, hands_of, ours_of
from .history import History, history_of
from .ignored import Ignored
from .lock import locked
from .manifest import NOTICED, Entry, Kind, Manifest, Stamp
from .merge_paths import plan_restore
from .named import Named, passed_over
from .outcome import Merger, after, restoration
from .plan import Plan, Sides
from .private import writable
from .prune import LOCK, overview, prune, prune_daily
from .rebuild import Builder, sweep
from .renames import Renames
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A checkpoint to restore; ``since`` is of the work that is taken back, or else the last one of the ``run``."""

    id: str
    since: str = ""
    run: str = ""
    force: bool = False


class Store:
    """Keeps manifests over a content store. Configured by ``[checkpoints.store]``."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("checkpoints")],
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

    async def create(self, root: Path, *, run: str = "") -> str:
        """Keep the files as they are; return an id, the last one again if nothing has changed."""
        id = await asyncio.to_thread(self.keep, there(root), run)
        await asyncio.to_thread(prune_daily, self.folder, self.policy)
        return id

    async def restore(self, root: Path, id: str, *, since: str = "", run: str = "", force: bool = False) -> Restoration:
        """Take back what the work changed between two checkpoints, whatever else was changed since."""
        return await asyncio.to_thread(self.bring_back, there(root), Wanted(id, since, run, force))

    async def diff(self, root: Path, since: str, until: str = "") -> str:
        """Return the unified diff of the work from a checkpoint to another, or of all till now, in git's style."""
        return await asyncio.to_thread(self.compare, there(root), since, until)

    async def save(self, root: Path, path: Path) -> None:
        """Save what ``take`` would only notice, an ignored or a large file, because a tool is about to write it."""
        await asyncio.to_thread(self.save_noticed, there(root), path)

    async def prune(self) -> str:
        """Delete what no checkpoint needs that is to be kept; say what was done."""
        return await asyncio.to_thread(prune, self.folder, self.policy)

    async def is_writable(self) -> bool:
        """Whether anything can be kept."""
        try:
            await self.health()
        except StoreFault:
            return False
        return True

    async def health(self) -> Mapping[str, str]:
        """Say where the checkpoints are and how many."""
        return await asyncio.to_thread(overview, self.folder, self.policy)

    def keep(self, root: Path, run: str) -> str:
        """Take a checkpoint, in a thread."""
        with self.history(root) as history, locked(history.folder / "lock"):
            last, journal = history.last(), self.journal(history, root)
            entries, looks = self.look(root, last.entries, self.blobs.put), journal.outlook()
            entries = with_named(entries, self.named(history, root).now())
            ours = self.own(history, journal, run, entries, looks)
            id = last.id
            if not id or entries != last.entries or ours != history.ours(id):
                id = history.add(entries, ours)
            elif stamps(entries) != stamps(last.entries):
                history.write(Manifest(id, last.root, entries))
            if run:
                journal.settled(run, id, looks)
            return id

    def own(
        self, history: History, journal: Journal, run: str, entries: Mapping[str, Entry], looks: Looks | None
    ) -> Mapping[str, Entry]:
        """How the workspace would be had nobody else changed it since the run began; as it is where that is unknown."""
        since, hands = journal.since(run), hands_of(journal.notes(), run)
        if looks is None or not (since and history.has(since)) or not (self.watched or hands.known):
            return entries
        return ours_of(Views(history.read(since).entries, history.ours(since)), entries, hands, looks)

    def bring_back(self, root: Path, what: Wanted) -> Restoration:
        """Restore one, in a thread."""
        with self.history(root) as history, locked(history.folder / "lock"):
            named, saved, journal = self.named(history, root), self.saved(history, root), self.journal(history, root)
            since = what.since or journal.since(what.run) or history.last().id
            wanted, base = self.sides(history, named, what.id, since)
            known = {**wanted, **base, **history.last().entries}
            now = with_named(self.look(root, known, self.blobs.put), named.now())
            sweep(root, ["", *(path for path, entry in now.items() if entry.kind is Kind.FOLDER)])
            kept, present = lambda entry: self.content(entry, saved), reader(root)
            renames = Renames(base, wanted, now, kept, present)
            merged = Merger(kept, present, self.blobs.put)
            todo = plan_restore(Sides(base, wanted, now, saved.has, merged, renames, what.force))
            todo = todo.without(unsaved(todo, now, saved))
            failed = Builder(root, now, kept).carry_out(todo)
            left = {**todo.left, **failed}
            id = history.add(after(todo, now, left), {**wanted, **chosen(base, {**left, **todo.conflicts})})
            if what.run:
                journal.settled(what.run, id, journal.outlook())
        return restoration(todo, left)

    def compare(self, root: Path, since: str, until: str) -> str:
        """Write the diff, in a thread."""
        with self.history(root) as history:
            named, saved = self.named(history, root), self.saved(history, root)
            if until:
                then, now = self.sides(history, named, since, until)
                return difference(then, now, Readers(lambda entry: self.content(entry, saved)))
            then = dict(history.read(since).entries)
            now = self.look(root, {**then, **history.last().entries}, digest)
            return difference(then, now, Readers(lambda entry: self.blobs.get(entry.digest), reader(root)))

    def sides(self, history: History, named: Named, *ids: str) -> list[dict[str, Entry]]:
        """How the work left the workspace at checkpoints, without what others changed meanwhile."""
        return [with_named(history.ours(id), named.then(id)) for id in ids]

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


def chosen(entries: Mapping[str, Entry], some: Iterable[str]) -> dict[str, Entry]:
    """Those of some paths that there are."""
    return {path: entries[path] for path in some if path in entries}
