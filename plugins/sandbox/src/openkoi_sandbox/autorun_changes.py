"""Describe files that a run changed and other programs run, and decide whether they now run anything else."""

import json
import tomllib
from collections.abc import Mapping, Sequence

from openkoi_base.schema.autorun import DEPENDENCY_FOLDERS, AutorunRule
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_state import FileState


@dataclass(frozen=True, slots=True)
class AutorunChange:
    """A file, the rule for what runs it, and whether it is new. The most dangerous sorts first."""

    path: str
    rule: AutorunRule
    new: bool = False

    @property
    def text(self) -> str:
        """Describe the file and the programs that run it."""
        return f"{'new' if self.new else 'changed'}: {self.rule.reason}"

    @property
    def order(self) -> tuple[bool, bool, bool, str]:
        """Return protected files first, then what else runs at once, and what a tool made of dependencies last."""
        made = self.path.endswith((".pyc", ".pyo")) or not DEPENDENCY_FOLDERS.isdisjoint(self.path.split("/"))
        return not self.rule.protected, not self.rule.at_once, made, self.path

    def __lt__(self, other: "AutorunChange") -> bool:
        return self.order < other.order


def runs_the_same(keys: Sequence[str], path: str, before: FileState | None, after: FileState) -> bool:
    """Return whether only these keys of a file count, and all of them are as before."""
    if not keys or (before is not None and before.mode != after.mode):
        return False
    was, now = (read_keys(keys, path, state) for state in (before, after))
    return was is not None and was == now


def read_keys(keys: Sequence[str], path: str, state: FileState | None) -> Mapping[str, object] | None:
    """Return the values of some keys of a JSON or TOML file, or None if it cannot be read."""
    if state is None:
        return {}
    try:
        found = tomllib.loads(state.text) if path.endswith(".toml") else json.loads(state.text)
    except (ValueError, RecursionError):
        return None
    return {key: found[key] for key in keys if key in found} if isinstance(found, dict) else None
