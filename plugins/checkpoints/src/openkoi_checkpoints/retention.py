"""Decide which checkpoints are retained, and which are deleted.

A workspace's newest ones and all young ones are retained, up to a total size; beyond it the oldest are deleted. A
checkpoint younger than a day stays regardless of its size, and so does the latest one of each existing workspace.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass

DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """The limits of checkpoints: how many per workspace, how many days, and how many bytes in total."""

    newest: int
    days: float
    most_bytes: int


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint's age in seconds, the number of newer ones of its workspace, and the blobs that it needs."""

    workspace: str
    id: str
    age: float
    newer: int
    abandoned: bool
    blobs: frozenset[str]

    @property
    def is_protected(self) -> bool:
        """Whether it is retained regardless of size."""
        return self.age < DAY_SECONDS or (self.newer == 0 and not self.abandoned)


def checkpoints_to_delete(
    held: Sequence[StoredCheckpoint], sizes: Mapping[str, int], policy: RetentionPolicy
) -> list[StoredCheckpoint]:
    """Return the checkpoints to delete, the oldest first."""
    dropped = [one for one in sort_oldest_first(held) if not (one.is_protected or is_wanted(one, policy))]
    gone = {(one.workspace, one.id) for one in dropped}
    rest = [one for one in held if (one.workspace, one.id) not in gone]
    return [*dropped, *checkpoints_over_limit(rest, sizes, policy.most_bytes)]


def is_wanted(one: StoredCheckpoint, policy: RetentionPolicy) -> bool:
    """Return whether it is young, or one of the newest of an existing workspace."""
    return one.age < policy.days * DAY_SECONDS or (one.newer < policy.newest and not one.abandoned)


def checkpoints_over_limit(
    held: Sequence[StoredCheckpoint], sizes: Mapping[str, int], most: int
) -> Iterable[StoredCheckpoint]:
    """Return the checkpoints to delete so that the blobs of the rest fit."""
    needed = Counter(blob for one in held for blob in one.blobs)
    total = sum(sizes.get(blob, 0) for blob in needed)
    for one in sort_oldest_first(held):
        if total <= most:
            return
        if one.is_protected:
            continue
        needed.subtract(one.blobs)
        total -= sum(sizes.get(blob, 0) for blob in one.blobs if not needed[blob])
        yield one


def sort_oldest_first(held: Iterable[StoredCheckpoint]) -> list[StoredCheckpoint]:
    """Return the checkpoints by age."""
    return sorted(held, key=lambda one: -one.age)
