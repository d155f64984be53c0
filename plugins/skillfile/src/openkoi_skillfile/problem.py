"""Describe a problem in a file and its location."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from openkoi_hookspecs import KoiError

LONGEST = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and in which line. A ``fatal`` one keeps the file from being used; another breaks a promise."""

    text: str
    line: int = 1
    _: KW_ONLY
    fatal: bool = True
    path: Path | None = None

    def __str__(self) -> str:
        text = self.text if len(self.text) <= LONGEST else f"{self.text[:LONGEST]}…"
        return f"{self.path}:{self.line}: {text}" if self.path else f"line {self.line}: {text}"


class Unusable(KoiError):
    """A file that cannot be used, with the first reason why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem
