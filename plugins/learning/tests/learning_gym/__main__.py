"""Measure the learner beyond the shipped gym. In plugins/learning/tests: ``python -m learning_gym --curves``."""

import argparse
import sys
from collections import defaultdict
from functools import partial

from learning_gym.causes import CauseCounter, format_causes
from learning_gym.courses import draw_worlds, measure_worlds, run_course, run_planted
from learning_gym.curves import format_curve, measure_curve, measure_page
from learning_gym.planting import format_planted
from openkoi_testing.gym.__main__ import make_parser, print_report, print_world
from openkoi_testing.gym.courses import run_learners


def read_arguments() -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = make_parser("learning_gym", __doc__)
    parser.add_argument("--second", action="store_true", help="worlds of the second generator, kept for reports")
    parser.add_argument("--plant", action="store_true", help="plant wrong advice, and count uses until it is withdrawn")
    parser.add_argument("--curve", default="", help="a constant and its values, the one in use first: MIN_GAIN=2.5,2,4")
    parser.add_argument("--curves", nargs="?", const="all", help="the page of all constants, or of NAME,NAME")
    parser.add_argument("--why", action="store_true", help="count why needed subjects were wrong at the first attempt")
    return parser.parse_args()


def main() -> None:
    """Run worlds, and print the curves of one or the report of many. One of the learners may be ``kernel``."""
    given = read_arguments()
    if given.curve:
        name, _, values = given.curve.partition("=")
        numbers = [float(one) for one in values.split(",")]
        print(format_curve(name, measure_curve(partial(measure_worlds, given), name, numbers)))
    elif given.curves:
        names = [] if given.curves == "all" else given.curves.split(",")
        for part in measure_page(partial(measure_worlds, given), names, " ".join(sys.argv[1:])):
            print(part, end="", flush=True)
    elif given.plant:
        print(format_planted([run_planted(make(), "ours") for make in draw_worlds(given)]))
    else:
        report_worlds(given)


def report_worlds(given: argparse.Namespace) -> None:
    """Print how learners do in each world, and in all."""
    every, counters = [], defaultdict[str, list[CauseCounter]](list)
    run = partial(run_course, counters=counters if given.why else None)
    for make in draw_worlds(given):
        every.append(run_learners(make, given.tasks, given.learners.split(","), run))
        print_world(every[-1], given)
        if given.why:
            print(format_causes({who: found[-1:] for who, found in counters.items()}))
    for who in ("ours", "kernel"):
        print_report(every, who)
    if len(every) > 1 and given.why:
        print(format_causes(counters))


if __name__ == "__main__":
    main()
