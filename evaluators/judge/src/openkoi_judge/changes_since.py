"""Find out what changed in the work since an earlier state.

Files are compared with copies. Nothing outside the workspace is read, no link is followed, and a comparison that is too
expensive is skipped.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import unified_diff
from pathlib import Path

from openkoi_hookspecs import ExecutionResult
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .evidence import changed_files

MAX_TOTAL_CHARACTERS = 400_000
SECTION = lazy_pattern(r"^(?=diff --git )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class WorkState:
    """A work, and the texts of the files that it changed."""

    work: ExecutionResult
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WorkChange:
    """A change as a diff, and its files; no files when only the response differs."""

    text: str
    files: tuple[str, ...] = ()


def capture_state(work: ExecutionResult, root: Path) -> WorkState | None:
    """Return the work's current state, or None when it is too large."""
    texts = read_files(changed_files(work), root)
    return None if texts is None else WorkState(work, texts)


def find_change(before: WorkState, now: WorkState, root: Path) -> WorkChange | None:
    """Return what changed, or None when that is unknown."""
    gone = read_files([file for file in before.texts if file not in now.texts], root)
    if gone is None:
        return None
    diffs = {file: diff_file(file, before, text, now.work) for file, text in {**gone, **now.texts}.items()}
    if any(diff is None for diff in diffs.values()):
        return None
    changed = {file: diff for file, diff in diffs.items() if diff}
    return (
        WorkChange("\n".join(changed.values()), tuple(changed))
        if changed
        else WorkChange(diff_responses(before.work, now.work))
    )


def diff_file(file: str, before: WorkState, text: str, work: ExecutionResult) -> str | None:
    """Return a file's diff from the earlier state; for one that had not changed by then, from the start."""
    if file in before.texts:
        return unified_text_diff(before.texts[file], text, file)
    sections = [part for part in SECTION.split(work.diff) if part.partition("\n")[0].endswith(f" b/{file}")]
    return sections[0] if len(sections) == 1 else None


def diff_responses(before: ExecutionResult, now: ExecutionResult) -> str:
    """Return how the responses differ."""
    return unified_text_diff(before.text, now.text, "answer")


def unified_text_diff(old: str, new: str, name: str) -> str:
    """Return a diff of two texts."""
    lines = unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "\n".join(lines)


def read_files(names: Iterable[str], root: Path) -> Mapping[str, str] | None:
    """Return the texts of files, empty for missing ones; None when too large or outside the workspace."""
    found: dict[str, str] = {}
    left = MAX_TOTAL_CHARACTERS
    for name in names:
        text = read_workspace_file(root, name, left)
        if text is None:
            return None
        left -= len(text)
        found[name] = text
    return found


def read_workspace_file(root: Path, name: str, most: int) -> str | None:
    """Return a file's text if it is inside the workspace and small enough."""
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()) or path.is_symlink():
        return None
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= most else None
    except FileNotFoundError:
        return ""
    except OSError:
        return None
