"""Apply ignore files (``.gitignore``). Skip lines that are not patterns, or that would take too long to match."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MANY_STARS = lazy_pattern(r"(?:\*+[^/*]+){4}")
MAX_PATTERN_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore file of one folder; ``base`` is the length of the folder's path with its separator."""

    base: int
    spec: "GitIgnoreSpec"

    def is_ignored(self, path: str, is_folder: bool) -> bool | None:
        """Return whether a path below is ignored; None when this file does not mention it."""
        relative = path[self.base :].replace(os.sep, "/")
        return self.spec.check_file(f"{relative}/" if is_folder else relative).include


def load_rules(folder: str) -> tuple[IgnoreRules, ...]:
    """Read a folder's ignore file, if it has one."""
    file = Path(folder, ".gitignore")
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    except OSError:
        return ()
    return (IgnoreRules(base_of(folder), compile_rules(lines)),) if lines else ()


def base_of(folder: str) -> int:
    """Return where, in a path below a folder, its relative part begins."""
    return len(folder.rstrip(os.sep)) + 1


def compile_rules(lines: Iterable[str]) -> "GitIgnoreSpec":
    """Compile the patterns among some lines."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([line for line in lines if is_valid_pattern(line)])


def is_valid_pattern(line: str) -> bool:
    """Return whether a line is a pattern that can be matched in a reasonable time."""
    from pathspec import GitIgnoreSpec

    if MANY_STARS.search(line) or len(line) > MAX_PATTERN_CHARACTERS:
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
