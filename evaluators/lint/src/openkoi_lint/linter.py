"""Define a linter as a command and a parser."""

import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs import Finding
from openkoi_hookspecs.lazy_dataclass import dataclass

Reader: TypeAlias = Callable[[str, Path], tuple[Finding, ...]]
IN_FOLDER = 'cd "$0" && exec "$@"'


@dataclass(frozen=True, slots=True)
class Linter:
    """A command and the parser of its output; without ``argv`` it is configured but not installed.

    It runs in a ``folder`` of the workspace. A ``wide`` one analyzes the whole program. One that fails without a
    finding is run again with ``else_env``.
    """

    name: str
    argv: tuple[str, ...]
    read: Reader
    wide: bool = False
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    else_env: Mapping[str, str] = field(default_factory=dict)

    @property
    def command_line(self) -> tuple[str, ...]:
        """The command as it is run from the workspace."""
        if not self.folder:
            return self.argv
        if os.name == "nt":
            return ("cmd", "/c", "cd", "/d", self.folder, "&&", *self.argv)
        return ("sh", "-c", IN_FOLDER, self.folder, *self.argv)

    def findings(self, text: str, root: Path) -> tuple[Finding, ...]:
        """Return each finding once, with its location in the workspace."""
        found = (self.to_workspace(finding) for finding in self.read(text, root / self.folder))
        return tuple({(finding.key, finding.where): finding for finding in found}.values())

    def to_workspace(self, finding: Finding) -> Finding:
        """Return a finding with its location relative to the workspace."""
        return replace(finding, where=f"{self.folder}/{finding.where}") if self.folder and finding.where else finding
