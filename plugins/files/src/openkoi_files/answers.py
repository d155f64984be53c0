"""What a person answered once and for all. Knows one file of the data folder; asks nobody."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .filelock import locked
from .private import private_folder, read_text, replace_file


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers by the digest of what was asked about; another digest is another question."""

    file: Path

    def get(self, digest: str) -> str | None:
        """What was answered, if it was."""
        answer = self.all().get(digest)
        return answer if isinstance(answer, str) else None

    def keep(self, digest: str, answer: str) -> None:
        """Remember an answer; two processes lose nothing."""
        private_folder(self.file.parent)
        with locked(self.file):
            replace_file(self.file, json.dumps({**self.all(), digest: answer}, indent=1, sort_keys=True))

    def all(self) -> dict[str, object]:
        """All answers; a file that cannot be read holds none, and the questions are asked again."""
        with suppress(OSError, ValueError, RecursionError):
            known = json.loads(read_text(self.file)) if self.file.exists() else {}
            return known if isinstance(known, dict) else {}
        return {}
