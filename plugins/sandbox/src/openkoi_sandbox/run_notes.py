"""What runs tell each other about files that other programs run: each lists its own at its end, and no other's."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from openkoi_files import LOCKS, is_under_way, private_folder, under_way

from .file_state import FileState
from .underway import RUNNING

GONE = "gone"


@dataclass(frozen=True, slots=True)
class RunNotes:
    """The notes of the run of a task, a line for each file that another run left so. They lie in ``folder``."""

    folder: Path
    root: Path
    run: str

    @property
    def prefix(self) -> str:
        """What the names of all files about one workspace begin with."""
        return f"run-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}-"

    @property
    def file(self) -> Path:
        """The file that other runs write to."""
        return self.folder / f"{self.prefix}{self.run}"

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Be told by other runs meanwhile; raises OSError or KoiError where that cannot be."""
        private_folder(self.folder)
        with under_way(self.folder / RUNNING, self.file.name):
            for file in self.files():
                if LOCKS and not is_under_way(self.folder / RUNNING, file.name):
                    file.unlink(missing_ok=True)
            self.file.touch(0o600)
            try:
                yield
            finally:
                self.file.unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """Return the files of all runs in this workspace."""
        return [*self.folder.glob(f"{self.prefix}*")]

    def tell_others(self, states: Mapping[str, FileState | None]) -> None:
        """Tell the other runs how this one left some files."""
        for file in self.files() if states else ():
            if file != self.file:
                line = json.dumps({path: digest(state) for path, state in states.items()})
                with contextlib.suppress(OSError), file.open("a") as text:
                    text.write(line + "\n")

    def told(self) -> dict[str, str]:
        """Return what others told; a line that is being written now comes next time."""
        found: dict[str, str] = {}
        with contextlib.suppress(OSError):
            for line in self.file.read_text().splitlines():
                with contextlib.suppress(ValueError):
                    found |= json.loads(line)
        return found


def digest(state: FileState | None) -> str:
    """Return what is the same only for the same content."""
    if state is None:
        return GONE
    content = (state.kind.value, state.mode, state.target, hashlib.sha256(state.data or b"").hexdigest())
    return hashlib.sha256(repr(content).encode("utf-8", "surrogateescape")).hexdigest()
