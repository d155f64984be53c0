"""Decide which changes of protected files must be undone."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from openkoi_base.schema.autorun import AutorunRule
from openkoi_base.schema.autorun_index import named_rule
from openkoi_base.schema.git_config import runs_nothing
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_state import FileKind, FileState, capture_state

SETTINGS = frozenset({"config", "config.worktree"})
POINTER = "gitdir: "
STAMP_GRACE_NANOSECONDS = 50_000_000  # ns; file systems write times in steps of a clock's tick, 10 ms at most


@dataclass(frozen=True, slots=True)
class ProtectedView:
    """The protected files at a moment, by absolute path, with the inodes of all folders, and those that are git's.

    ``named`` is what links and settings named then, by workspace. ``taken`` is the moment in nanoseconds, 0 if unknown.
    """

    states: Mapping[str, FileState] = field(default_factory=dict)
    rules: Mapping[str, AutorunRule] = field(default_factory=dict)
    folders: Mapping[str, int] = field(default_factory=dict)
    git_folders: Collection[str] = ()
    named: Sequence[tuple[str, Mapping[str, AutorunRule]]] = ()
    taken: int = 0

    def is_protected_by_name(self, path: str) -> bool:
        """Return whether a link or setting named the file, or a folder that contains it, at that time."""
        inside = ((named, os.path.relpath(path, root)) for root, named in self.named if path.startswith(f"{root}/"))
        return any(rule.protected for named, place in inside if (rule := named_rule(named, place)))

    def add_missing_states(self, other: "ProtectedView") -> "ProtectedView":
        """Return the view with the present state of another view's files, even if nothing names them any more."""
        missing = other.states.keys() - self.states.keys()
        states = {path: state for path in missing if (state := capture_state(path, other.states[path]))}
        return replace(self, states={**self.states, **states})

    def has_existed(self, path: str, after: "ProtectedView") -> bool:
        """Return whether a file already existed in its later state: it is older, and its folders are the same."""
        folder = os.path.dirname(path)  # noqa: PTH120
        while folder in after.folders and self.folders.get(folder) == after.folders[folder]:
            folder = os.path.dirname(folder)  # noqa: PTH120
        older = after.states[path].changed_at_ns < self.taken - STAMP_GRACE_NANOSECONDS
        return older and folder not in after.folders


@dataclass(frozen=True, slots=True)
class PlantedChange:
    """A change that must be undone: the entries at the path now and before, if any."""

    path: str
    reason: str
    before: FileState | None
    after: FileState | None


def find_planted(
    before: ProtectedView, after: ProtectedView, approved: Callable[[str], bool] = lambda _path: False
) -> Iterator[PlantedChange]:
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
            if is_newly_named(path, rule, before):
                stays = approved(rule.via) or before.states.get(rule.via) == after.states.get(rule.via)
                if not stays or before.has_existed(path, after):
                    continue
        yield PlantedChange(path, rule.reason, was, is_now)


def is_newly_named(path: str, rule: AutorunRule, before: ProtectedView) -> bool:
    """Return whether a file counts only because of a link or setting that did not name it before."""
    return bool(rule.via) and not before.is_protected_by_name(path)


def in_new_repository(path: str, rule: AutorunRule, before: ProtectedView) -> bool:
    """Return whether a file that only counts at the top of a repository is in one that was not there before."""
    if not rule.top:
        return False
    path = rule.via or path
    parts, length = path.split("/"), len(rule.parts)
    starts = (at for at in range(len(parts)) if tuple(map(str.casefold, parts[at : at + length])) == rule.parts)
    top = next(("/".join(parts[:at]) for at in starts), os.path.dirname(path))  # noqa: PTH120
    return top not in before.folders


def content_key(state: FileState) -> tuple[FileKind, int, bytes | None, str]:
    return state.kind, state.mode, state.data, state.target


def runs_nothing_new(path: str, state: FileState, view: ProtectedView) -> bool:
    """Return whether a new file of git's runs nothing, as in a repository that was just created or cloned."""
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
