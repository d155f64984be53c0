"""Patterns as ignore files have them. What is no pattern, or would take for ever to match, is passed over."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MANY_STARS = re.compile(r"(?:\*+[^/*]+){4}")
LONGEST_PATTERN = 1_000


@dataclass(frozen=True, slots=True)
class Rules:
    """The ignore file of one folder. ``base`` is the length of the folder's path with the separator after it."""

    base: int
    spec: "GitIgnoreSpec"

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Say whether a path below is ignored; None when this file does not speak of it."""
        relative = path[self.base :].replace(os.sep, "/")
        return self.spec.check_file(f"{relative}/" if is_folder else relative).include


def rules_of(folder: str) -> tuple[Rules, ...]:
    """Read a folder's ignore file, if it has one."""
    file = Path(folder, ".gitignore")
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    except OSError:
        return ()
    return (Rules(base_of(folder), compiled(lines)),) if lines else ()


def base_of(folder: str) -> int:
    """Return where, in a path below a folder, its relative part begins."""
    return len(folder.rstrip(os.sep)) + 1


def compiled(lines: Iterable[str]) -> "GitIgnoreSpec":
    """Compile the patterns among some lines."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([line for line in lines if valid(line)])


def valid(line: str) -> bool:
    """Tell whether a line is a pattern that can be matched in a reasonable time."""
    from pathspec import GitIgnoreSpec

    if MANY_STARS.search(line) or len(line) > LONGEST_PATTERN:
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
