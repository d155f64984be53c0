"""Notes of what protected files were while a command runs, for the next OpenKoi when one is killed."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from openkoi_files import is_process_running

from .file_state import FileState


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

    def note(self, states: Mapping[str, FileState]) -> None:
        """Write down how the files are now; raises OSError where that cannot be done."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file.write_text(json.dumps({path: digest(state) for path, state in states.items()}))

    def clear(self) -> None:
        """No command runs any more."""
        self.file.unlink(missing_ok=True)

    def left(self, states: Mapping[str, FileState]) -> Iterator[str]:
        """Return the files that are other than when a command began whose OpenKoi was killed, once."""
        for file in self.folder.glob(f"{self.prefix}*"):
            if file == self.file or is_process_running(int(file.name.rpartition("-")[2])):
                continue
            with contextlib.suppress(OSError, ValueError):
                before = json.loads(file.read_text())
                yield from (path for path, state in states.items() if before.get(path) != digest(state))
            file.unlink(missing_ok=True)


def digest(state: FileState) -> str:
    """Return what is the same only for the same content."""
    content = (state.kind.value, state.mode, state.target, hashlib.sha256(state.data or b"").hexdigest())
    return hashlib.sha256(repr(content).encode("utf-8", "surrogateescape")).hexdigest()
