"""Decide which changes of protected files have to be undone."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from openkoi_base.schema import AutorunRule

from .file_state import FileKind, FileState
from .git_config import runs_nothing

SETTINGS = frozenset({"config", "config.worktree"})
POINTER = "gitdir: "


@dataclass(frozen=True, slots=True)
class ProtectedView:
    """Hold the protected files at a moment, by absolute path, with all folders and those that are git's."""

    states: Mapping[str, FileState] = field(default_factory=dict)
    rules: Mapping[str, AutorunRule] = field(default_factory=dict)
    folders: Collection[str] = ()
    git_folders: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class PlantedChange:
    """Describe a change that must be undone: what is at the path now, if anything, and what was, if anything."""

    path: str
    reason: str
    before: FileState | None
    after: FileState | None


def find_planted(before: ProtectedView, after: ProtectedView) -> Iterator[PlantedChange]:
    """Yield the changes of protected files that could make another program run something.

    A copy of a file of the user runs nothing that the original does not.
    """
    known = {(os.path.basename(path), content_key(state)) for path, state in before.states.items()}  # noqa: PTH119
    for path in sorted({*before.states, *after.states}):
        was, is_now = before.states.get(path), after.states.get(path)
        if was == is_now or (is_now is None and os.path.dirname(path) not in after.folders):  # noqa: PTH120
            continue
        rule = after.rules.get(path) or before.rules[path]
        if was is None and is_now is not None:
            copied = (os.path.basename(path), content_key(is_now)) in known  # noqa: PTH119
            if copied or in_new_repository(path, rule, before) or runs_nothing_new(path, is_now, after):
                continue
        yield PlantedChange(path, rule.reason, was, is_now)


def in_new_repository(path: str, rule: AutorunRule, before: ProtectedView) -> bool:
    """Return whether a file that only counts at the top of a repository is in one that was not there before."""
    if not rule.top:
        return False
    parts, length = path.split("/"), len(rule.parts)
    starts = (at for at in range(len(parts)) if tuple(map(str.casefold, parts[at : at + length])) == rule.parts)
    top = next(("/".join(parts[:at]) for at in starts), os.path.dirname(path))  # noqa: PTH120
    return top not in before.folders


def content_key(state: FileState) -> tuple[FileKind, int, bytes | None, str]:
    return state.kind, state.mode, state.data, state.target


def runs_nothing_new(path: str, state: FileState, view: ProtectedView) -> bool:
    """Return whether a new file of git's makes it run nothing: as in a repository that was just made or cloned."""
    folder, name = os.path.split(path)
    if folder in view.git_folders and name in SETTINGS:
        return state.kind is FileKind.FILE and state.data is not None and runs_nothing(state.text)
    if os.path.basename(folder) == "hooks" and os.path.dirname(folder) in view.git_folders:  # noqa: PTH119, PTH120
        return state.kind is FileKind.FILE and name.endswith(".sample")
    if name in {".git", "commondir"}:
        return resolve_pointer(folder, state) in view.git_folders
    return False


def resolve_pointer(folder: str, state: FileState) -> str:
    """Return the folder that a link, ``.git`` or ``commondir`` leads to."""
    target = state.target if state.kind is FileKind.LINK else state.text.strip().removeprefix(POINTER).strip()
    return os.path.realpath(os.path.join(folder, target)) if target else ""  # noqa: PTH118
