"""Run worlds as the developers of the learner do: of either generator, in whole runs, with causes or planted advice."""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from learning_gym.causes import CauseCounter
from learning_gym.kernel_runs import KernelRuns
from learning_gym.planting import Planted, plant_advice
from learning_gym.second_generator import SEED, draw_second_world
from openkoi_testing.gym.courses import open_learner, read_seeds, run_learner, run_learners
from openkoi_testing.gym.generator import DrawnWorld
from openkoi_testing.gym.runs import Course
from openkoi_testing.gym.score import WorldCourses
from openkoi_testing.gym.world import World
from openkoi_testing.scenario import INSTALLED_KINDS

Counters: TypeAlias = defaultdict[str, list[CauseCounter]]


def run_course(world: World, tasks: int, who: str, counters: Counters | None = None) -> Course:
    """Run a world with a learner, ``kernel`` being the installed hook in whole runs; count the causes of its errors."""
    if who == "kernel":
        return run_in_kernel(world, tasks)
    if counters is None:
        return run_learner(world, tasks, who)
    counters[who].append(CauseCounter(world.truth))
    return run_learner(world, tasks, who, counters[who][-1].count)


def run_in_kernel(world: World, tasks: int) -> Course:
    """Run a world through the kernel with all installed plugins: memory, hooks, evaluators, tools."""
    with TemporaryDirectory(prefix="openkoi-gym-", ignore_cleanup_errors=True) as folder:
        kinds = INSTALLED_KINDS | {"hooks", "evaluators", "memory"}
        return KernelRuns(world, Path(folder), lambda plain, home: replace(plain, installed=kinds)).run(tasks)


def run_planted(world: World, who: str) -> Planted:
    """Plant wrong advice in a world, and run it with a learner."""
    with open_learner(world, who) as learner:
        return asyncio.run(plant_advice(world, learner))


def draw_worlds(given: argparse.Namespace) -> Iterator[Callable[[], World]]:
    """Yield a constructor for each requested world."""
    for seed in read_seeds(given.worlds):
        if given.second:
            yield partial(draw_second_world, f"{SEED}-{seed}", tasks=given.tasks)
        else:
            yield partial(DrawnWorld, seed, given.drift)


def measure_worlds(given: argparse.Namespace) -> list[WorldCourses]:
    """Run the worlds with the installed learner and the informed one."""
    return [run_learners(make, given.tasks, ("informed", "ours")) for make in draw_worlds(given)]
