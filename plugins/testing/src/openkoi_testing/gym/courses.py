"""Run drawn worlds with learners: the references, and the installed hook that learns."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from .hook_learner import HookLearner
from .learners import InformedLearner, Learner, NoMemory, Oracle, PlainLedger
from .runs import Course, Watch, run_world
from .score import WorldCourses
from .world import Truth, World

REFERENCES: Mapping[str, Callable[[Truth], Learner]] = {  # the only learners that are given a world's truth
    "none": lambda _: NoMemory(),
    "ledger": PlainLedger,
    "informed": InformedLearner,
    "oracle": Oracle,
}
RunLearner: TypeAlias = Callable[[World, int, str], Course]


def run_learner(world: World, tasks: int, who: str, watch: Watch | None = None) -> Course:
    """Run a world with a learner."""
    with open_learner(world, who) as learner:
        return asyncio.run(run_world(world, learner, tasks, watch))


def run_learners(
    make: Callable[[], World], tasks: int, who: Sequence[str], run: RunLearner = run_learner
) -> WorldCourses:
    """Run a world once for each learner."""
    courses = {one: run(make(), tasks, one) for one in who}
    world = make()
    return WorldCourses(world.name, world.family, world.drifts_at if world.drifts_at < tasks else -1, courses)


@contextmanager
def open_learner(world: World, who: str) -> Iterator[Learner]:
    """Open a learner, ``ours`` being the installed hook ``learning``, which has a folder of its own."""
    if who != "ours":
        yield REFERENCES[who](world.truth)
        return
    with TemporaryDirectory(prefix="openkoi-gym-") as folder:
        make = entry_points(group="openkoi.hooks")["learning"].load()
        yield HookLearner(Path(folder), lambda sessions: make(sessions=sessions), world.name)


def read_seeds(text: str) -> Iterator[int]:
    """Yield the seeds of a list such as ``3``, ``0-60`` or ``0,4,8``."""
    for part in text.split(","):
        first, _, end = part.partition("-")
        yield from range(int(first), int(end or int(first) + 1))
