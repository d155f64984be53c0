"""A command that looks at a project. Knows no linter."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs import Finding

Reader: TypeAlias = Callable[[str, Path], tuple[Finding, ...]]
IN_FOLDER = 'cd "$0" && exec "$@"'


@dataclass(frozen=True, slots=True)
class Linter:
    """A command, and who understands it. Without ``argv`` it is wanted and not installed.

    It is run in a ``folder`` of the workspace. A ``wide`` one reads the program as a whole. One that failed without a
    finding is asked once more with ``else_env``.
    """

    name: str
    argv: tuple[str, ...]
    read: Reader
    wide: bool = False
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    else_env: Mapping[str, str] = field(default_factory=dict)

    @property
    def placed(self) -> tuple[str, ...]:
        """The command as it is run from the workspace."""
        if not self.folder:
            return self.argv
        if os.name == "nt":
            return ("cmd", "/c", "cd", "/d", self.folder, "&&", *self.argv)
        return ("sh", "-c", IN_FOLDER, self.folder, *self.argv)

    def findings(self, text: str, root: Path) -> tuple[Finding, ...]:
        """What it found, each with its place in the workspace, and once."""
        found = (self.moved(finding) for finding in self.read(text, root / self.folder))
        return tuple({(finding.key, finding.where): finding for finding in found}.values())

    def moved(self, finding: Finding) -> Finding:
        """A finding of its folder, as the workspace knows it."""
        return replace(finding, where=f"{self.folder}/{finding.where}") if self.folder and finding.where else finding
