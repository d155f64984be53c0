"""Run drawn worlds with and without learning: ``python -m openkoi_testing.gym --plot``."""

import argparse
import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

from .causes import CauseCounter, format_causes
from .generator import DRIFT_AT, DrawnWorld
from .hook_learner import HookLearner
from .learners import InformedLearner, Learner, NoMemory, Oracle, PlainLedger
from .runs import Course, run_world
from .score import WorldCourses, format_report
from .second_generator import SEED, draw_second_world
from .world import World

LEARNERS: Mapping[str, Callable[[World], Learner]] = {
    "none": lambda world: NoMemory(),
    "ledger": lambda world: PlainLedger(world.truth),
    "informed": lambda world: InformedLearner(world.truth),
    "oracle": lambda world: Oracle(world.truth),
}
BAR, WINDOW = 40, 25


def run_learners(make: Callable[[], World], tasks: int, who: Sequence[str], *, why: bool = False) -> WorldCourses:
    """Run a world once for each learner."""
    courses = {one: run_learner(make(), tasks, one, why=why) for one in who}
    world = make()
    return WorldCourses(world.name, world.family, world.drifts_at if world.drifts_at < tasks else -1, courses)


def run_learner(world: World, tasks: int, who: str, *, why: bool = False) -> Course:
    """Run a world with a learner, ``ours`` being the installed hook ``learning``."""
    if who != "ours":
        return asyncio.run(run_world(world, LEARNERS[who](world), tasks, why=why))
    with TemporaryDirectory(prefix="openkoi-gym-") as folder:
        make = entry_points(group="openkoi.hooks")["learning"].load()
        learner = HookLearner(Path(folder), lambda sessions: make(sessions=sessions))
        return asyncio.run(run_world(world, learner, tasks, why=why))


def plot(courses: Mapping[str, Course], tasks: int) -> str:
    """Draw the share of first attempts that passed, as bars of text."""
    lines = []
    for start in range(0, tasks, WINDOW):
        for who, one in courses.items():
            share = one.share(start, start + WINDOW)
            lines.append(f"{start + 1:>4} {who:9} {'#' * round(share * BAR):{BAR}} {share:.2f}")
    return "\n".join(lines)


def causes_of(worlds: Sequence[WorldCourses]) -> Mapping[str, Sequence[CauseCounter]]:
    """Return the counted causes of each learner, a counter for each world."""
    return {who: [found for one in worlds if (found := one.courses[who].causes)] for who in worlds[0].courses}


def main() -> None:
    """Run worlds, and print the curves of one or the report of many."""
    parser = argparse.ArgumentParser(prog="python -m openkoi_testing.gym", description=__doc__)
    parser.add_argument("--worlds", default="3", help="a seed, or a range such as 0-60 [default: 3]")
    parser.add_argument("--tasks", type=int, default=200, help="tasks in each world [default: 200]")
    parser.add_argument("--drift", type=int, default=DRIFT_AT, help="the task at which the truth changes")
    parser.add_argument("--learners", default="none,ours", help="of none, ours, ledger, informed, oracle")
    parser.add_argument("--second", action="store_true", help="worlds of the second generator, kept for reports")
    parser.add_argument("--plot", action="store_true", help="draw the curves of each world")
    parser.add_argument("--why", action="store_true", help="count why needed subjects were wrong at the first attempt")
    given = parser.parse_args()
    first, _, end = given.worlds.partition("-")
    every = []
    for seed in range(int(first), int(end or int(first) + 1)):
        make = partial(draw_second_world, f"{SEED}-{seed}", tasks=given.tasks) if given.second else None
        drawn = make or partial(DrawnWorld, seed, given.drift)
        one = run_learners(drawn, given.tasks, given.learners.split(","), why=given.why)
        every.append(one)
        shares = ", ".join(f"{who} {one.last(who):.2f}" for who in one.courses)
        print(f"{one.name}: {one.family}; last 100: {shares}", flush=True)
        if given.plot:
            print(plot(one.courses, given.tasks))
        if given.why:
            print(format_causes(causes_of([one])))
    if len(every) > 1 and {"ours", "informed"} <= every[0].courses.keys():
        print(format_report(every, "ours"))
    if len(every) > 1 and given.why:
        print(format_causes(causes_of(every)))


if __name__ == "__main__":
    main()
