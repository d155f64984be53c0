"""Find protected files with ordinary names, which a link or a git setting uses in place of another file."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from openkoi_base.schema.autorun import AutorunRule
from openkoi_base.schema.autorun_index import AutorunIndex
from openkoi_base.schema.named_files import find_autorun_files
from openkoi_base.schema.protected_paths import first_protected, join_path
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Find named files; parts of a workspace that did not change are not read again."""

    indexes: dict[Path, AutorunIndex] = field(default_factory=dict)

    def load_index(self, workspace: Path) -> AutorunIndex:
        """Return the index of a workspace as it is now."""
        root = workspace.resolve()
        index = self.indexes.setdefault(root, AutorunIndex(root))
        find_autorun_files(index)
        return index

    def build_checker(self, workspace: Path) -> Callable[[str], bool]:
        """Return a function that checks whether a path is protected because another file names it."""
        index = self.load_index(workspace)
        return lambda path: bool((rule := index.named_rule(path)) and rule.protected)

    def find(
        self, paths: Iterable[str], globs: Sequence[str], workspace: Path, folders: Sequence[str]
    ) -> Iterator[tuple[str, list[tuple[str, AutorunRule]]]]:
        """Yield each path with its target, from each folder, if these patterns protect a file that names the target."""
        index = self.load_index(workspace)
        for path in paths if index.named else ():
            if places := [*find_places(index, path, globs, workspace, folders)]:
                yield path, places


def find_places(
    index: AutorunIndex, path: str, globs: Sequence[str], workspace: Path, folders: Sequence[str]
) -> Iterator[tuple[str, AutorunRule]]:
    """Yield the target of a path, from each folder, if these patterns protect a file that names the target."""
    for folder in folders:
        place = os.path.realpath(join_path(index.root, folder, path))
        rule = index.named_rule(os.path.relpath(place, index.root).replace(os.sep, "/"))
        if rule and rule.protected and first_protected([rule.via], globs, workspace):
            yield place, rule
