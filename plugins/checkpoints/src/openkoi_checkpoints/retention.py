"""Decide which checkpoints are kept. Knows ages, ranks and sizes; knows no disk.

Kept are a workspace's newest ones and all that are young; of these the oldest go until the rest fits. What is younger
than a day stays whatever its size, and so does the latest one of each workspace that is still there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Policy:
    """How many checkpoints of a workspace, how many days of them, and how many bytes in all."""

    newest: int
    days: float
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Held:
    """A checkpoint: its age in seconds, how many of its workspace are newer, and the blobs that it needs."""

    workspace: str
    id: str
    age: float
    newer: int
    abandoned: bool
    blobs: frozenset[str]

    @property
    def fixed(self) -> bool:
        """Whether it stays whatever its size."""
        return self.age < DAY or (self.newer == 0 and not self.abandoned)


def to_drop(held: Sequence[Held], sizes: Mapping[str, int], policy: Policy) -> list[Held]:
    """The checkpoints to delete, the oldest first."""
    dropped = [one for one in oldest_first(held) if not (one.fixed or wanted(one, policy))]
    gone = {(one.workspace, one.id) for one in dropped}
    rest = [one for one in held if (one.workspace, one.id) not in gone]
    return [*dropped, *too_much(rest, sizes, policy.most_bytes)]


def wanted(one: Held, policy: Policy) -> bool:
    """Whether it is young, or one of the newest of a workspace that is still there."""
    return one.age < policy.days * DAY or (one.newer < policy.newest and not one.abandoned)


def too_much(held: Sequence[Held], sizes: Mapping[str, int], most: int) -> Iterable[Held]:
    """Those that have to go until the blobs of the rest fit."""
    needed = Counter(blob for one in held for blob in one.blobs)
    total = sum(sizes.get(blob, 0) for blob in needed)
    for one in oldest_first(held):
        if total <= most:
            return
        if one.fixed:
            continue
        needed.subtract(one.blobs)
        total -= sum(sizes.get(blob, 0) for blob in one.blobs if not needed[blob])
        yield one


def oldest_first(held: Iterable[Held]) -> list[Held]:
    """By age."""
    return sorted(held, key=lambda one: -one.age)
