"""Exchange notes between runs about files that other programs run: each run lists its own at its end."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from openkoi_base.files import HAS_LOCKS, is_run_active, lock_run, private_folder
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_state import FileState
from .process_notes import RUNNING_SUFFIX

GONE = "gone"


@dataclass(frozen=True, slots=True)
class RunNotes:
    """The notes for the run of a task, a line for each file that another run left so. They lie in ``folder``."""

    folder: Path
    root: Path
    run: str

    @property
    def prefix(self) -> str:
        """The prefix of the names of all files about one workspace."""
        return f"run-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}-"

    @property
    def file(self) -> Path:
        """The file that other runs write to."""
        return self.folder / f"{self.prefix}{self.run}"

    @contextlib.contextmanager
    def receive(self) -> Iterator[None]:
        """Receive notes of other runs meanwhile; raise OSError or KoiError where that is impossible."""
        private_folder(self.folder)
        with lock_run(self.folder / RUNNING_SUFFIX, self.file.name):
            for file in self.files():
                if HAS_LOCKS and not is_run_active(self.folder / RUNNING_SUFFIX, file.name):
                    file.unlink(missing_ok=True)
            self.file.touch(0o600)
            try:
                yield
            finally:
                self.file.unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """Return the files of all runs in this workspace."""
        return [*self.folder.glob(f"{self.prefix}*")]

    def notify_others(self, states: Mapping[str, FileState | None]) -> None:
        """Notify other runs of the state in which this one left some files."""
        for file in self.files() if states else ():
            if file != self.file:
                line = json.dumps({path: digest_state(state) for path, state in states.items()})
                with contextlib.suppress(OSError), file.open("a") as text:
                    text.write(line + "\n")

    def read_received(self) -> dict[str, str]:
        """Return what others noted; a line that is being written now comes next time."""
        found: dict[str, str] = {}
        with contextlib.suppress(OSError):
            for line in self.file.read_text().splitlines():
                with contextlib.suppress(ValueError):
                    found |= json.loads(line)
        return found


def digest_state(state: FileState | None) -> str:
    """Return a key that is equal only for equal content."""
    if state is None:
        return GONE
    content = (state.kind.value, state.mode, state.target, hashlib.sha256(state.data or b"").hexdigest())
    return hashlib.sha256(repr(content).encode("utf-8", "surrogateescape")).hexdigest()
