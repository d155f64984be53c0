"""Run drawn worlds with and without learning: ``python -m openkoi_testing.gym --plot``."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial

from .courses import read_seeds, run_learners
from .generator import DRIFT_AT, DrawnWorld
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


def make_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument("--worlds", default="3", help="seeds, such as 3, or 0,4,8, or 0-60 for 0 to 59 [default: 3]")
    parser.add_argument("--tasks", type=int, default=200, help="tasks in each world [default: 200]")
    parser.add_argument("--drift", type=int, default=DRIFT_AT, help="number of the task at which facts change")
    parser.add_argument(
        "--learners",
        default="none,ours",
        help="comma-separated, of none,ours,ledger,informed,oracle [default: none,ours]",
    )
    parser.add_argument("--plot", action="store_true", help="draw the curves of each world")
    return parser


def print_world(one: WorldCourses, given: argparse.Namespace) -> None:
    """Print how learners did in a world."""
    shares = ", ".join(f"{who} {one.last(who):.2f}" for who in one.courses)
    print(f"{one.name}: {one.family}; last 100: {shares}", flush=True)
    if given.plot:
        print(plot(one.courses, given.tasks))


def print_report(every: Sequence[WorldCourses], who: str) -> None:
    """Print how a learner did in all worlds, if there are several."""
    if len(every) > 1 and who in every[0].courses:
        print(f"{who}:\n{format_report(every, who)}")


def main() -> None:
    """Run worlds, and print the curves of one or the report of many."""
    given = make_parser("openkoi_testing.gym", __doc__).parse_args()
    every = []
    for seed in read_seeds(given.worlds):
        every.append(run_learners(partial(DrawnWorld, seed, given.drift), given.tasks, given.learners.split(",")))
        print_world(every[-1], given)
    print_report(every, "ours")


if __name__ == "__main__":
    main()
