"""Record the state of protected files at the start of commands, for other OpenKoi processes in the workspace.

A process that begins while a command of another runs uses its notes: what that command has planted is not the user's.
What a process leaves behind when it is killed is reported by the next one.
"""

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path

from openkoi_base.files import HAS_LOCKS, is_run_active, lock_beside, lock_run, private_folder
from openkoi_base.schema.autorun_index import AutorunIndex
from openkoi_base.schema.named_files import find_autorun_files
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_state import FileKind, FileState, capture_state

RUNNING_SUFFIX = "running"
MAX_NOTED_BYTES = 200_000  # bytes of one file; protected files are a few kilobytes as a rule


@dataclass(frozen=True, slots=True)
class ProcessNote:
    """The state of files when a command began, by path, with what runs them.

    And the paths that its user ``approved``.
    """

    states: Mapping[str, FileState] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    approved: Sequence[str] = ()
    process: int = 0

    def to_json(self) -> str:
        """Return the note as JSON."""
        files = {path: [*state_to_json(state), self.reasons.get(path, "")] for path, state in self.states.items()}
        return json.dumps({"files": files, "approved": [*self.approved]})

    @classmethod
    def from_file(cls, file: Path) -> "ProcessNote":
        """Read a note; raise OSError, or ValueError or TypeError for anything else."""
        found = json.loads(file.read_text())
        states = {path: state_from_json(fields[:-1]) for path, fields in found["files"].items()}
        reasons = {path: fields[-1] for path, fields in found["files"].items()}
        return cls(states, reasons, tuple(found["approved"]), process_of(file))


@dataclass(frozen=True, slots=True)
class ProcessNotes:
    """Manage the notes about one workspace, a file for each process, below ``folder``."""

    folder: Path
    root: Path

    @property
    def prefix(self) -> str:
        """The prefix of the names of all its files."""
        return f"underway-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}-"

    @property
    def file(self) -> Path:
        """The file of this process."""
        return self.folder / f"{self.prefix}{os.getpid()}"

    def lock_workspace(self) -> AbstractContextManager[None]:
        """Keep other processes from scanning this workspace or noting anything meanwhile.

        Raise OSError where that is impossible.
        """
        return lock_beside(private_folder(self.folder) / self.prefix)

    def hold_running(self) -> AbstractContextManager[None]:
        """Show other processes that this one is alive and runs commands, and is not a later one with the same id."""
        return lock_run(self.folder / RUNNING_SUFFIX, self.file.name)

    def write(self, note: ProcessNote) -> None:
        """Write the present state of the files; raise OSError if that fails."""
        write_note(self.file, note)

    def clear(self) -> None:
        """Remove the note when none of this process's commands is running."""
        self.file.unlink(missing_ok=True)

    def own_note(self) -> ProcessNote:
        """Return our notes, possibly amended by other processes; empty if there are none."""
        return next(read_notes([self.file]), ProcessNote())

    def other_notes(self) -> list[ProcessNote]:
        """Return the notes of other processes that run commands now, the oldest first."""
        return [note for note in read_notes(self.note_files()) if note.process != os.getpid()]

    def note_files(self) -> list[Path]:
        """Return the files of processes that are alive, the oldest first."""
        found = [
            file
            for file in self.folder.glob(f"{self.prefix}*")
            if is_run_active(self.folder / RUNNING_SUFFIX, file.name)
        ]
        return sorted(found, key=modified_at)

    def add_approved_writes(self, paths: Iterable[Path], index: AutorunIndex) -> None:
        """Notify all processes that a tool has written files with the user's approval."""
        find_autorun_files(index)
        places = {str(path.parent.resolve() / path.name) for path in paths}
        rules = {place: index.rule_at(os.path.relpath(place, self.root).replace(os.sep, "/")) for place in places}
        with self.lock_workspace():
            self.update_states(
                {one: (capture_state(one), rule.reason) for one, rule in rules.items() if rule and rule.protected}
            )

    def update_states(self, files: Mapping[str, tuple[FileState | None, str]]) -> None:
        """Notify all processes of the present state of files, with what runs them; the caller has the lock."""
        states = {path: state for path, (state, _) in files.items() if state}
        reasons = {path: reason for path, (_, reason) in files.items()}
        for file in self.note_files() if files else ():
            for note in read_notes([file]):
                kept = {path: state for path, state in note.states.items() if path not in files}
                began = file.stat().st_mtime_ns
                write_note(file, ProcessNote({**kept, **states}, {**note.reasons, **reasons}, note.approved))
                os.utime(file, ns=(began, began))

    def changed_by_killed(self, states: Mapping[str, FileState]) -> Iterator[str]:
        """Return, once, the files that changed since a command began whose OpenKoi process was killed."""
        for file in self.folder.glob(f"{self.prefix}*"):
            if HAS_LOCKS and not is_run_active(self.folder / RUNNING_SUFFIX, file.name):
                for note in read_notes([file]):
                    yield from (path for path, state in states.items() if note.states.get(path) != reduce_state(state))
                file.unlink(missing_ok=True)


def write_note(file: Path, note: ProcessNote) -> None:
    """Write a note atomically, readable only by its user; it need not survive a crash of the machine."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as text:
        text.write(note.to_json())
    fresh.replace(file)


def read_notes(files: Iterable[Path]) -> Iterator[ProcessNote]:
    """Read notes; skip those that were just removed, or that a crash truncated."""
    for file in files:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            yield ProcessNote.from_file(file)


def process_of(file: Path) -> int:
    """Return the process that a file of notes belongs to."""
    return int(file.name.rpartition("-")[2])


def modified_at(file: Path) -> int:
    """Return when a file was written; now for one that has just been removed."""
    with contextlib.suppress(OSError):
        return file.stat().st_mtime_ns
    return 1 << 63


def reduce_state(state: FileState) -> FileState:
    """Return a state in the form of a note: of a large file, only what identifies it."""
    if state.data is None or len(state.data) <= MAX_NOTED_BYTES:
        return state
    return FileState(state.kind, state.mode, None, hashlib.sha256(state.data).hexdigest())


def state_to_json(state: FileState) -> list[object]:
    """Return a state as JSON."""
    kept = reduce_state(state)
    data = None if kept.data is None else base64.b64encode(kept.data).decode()
    return [kept.kind.value, kept.mode, data, os.fsencode(kept.target).decode("latin-1")]


def state_from_json(fields: Sequence[object]) -> FileState:
    """Return the state of a row."""
    kind, mode, data, target = fields
    content = None if data is None else base64.b64decode(str(data))
    return FileState(FileKind(kind), int(str(mode)), content, os.fsdecode(str(target).encode("latin-1")))
