"""From one version of the tables to the next, and back: numbered steps, each in a transaction of its own.

Knows which steps were taken and takes those that are missing; knows no file, lock or backup.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .schema import NO_OUTCOMES, NO_PLACES, NO_TABLES, NO_VECTORS, OUTCOMES, PLACES, TABLES, VECTORS
from .sql import select_rows, transaction
from .trouble import StoreError, StoreFailureKind

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LEDGER = """
CREATE TABLE IF NOT EXISTS _migrations (
    version BIGINT PRIMARY KEY, name VARCHAR NOT NULL, applied_at VARCHAR NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """A step as statements in both directions.

    A ``destructive`` one removes what reverting cannot restore. A new column is added instead of rebuilding a table.
    Reverting always counts as destructive.
    """

    version: int
    name: str
    up: str
    down: str
    destructive: bool = False


Plan = Sequence[Migration]
MIGRATIONS: Plan = (
    Migration(1, "first tables", TABLES, NO_TABLES),
    Migration(2, "what came of iterations", OUTCOMES, NO_OUTCOMES),
    Migration(3, "pieces of transcripts", PLACES, NO_PLACES),
    Migration(4, "vectors of any length", VECTORS, NO_VECTORS),
)


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """A migration that can be applied or reverted."""

    migration: Migration
    back: bool = False

    @property
    def destructive(self) -> bool:
        """Whether something may be lost."""
        return self.back or self.migration.destructive

    @property
    def before(self) -> int:
        """The version that is left."""
        return self.migration.version - (not self.back)


def newest(plan: Plan) -> int:
    """The version that this code works with."""
    return plan[-1].version


def version_of(connection: "DuckDBPyConnection") -> int:
    """The version that a file has: 0 when nothing is laid out. One with a gap in its steps is not ours."""
    from .native import duckdb

    try:
        found = [version for (version,) in select_rows(connection, "SELECT version FROM _migrations ORDER BY version")]
    except duckdb.CatalogException:
        if select_rows(connection, "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()"):
            raise StoreError(StoreFailureKind.DAMAGED, "its tables are not those of a memory") from None
        return 0
    if found != [*range(1, len(found) + 1)]:
        raise StoreError(StoreFailureKind.DAMAGED, f"it says that it has the versions {found}")
    return len(found)


def steps(plan: Plan, version: int, to: int) -> list[MigrationStep]:
    """What lies between two versions, in the order in which it is done."""
    if version <= to:
        return [MigrationStep(one) for one in plan if version < one.version <= to]
    return [MigrationStep(one, back=True) for one in reversed(plan) if to < one.version <= version]


def migrate(connection: "DuckDBPyConnection", plan: Sequence[MigrationStep], keep: Callable[[int], None]) -> None:
    """Apply steps, each in a transaction; ``keep`` gets the version to copy before data may be lost."""
    for step in plan:
        if step.destructive and step.before > 0:
            keep(step.before)
        take(connection, step)


def take(connection: "DuckDBPyConnection", step: MigrationStep) -> None:
    """Take one step, and write down that it was taken."""
    migration = step.migration
    with transaction(connection):
        connection.execute(LEDGER)
        connection.execute(migration.down if step.back else migration.up)
        if step.back:
            connection.execute("DELETE FROM _migrations WHERE version = ?", [migration.version])
        else:
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            connection.execute("INSERT INTO _migrations VALUES (?, ?, ?)", [migration.version, migration.name, now])


def lay_out(connection: "DuckDBPyConnection", plan: Plan = MIGRATIONS) -> None:
    """All tables, in a database that has none."""
    migrate(connection, steps(plan, 0, newest(plan)), keep=lambda _: None)


def born(connection: "DuckDBPyConnection") -> str:
    """When the tables became what they are: what was known of a file before that is not known of it any more."""
    return str(select_rows(connection, "SELECT max(applied_at) FROM _migrations")[0][0])


def applied_steps(connection: "DuckDBPyConnection") -> list[tuple[int, str, str]]:
    """Return the applied steps: version, name and time."""
    rows = select_rows(connection, "SELECT version, name, applied_at FROM _migrations ORDER BY version")
    return [(int(str(version)), str(name), str(moment)) for version, name, moment in rows]
