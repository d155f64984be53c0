"""Show the version of the memory file, and migrate back to an older one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError

from .file import MemoryFile
from .migrations import MIGRATIONS, Migration, MigrationStep, Plan, applied_steps, migrate, newest, steps, version_of
from .trouble import MemoryNewerError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Taken = Sequence[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Versions:
    """A file's steps: those that were ``taken``, with their moments, and those that are ``missing``."""

    taken: Taken
    missing: Sequence[Migration]

    @property
    def current(self) -> int:
        """The version that the file has."""
        return len(self.taken)

    @property
    def newer(self) -> bool:
        """Whether the file has steps that this code does not know."""
        return self.current > newest(MIGRATIONS)


def versions_of(file: MemoryFile) -> Versions | None:
    """Return the file's versions without changing them, or None without a file."""
    plan = file.plan or MIGRATIONS

    def look(connection: "DuckDBPyConnection") -> Taken:
        return applied_steps(connection) if version_of(connection) else []

    found = replace(file, plan=None).read(look)
    return None if found is None else Versions(found, [one for one in plan if one.version > len(found)])


def take_back(file: MemoryFile, to: int | None = None) -> list[MigrationStep]:
    """Take the file back to a version, one step without a number; return the steps that were taken, none or all."""
    plan = file.plan or MIGRATIONS
    if not file.path.exists():
        raise KoiError(f"No memory file {file.path}, and so nothing to take back.")

    def back(connection: "DuckDBPyConnection") -> list[MigrationStep]:
        way = way_back(plan, version_of(connection), to, file.path)
        migrate(connection, way, lambda left: opened.keep(connection, left))
        return way

    opened = replace(file, plan=None)
    return opened.write(back)


def way_back(plan: Plan, version: int, to: int | None, path: Path) -> list[MigrationStep]:
    """Return the steps to revert; raise KoiError when that is impossible."""
    if version > newest(plan):
        raise MemoryNewerError(path, str(version), newest(plan))
    wanted = max(version - 1, 0) if to is None else to
    if not 0 <= wanted <= version:
        raise KoiError(
            f"The memory file has version {version}: it can be reverted to versions 0 to {version}, not {wanted}."
        )
    return steps(plan, version, wanted)
