"""Run drawn worlds with and without learning: ``python -m openkoi_testing.gym --plot``."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from .causes import CauseCounter, format_causes
from .courses import draw_worlds, measure_worlds, run_learners, run_planted
from .curves import format_curve, measure_curve, measure_page
from .generator import DRIFT_AT
from .planting import format_planted
from .runs import Course
from .score import WorldCourses, format_report

BAR, WINDOW = 40, 25


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


def read_arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m openkoi_testing.gym", description=__doc__)
    parser.add_argument("--worlds", default="3", help="seeds, such as 3, 0-60 or 0,4,8 [default: 3]")
    parser.add_argument("--tasks", type=int, default=200, help="tasks in each world [default: 200]")
    parser.add_argument("--drift", type=int, default=DRIFT_AT, help="the task at which the truth changes")
    parser.add_argument("--learners", default="none,ours", help="of none, ours, ledger, informed, oracle, kernel")
    parser.add_argument("--second", action="store_true", help="worlds of the second generator, kept for reports")
    parser.add_argument("--plant", action="store_true", help="plant wrong advice, and count uses until it is withdrawn")
    parser.add_argument("--curve", default="", help="a constant of the learner and its values, such as MIN_GAIN=2,3,4")
    parser.add_argument("--curves", action="store_true", help="the same of all constants, as a page")
    parser.add_argument("--plot", action="store_true", help="draw the curves of each world")
    parser.add_argument("--why", action="store_true", help="count why needed subjects were wrong at the first attempt")
    return parser.parse_args()


def main() -> None:
    """Run worlds, and print the curves of one or the report of many."""
    given = read_arguments()
    if given.curve:
        name, _, values = given.curve.partition("=")
        numbers = [float(one) for one in values.split(",")]
        print(format_curve(name, measure_curve(partial(measure_worlds, given), name, numbers)))
    elif given.curves:
        for line in measure_page(partial(measure_worlds, given), " ".join(sys.argv[1:])):
            print(line, end="", flush=True)
    elif given.plant:
        print(format_planted([run_planted(make(), "ours") for make in draw_worlds(given)]))
    else:
        report_worlds(given)


def report_worlds(given: argparse.Namespace) -> None:
    """Print how learners do in each world, and in all."""
    every = []
    for make in draw_worlds(given):
        one = run_learners(make, given.tasks, given.learners.split(","), why=given.why)
        every.append(one)
        shares = ", ".join(f"{who} {one.last(who):.2f}" for who in one.courses)
        print(f"{one.name}: {one.family}; last 100: {shares}", flush=True)
        if given.plot:
            print(plot(one.courses, given.tasks))
        if given.why:
            print(format_causes(causes_of([one])))
    for who in ("ours", "kernel"):
        if len(every) > 1 and {who, "informed"} <= every[0].courses.keys():
            print(f"{who}:\n{format_report(every, who)}")
    if len(every) > 1 and given.why:
        print(format_causes(causes_of(every)))


if __name__ == "__main__":
    main()
