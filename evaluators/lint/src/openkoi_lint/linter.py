"""Define a linter as a command and a parser."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from openkoi_base.files.project_commands import command_in
from openkoi_hookspecs import Finding
from openkoi_hookspecs.lazy_dataclass import dataclass

Reader: TypeAlias = Callable[[str, Path], tuple[Finding, ...]]
FILE = "{file}"


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How a linter checks single files, whose names have one of these ``suffixes``.

    ``stdin`` are the options to check the input as the file that ``{file}`` stands for, such as ``probe``. ``named``
    are those before the names of files; None if the linter must choose the files, so that it checks all of them.
    """

    suffixes: frozenset[str]
    probe: str
    stdin: tuple[str, ...]
    named: tuple[str, ...] | None = ("--",)


@dataclass(frozen=True, slots=True)
class Linter:
    """A command and the parser of its output; without ``argv`` it is configured but not installed.

    It checks its ``targets``, and single files if it has options for them. It runs in a ``folder`` of the workspace. A
    ``wide`` one analyzes the whole program. One that fails without a finding is run again with ``else_env``.
    """

    name: str
    argv: tuple[str, ...]
    read: Reader
    targets: tuple[str, ...] = ()
    files: FileOptions | None = None
    wide: bool = False
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    else_env: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The linter's name and the folder it checks."""
        return f"{self.name} in {self.folder}" if self.folder else self.name

    @property
    def probe(self) -> str:
        """A file of the workspace that it would check."""
        return "/".join(filter(None, (self.folder, self.files.probe if self.files else "")))

    def checks(self, file: str) -> bool:
        """Return whether it can check this file of the workspace alone."""
        below = not self.folder or file.startswith(f"{self.folder}/")
        return below and self.files is not None and PurePosixPath(file).suffix in self.files.suffixes

    def project_command(self) -> tuple[str, ...]:
        """Return the command that checks the project."""
        return command_in(self.folder, (*self.argv, *self.targets))

    def files_command(self, files: Sequence[str]) -> tuple[str, ...]:
        """Return the command that checks these files of the workspace, or the project if it must choose the files."""
        if self.files is None or self.files.named is None:
            return self.project_command()
        return command_in(self.folder, (*self.argv, *self.files.named, *map(self.in_folder, files)))

    def stdin_command(self, file: str) -> tuple[str, ...]:
        """Return the command that checks its input as this file of the workspace."""
        options = self.files.stdin if self.files else ()
        name = self.in_folder(file)
        return command_in(self.folder, (*self.argv, *(name if part == FILE else part for part in options)))

    def in_folder(self, file: str) -> str:
        """Return the path of a file of the workspace, relative to the linter's folder."""
        return file.removeprefix(f"{self.folder}/") if self.folder else file

    def findings(self, text: str, root: Path) -> tuple[Finding, ...]:
        """Return each finding once, with its location in the workspace."""
        found = (self.to_workspace(finding) for finding in self.read(text, root / self.folder))
        return tuple({(finding.key, finding.where): finding for finding in found}.values())

    def to_workspace(self, finding: Finding) -> Finding:
        """Return a finding with its location relative to the workspace."""
        return replace(finding, where=f"{self.folder}/{finding.where}") if self.folder and finding.where else finding
