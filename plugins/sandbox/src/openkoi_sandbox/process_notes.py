"""Notes of what protected files were when commands began, for other OpenKoi processes in the same workspace.

One that begins while a command of another runs takes its notes over: what that command has planted is not the user's.
What a process leaves behind when it is killed is reported by the next one.
"""

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_files import LOCKS, is_under_way, locked, private_folder, under_way
from openkoi_schema import rule_of

from .file_state import FileState, Kind, state_of

RUNNING = "running"
MAX_NOTED = 200_000  # bytes of one file; protected files are a few kilobytes as a rule


@dataclass(frozen=True, slots=True)
class Note:
    """How files were when a command began, by path, with who runs them, and the paths that its user ``approved``."""

    states: Mapping[str, FileState] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    approved: Sequence[str] = ()
    process: int = 0

    def as_json(self) -> str:
        """Write it down."""
        files = {path: [*row(state), self.reasons.get(path, "")] for path, state in self.states.items()}
        return json.dumps({"files": files, "approved": [*self.approved]})

    @classmethod
    def read(cls, file: Path) -> "Note":
        """Read one; raises OSError, or ValueError or TypeError for what is none."""
        found = json.loads(file.read_text())
        states = {path: state_from(fields[:-1]) for path, fields in found["files"].items()}
        reasons = {path: fields[-1] for path, fields in found["files"].items()}
        return cls(states, reasons, tuple(found["approved"]), process_of(file))


@dataclass(frozen=True, slots=True)
class Underway:
    """The notes about one workspace, a file for each process, below ``folder``."""

    folder: Path
    root: Path

    @property
    def prefix(self) -> str:
        """What the names of all its files begin with."""
        return f"underway-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}-"

    @property
    def file(self) -> Path:
        """The file of this process."""
        return self.folder / f"{self.prefix}{os.getpid()}"

    def lock(self) -> AbstractContextManager[None]:
        """Let no other process look at this workspace or note anything meanwhile; raises OSError where none can."""
        return locked(private_folder(self.folder) / self.prefix)

    def held(self) -> AbstractContextManager[None]:
        """Let other processes see that ours lives and runs commands; a process of the same id does not count."""
        return under_way(self.folder / RUNNING, self.file.name)

    def write(self, note: Note) -> None:
        """Write down how the files are now; raises OSError where that cannot be done."""
        write(self.file, note)

    def clear(self) -> None:
        """No command of ours runs any more."""
        self.file.unlink(missing_ok=True)

    def own(self) -> Note:
        """Return our notes, which other processes may have amended; empty ones if there are none."""
        return next(notes_in([self.file]), Note())

    def others(self) -> list[Note]:
        """Return the notes of other processes that run commands now, the oldest first."""
        return [note for note in notes_in(self.files()) if note.process != os.getpid()]

    def files(self) -> list[Path]:
        """Return the files of processes that are alive, the oldest first."""
        found = [file for file in self.folder.glob(f"{self.prefix}*") if is_under_way(self.folder / RUNNING, file.name)]
        return sorted(found, key=changed_at)

    def agree(self, paths: Iterable[Path]) -> None:
        """Note in all processes that a tool has written files, as the user had agreed to it."""
        places = {str(path.parent.resolve() / path.name) for path in paths}
        rules = {place: rule_of(os.path.relpath(place, self.root).replace(os.sep, "/")) for place in places}
        with self.lock():
            self.amend({one: (state_of(one), rule.reason) for one, rule in rules.items() if rule and rule.protected})

    def amend(self, files: Mapping[str, tuple[FileState | None, str]]) -> None:
        """Note in all processes how files are now, with who runs them; call it with the lock."""
        states = {path: state for path, (state, _) in files.items() if state}
        reasons = {path: reason for path, (_, reason) in files.items()}
        for file in self.files() if files else ():
            for note in notes_in([file]):
                kept = {path: state for path, state in note.states.items() if path not in files}
                began = file.stat().st_mtime_ns
                write(file, Note({**kept, **states}, {**note.reasons, **reasons}, note.approved))
                os.utime(file, ns=(began, began))

    def left(self, states: Mapping[str, FileState]) -> Iterator[str]:
        """Return the files that are other than when a command began whose OpenKoi was killed, once."""
        for file in self.folder.glob(f"{self.prefix}*"):
            if LOCKS and not is_under_way(self.folder / RUNNING, file.name):
                for note in notes_in([file]):
                    yield from (path for path, state in states.items() if note.states.get(path) != noted(state))
                file.unlink(missing_ok=True)


def write(file: Path, note: Note) -> None:
    """Write notes as a whole, for their user alone; after a crash of the machine nothing needs them."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as text:
        text.write(note.as_json())
    fresh.replace(file)


def notes_in(files: Iterable[Path]) -> Iterator[Note]:
    """Read notes; those that were just removed, or were cut off by a crash, are left out."""
    for file in files:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            yield Note.read(file)


def process_of(file: Path) -> int:
    """Return the process that a file of notes belongs to."""
    return int(file.name.rpartition("-")[2])


def changed_at(file: Path) -> int:
    """Return when a file was written; now for one that has just been removed."""
    with contextlib.suppress(OSError):
        return file.stat().st_mtime_ns
    return 1 << 63


def noted(state: FileState) -> FileState:
    """Return a state as notes hold it: of a large file only what tells it from others."""
    if state.data is None or len(state.data) <= MAX_NOTED:
        return state
    return FileState(state.kind, state.mode, None, hashlib.sha256(state.data).hexdigest())


def row(state: FileState) -> list[object]:
    """Return a state as JSON."""
    kept = noted(state)
    data = None if kept.data is None else base64.b64encode(kept.data).decode()
    return [kept.kind.value, kept.mode, data, os.fsencode(kept.target).decode("latin-1")]


def state_from(fields: Sequence[object]) -> FileState:
    """Return the state of a row."""
    kind, mode, data, target = fields
    content = None if data is None else base64.b64decode(str(data))
    return FileState(Kind(kind), int(str(mode)), content, os.fsdecode(str(target).encode("latin-1")))
