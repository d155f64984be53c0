"""Work with the checkpoints of workspaces, in a thread: create, restore, compare and save."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from openkoi_base.files import private_folder
from openkoi_hookspecs import Restoration
from openkoi_hookspecs.lazy_dataclass import dataclass

from .blob_store import BlobStore, compute_digest, file_size
from .change_attribution import ChangeJournal, CheckpointViews, entries_without_others
from .checkpoint_history import CheckpointHistory, open_history
from .errors import store_errors
from .gc import LOCK
from .manifest import Manifest, PathEntry, PathKind, add_named, select_entries, stamps_of
from .named_paths import NamedPaths, is_in_skipped_folder
from .other_calls import CallChanges, StatSnapshot
from .pre_images import PreImages, save_before_restore
from .process_end import ProcessEnd
from .scan import FileCounter, ScanRules, WorkspaceScanner, is_ignored
from .store_lock import lock_store


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """Select a checkpoint to restore; ``since`` is the end of the work to undo, or else the last one of the ``run``."""

    id: str
    since: str = ""
    run: str = ""
    force: bool = False


class StoredWorkspaces:
    """The checkpoints of workspaces in a folder. ``watched``: the beginning and end of calls are recorded."""

    def __init__(self, folder: Path, rules: ScanRules, *, most_saved: int, watched: bool) -> None:
        self.folder, self.rules, self.most_saved, self.watched = folder, rules, most_saved, watched
        self.blobs = BlobStore(folder / "blobs")
        self.process = ProcessEnd(folder / "processes")
        self.journals: dict[Path, ChangeJournal] = {}

    def create(self, root: Path, run: str) -> str:
        """Create a checkpoint."""
        with self.open_history(root) as history, lock_store(history.folder / "lock"):
            last, journal = history.last(), self.journal_of(history, root)
            entries, looks = self.scan(root, last.entries, self.blobs.put), journal.take_snapshot()
            entries = add_named(entries, self.named_paths(history, root).current_entries())
            ours = self.entries_of_run(history, journal, run, entries, looks)
            checkpoint_id = last.id
            if not checkpoint_id or entries != last.entries or ours != history.without_others(checkpoint_id):
                checkpoint_id = history.add(entries, ours)
            elif stamps_of(entries) != stamps_of(last.entries):
                history.write(Manifest(checkpoint_id, last.root, entries))
            if run:
                journal.record_checkpoint(run, checkpoint_id, looks)
            return checkpoint_id

    def entries_of_run(
        self,
        history: CheckpointHistory,
        journal: ChangeJournal,
        run: str,
        entries: Mapping[str, PathEntry],
        looks: StatSnapshot | None,
    ) -> Mapping[str, PathEntry]:
        """Return the workspace without the changes of others since the run began; unchanged if those are unknown."""
        since, hands = journal.last_checkpoint(run), journal.attribute_changes(run, looks)
        if looks is None or not (since and history.has(since)) or not (self.watched or hands.is_known):
            return entries
        return entries_without_others(
            CheckpointViews(history.read(since).entries, history.without_others(since)), entries, hands, looks
        )

    def restore(self, root: Path, what: RestoreRequest) -> Restoration:
        """Restore a checkpoint."""
        from .apply_restore import RestoreExecutor, delete_temporary_files
        from .diff import disk_reader
        from .plan_restore import plan_restore
        from .renames import Renames
        from .restore_plan import RestoreStates
        from .restore_result import FileMerger, build_restoration, changed_by_others, entries_after

        with self.open_history(root) as history, lock_store(history.folder / "lock"):
            named, saved, journal = (
                self.named_paths(history, root),
                self.pre_images(history, root),
                self.journal_of(history, root),
            )
            since = what.since or journal.last_checkpoint(what.run) or history.last().id
            wanted, base = self.entries_at(history, named, what.id, since)
            known = {**wanted, **base, **history.last().entries}
            now = add_named(self.scan(root, known, self.blobs.put), named.current_entries())
            delete_temporary_files(root, ["", *(path for path, entry in now.items() if entry.kind is PathKind.FOLDER)])
            kept, present = lambda entry: self.read_content(entry, saved), disk_reader(root)
            renames = Renames(base, wanted, now, kept, present)
            merged = FileMerger(kept, present, self.blobs.put)
            todo = plan_restore(RestoreStates(base, wanted, now, saved.has, merged, renames, what.force))
            todo = todo.without(save_before_restore(todo, now, saved))
            failed = RestoreExecutor(root, now, kept).carry_out(todo)
            left = {**todo.left, **failed}
            checkpoint_id = history.add(
                entries_after(todo, now, left), {**wanted, **select_entries(base, {**left, **todo.conflicts})}
            )
            if what.run:
                journal.record_checkpoint(what.run, checkpoint_id, journal.take_snapshot())
        return build_restoration(todo, left, changed_by_others(base, now))

    def diff(self, root: Path, since: str, until: str) -> str:
        """Return the diff."""
        from .diff import ContentReaders, diff_entries, disk_reader

        with self.open_history(root) as history:
            named, saved = self.named_paths(history, root), self.pre_images(history, root)
            if until:
                then, now = self.entries_at(history, named, since, until)
                return diff_entries(then, now, ContentReaders(lambda entry: self.read_content(entry, saved)))
            then = dict(history.read(since).entries)
            now = self.scan(root, {**then, **history.last().entries}, compute_digest)
            return diff_entries(
                then, now, ContentReaders(lambda entry: self.blobs.get(entry.digest), disk_reader(root))
            )

    def entries_at(self, history: CheckpointHistory, named: NamedPaths, *ids: str) -> list[dict[str, PathEntry]]:
        """Return the state of the workspace at checkpoints, without the changes that others made meanwhile."""
        return [
            add_named(history.without_others(checkpoint_id), named.entries_at(checkpoint_id)) for checkpoint_id in ids
        ]

    def save(self, root: Path, path: Path) -> None:
        """Save one file, in a thread; skip what is outside the workspace or stored anyway."""
        place = (root / path).resolve()
        if not place.is_relative_to(root) or place == root:
            return
        name = place.relative_to(root).as_posix()
        with self.open_history(root) as history:
            passed = is_in_skipped_folder(root, name, self.rules)
            if passed or file_size(place) > self.rules.most_bytes or is_ignored(root, name):
                self.pre_images(history, root).save(name)
            if passed:
                self.named_paths(history, root).add(name)

    def start_call(self, root: Path, call: str, writes: Sequence[Path]) -> None:
        """Begin a call in the journals."""
        real = [(root / path).resolve() for path in writes]
        self.update_journals(root, lambda journal: journal.start_call(call, paths_in(journal.named.root, real)))

    def finish_call(self, root: Path, call: str) -> CallChanges:
        """End a call; return its changes that are in doubt or not stored."""
        return self.update_journals(root, lambda journal: journal.finish_call(call)) or CallChanges()

    def interrupt_call(self, root: Path, call: str, at: int) -> None:
        """Record that a call was cut off."""
        self.update_journals(root, lambda journal: journal.interrupt_call(call, at))

    def update_journals(self, root: Path, note: Callable[[ChangeJournal], CallChanges | None]) -> CallChanges | None:
        """Update the journals of this workspace and of known workspaces that contain it."""
        changed: CallChanges | None = None
        for one in (*(known for known in [*self.journals] if root != known and root.is_relative_to(known)), root):
            with self.open_history(one) as history, lock_store(history.folder / "lock"):
                changed = note(self.journal_of(history, one))
        return changed

    def journal_of(self, history: CheckpointHistory, root: Path) -> ChangeJournal:
        """Return the journal of changes of a workspace."""
        named = self.named_paths(history, root)
        return self.journals.setdefault(root, ChangeJournal(history.folder / "hands", named, self.rules, self.process))

    @contextlib.contextmanager
    def open_history(self, root: Path) -> Iterator[CheckpointHistory]:
        """Yield the checkpoints of a workspace, and prevent pruning meanwhile."""
        with store_errors(self.folder):
            private_folder(self.folder)
        with lock_store(self.folder / LOCK, shared=True):
            with store_errors(self.folder):
                history = open_history(root, self.folder)
            yield history

    def scan(self, root: Path, known: Mapping[str, PathEntry], keep: Callable[[bytes], str]) -> dict[str, PathEntry]:
        """Return the workspace's present entries; ``keep`` stores the content that had to be read.

        The first scan counts all files beforehand, because there may be too many.
        """
        if not known:
            FileCounter(root, self.rules, known, keep).entries()
        return WorkspaceScanner(root, self.rules, known, keep).entries()

    def named_paths(self, history: CheckpointHistory, root: Path) -> NamedPaths:
        """Return the paths that tools named in skipped folders."""
        return NamedPaths(history.folder / "named", root)

    def pre_images(self, history: CheckpointHistory, root: Path) -> PreImages:
        """Return the saved pre-images of a workspace."""
        return PreImages(history.folder / "saved", root, self.blobs, self.most_saved)

    def read_content(self, entry: PathEntry, saved: PreImages) -> bytes:
        """Return what a file contained."""
        return (
            self.blobs.get(entry.digest) if entry.is_in_store else saved.read_content(entry.path, entry.status_digest)
        )


def paths_in(root: Path, paths: Sequence[Path]) -> list[str]:
    """Return those of the paths that are in a folder, relative to it."""
    return [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)]
