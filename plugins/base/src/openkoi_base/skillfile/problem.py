"""Describe a problem in a file and its location."""

from dataclasses import KW_ONLY
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_MESSAGE_LENGTH = 500  # characters; estimate
Keys: TypeAlias = tuple[str | int, ...]  # the place of a value in YAML: names of fields and positions in lists


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem and its line; a ``fatal`` one makes the file unusable, others only break the format's rules."""

    text: str
    line: int = 1
    _: KW_ONLY
    fatal: bool = True
    path: Path | None = None

    def __str__(self) -> str:
        text = self.text if len(self.text) <= MAX_MESSAGE_LENGTH else f"{self.text[:MAX_MESSAGE_LENGTH]}…"
        return f"{self.path}:{self.line}: {text}" if self.path else f"line {self.line}: {text}"


class InvalidSkillError(KoiError):
    """A file that cannot be used; ``problem`` is the first reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem
