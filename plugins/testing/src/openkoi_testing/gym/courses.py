"""Run drawn worlds with learners: the references, and the installed hook that learns."""

import argparse
import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

from .generator import DrawnWorld
from .hook_learner import HookLearner
from .learners import InformedLearner, Learner, NoMemory, Oracle, PlainLedger
from .planting import Planted, plant_advice
from .runs import Course, run_world
from .score import WorldCourses
from .second_generator import SEED, draw_second_world
from .world import World

LEARNERS: Mapping[str, Callable[[World], Learner]] = {
    "none": lambda world: NoMemory(),
    "ledger": lambda world: PlainLedger(world.truth),
    "informed": lambda world: InformedLearner(world.truth),
    "oracle": lambda world: Oracle(world.truth),
}


def run_learners(make: Callable[[], World], tasks: int, who: Sequence[str], *, why: bool = False) -> WorldCourses:
    """Run a world once for each learner, ``kernel`` being the installed hook in whole runs."""
    courses = {one: run_learner(make(), tasks, one, why=why) for one in who}
    world = make()
    return WorldCourses(world.name, world.family, world.drifts_at if world.drifts_at < tasks else -1, courses)


def run_learner(world: World, tasks: int, who: str, *, why: bool = False) -> Course:
    """Run a world with a learner."""
    if who == "kernel":
        return run_in_kernel(world, tasks)
    with open_learner(world, who) as learner:
        return asyncio.run(run_world(world, learner, tasks, why=why))


def run_in_kernel(world: World, tasks: int) -> Course:
    """Run a world through the kernel with all installed plugins: memory, hooks, evaluators, tools."""
    from ..scenario import INSTALLED_KINDS
    from .kernel_runs import KernelRuns

    with TemporaryDirectory(prefix="openkoi-gym-", ignore_cleanup_errors=True) as folder:
        kinds = INSTALLED_KINDS | {"hooks", "evaluators", "memory"}
        return KernelRuns(world, Path(folder), lambda plain, home: replace(plain, installed=kinds)).run(tasks)


@contextmanager
def open_learner(world: World, who: str) -> Iterator[Learner]:
    """Open a learner, ``ours`` being the installed hook ``learning``, which has a folder of its own."""
    if who != "ours":
        yield LEARNERS[who](world)
        return
    with TemporaryDirectory(prefix="openkoi-gym-") as folder:
        make = entry_points(group="openkoi.hooks")["learning"].load()
        yield HookLearner(Path(folder), lambda sessions: make(sessions=sessions))


def run_planted(world: World, who: str) -> Planted:
    """Plant wrong advice in a world, and run it with a learner."""
    with open_learner(world, who) as learner:
        return asyncio.run(plant_advice(world, learner))


def read_seeds(text: str) -> Iterator[int]:
    """Yield the seeds of a list such as ``3``, ``0-60`` or ``0,4,8``."""
    for part in text.split(","):
        first, _, end = part.partition("-")
        yield from range(int(first), int(end or int(first) + 1))


def draw_worlds(given: argparse.Namespace) -> Iterator[Callable[[], World]]:
    """Yield what makes each world that was asked for."""
    for seed in read_seeds(given.worlds):
        if given.second:
            yield partial(draw_second_world, f"{SEED}-{seed}", tasks=given.tasks)
        else:
            yield partial(DrawnWorld, seed, given.drift)


def measure_worlds(given: argparse.Namespace) -> list[WorldCourses]:
    """Run the worlds with the installed learner and the informed one."""
    return [run_learners(make, given.tasks, ("informed", "ours")) for make in draw_worlds(given)]
