"""Cache test results by the state of the project, so that no state is tested twice.

The results of an evaluation at the end of a run are the baseline of the next run.
"""

import json
import time
from contextlib import suppress
from pathlib import Path

from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs import Baseline, Check
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_AGE_SECONDS = 3600.0  # tests may also depend on the clock, the network and other programs
MAX_STATES = 10
MAX_BYTES = 1_000_000  # about 10,000 tests


@dataclass(frozen=True, slots=True)
class KnownResults:
    """Test results stored in a folder; without a folder, nothing is stored."""

    folder: Path | None

    def find(self, state: str) -> Baseline | None:
        """Return the test results for a state; None if they are unknown or too old."""
        if self.folder is None or not state:
            return None
        path = self.path_of(state)
        try:
            if time.time() - path.stat().st_mtime > MAX_AGE_SECONDS:
                return None
            checks, more = json.loads(path.read_text("utf-8"))
            return Baseline("", tuple(Check(name, passed, file=file) for name, passed, file in checks), more)
        except (OSError, ValueError, TypeError):
            return None

    def keep(self, state: str, record: Baseline) -> None:
        """Store the test results for a state; remove the oldest results when there are too many."""
        if self.folder is None or not state:
            return
        checks = [(check.name, check.passed, check.file) for check in record.checks]
        data = json.dumps([checks, record.state]).encode()
        if len(data) > MAX_BYTES:
            return
        with suppress(OSError):  # without it the tests run again
            private_folder(self.folder)
            write_atomically(self.path_of(state), data)
            kept = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in kept[MAX_STATES:]:
                path.unlink()

    def path_of(self, state: str) -> Path:
        """Return the path of a state's results."""
        assert self.folder is not None
        return self.folder / f"{state}.json"
