"""What changed in the work since a moment ago. Knows files and texts; knows no judgement.

Files are compared with copies that were kept of them. Nothing outside of the workspace is read, no link is followed,
and where a comparison would cost too much there is none.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from openkoi_hookspecs import ExecutionResult

from .evidence import files

MOST = 400_000
SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class State:
    """A work, and the texts of the files that it had changed."""

    work: ExecutionResult
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """What is different now, as a diff, and in which files; none of them where only words differ."""

    text: str
    files: tuple[str, ...] = ()


def state_of(work: ExecutionResult, root: Path) -> State | None:
    """The work as it is now; None when there is too much of it."""
    texts = read(files(work), root)
    return None if texts is None else State(work, texts)


def changed(before: State, now: State, root: Path) -> Change | None:
    """What is different; None when that cannot be told."""
    gone = read([file for file in before.texts if file not in now.texts], root)
    if gone is None:
        return None
    diffs = {file: difference(file, before, text, now.work) for file, text in {**gone, **now.texts}.items()}
    if any(diff is None for diff in diffs.values()):
        return None
    told = {file: diff for file, diff in diffs.items() if diff}
    return Change("\n".join(told.values()), tuple(told)) if told else Change(words(before.work, now.work))


def difference(file: str, before: State, text: str, work: ExecutionResult) -> str | None:
    """How a file differs. One that was as at the beginning differs as it does from there."""
    if file in before.texts:
        return unified(before.texts[file], text, file)
    sections = [part for part in SECTION.split(work.diff) if part.partition("\n")[0].endswith(f" b/{file}")]
    return sections[0] if len(sections) == 1 else None


def words(before: ExecutionResult, now: ExecutionResult) -> str:
    """How the last words differ."""
    return unified(before.text, now.text, "answer")


def unified(old: str, new: str, name: str) -> str:
    """A diff of two texts."""
    lines = unified_diff(old.splitlines(), new.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "\n".join(lines)


def read(names: Iterable[str], root: Path) -> Mapping[str, str] | None:
    """The texts of files; what is not there is empty. None: too much, or outside of the workspace."""
    found: dict[str, str] = {}
    left = MOST
    for name in names:
        text = inside(root, name, left)
        if text is None:
            return None
        left -= len(text)
        found[name] = text
    return found


def inside(root: Path, name: str, most: int) -> str | None:
    """One file's text, if it is a file of the workspace and not too long."""
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()) or path.is_symlink():
        return None
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= most else None
    except FileNotFoundError:
        return ""
    except OSError:
        return None
