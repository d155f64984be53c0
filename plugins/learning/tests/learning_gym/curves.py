"""Measure the constants of the learner: run worlds with several values of each, and choose one over families.

Each value runs in a process of its own, in which the module of constants is loaded with that value before anything
else of the learner is. A value is chosen by leaving out one family at a time. A constant decides if some value differs
from the one in use by more than chance does.
"""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from openkoi_testing.gym.score import MIN_INFORMED, WorldCourses, mean, worst_tenth

CONSTANTS = "openkoi_learning.thresholds"
Curve: TypeAlias = Mapping[float, Mapping[str, Sequence[float]]]  # a ratio to the informed learner for each world
Measure: TypeAlias = Callable[[], Sequence[WorldCourses]]
CERTAIN_DEVIATIONS = 1.96  # 95 % two-sided
PAGE_VALUES: Mapping[str, Sequence[float]] = {  # beside the value in use, of each constant that the gym can measure
    "MIN_RELEVANCE": (0.15, 0.5),
    "EARLIER_WEIGHT": (0.0, 1.0),
    "EARLIER_MAX": (1.0, 6.0),
    "PRIOR_RUNS": (0.2, 1.5),
    "OWN_WORD_PRIOR": (0.5, 1.0),
    "OTHER_WORD_PRIOR": (0.1, 0.5),
    "NEWER_WEIGHT": (0.3, 0.9),
    "REFUTED_WEIGHT": (0.3, 0.9),
    "UNSEEN": (0.1, 0.6),
    "MIN_GAIN": (1.5, 4.0),
    "STATED_GAIN": (1.0, 2.5),
    "MAX_OBSERVATIONS": (16, 64),
    "MIN_NEEDED": (0.02, 0.3),
    "SURELY_RIGHT": (0.6, 0.95),
    "FAMILIAR_TASKS": (1, 6),
    "FAMILIAR_LIFT": (1.0, 2.5),
    "EVERYWHERE_RUNS": (2, 8),
    "EVERYWHERE_SHARE": (0.4, 0.8),
    "USUAL_TOKENS": (60, 240),
    "SURELY_NEEDED": (0.4, 0.8),
    "VERIFIED_WORTH": (0.7, 0.95),
    "OUTCOME_WORTH": (0.65, 0.85),
    "OPINION_WORTH": (0.5, 0.7),
    "INDEPENDENT_RUNS": (2, 5),
    "REFUTATIONS": (2, 5),
    "OUTVOTED": (4, 16),
    "SIMILAR_SUBJECT": (0.4, 0.8),
    "SAME_WORDS": (0.6, 0.95),
    "SAME_FINDING": (0.3, 0.7),
}
PAGE = """# Curves

What the learner does with other values of its constants: its share of first attempts that pass, as a part of the
informed learner's, a mean over drawn worlds of all families. The value in use is **bold**. Of the others, those in
*italics* differ from it by more than chance does (95 %, by pairs of worlds). Then which value is best in all families
but one, and for how many of the families it is so. A constant that is not in the table has no curve yet, and its value
is an estimate. Written in this folder's `tests` by
`python -m learning_gym {arguments}`.

| constant | value: mean of informed | chosen with one family left out | |
|---|---|---|---|
"""


def set_constant(name: str, value: float, module: str = CONSTANTS) -> None:
    """Load a module of constants with another value, before its package is imported."""
    if module in sys.modules:
        raise RuntimeError(f"{module} is in use already: set {name} in a new process.")
    package, _, own = module.partition(".")
    found = find_spec(package)
    places = found.submodule_search_locations if found else None
    spec = spec_from_file_location(module, Path(places[0], f"{own}.py")) if places else None
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{module} is not installed.")
    constants = module_from_spec(spec)
    sys.modules[module] = constants
    spec.loader.exec_module(constants)
    if not hasattr(constants, name):
        raise AttributeError(f"{module} has no constant {name}.")
    setattr(constants, name, type(getattr(constants, name))(value))


def measure_value(measure: Measure, name: str, value: float) -> Mapping[str, Sequence[float]]:
    """Return the ratios of worlds by family with a value, or with all values in use if there is no name.

    The process must not have learned yet.
    """
    if name:
        set_constant(name, value)
    ratios: dict[str, list[float]] = {}
    for one in measure():
        if one.last("informed") >= MIN_INFORMED:
            ratios.setdefault(one.family, []).append(one.last("ours") / one.last("informed"))
    return ratios


def measure_curve(measure: Measure, name: str, values: Sequence[float]) -> Curve:
    """Return the ratios with each value."""
    fresh = get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh, max_tasks_per_child=1) as pool:
        return {value: pool.submit(measure_value, measure, name, value).result() for value in values}


def measure_page(measure: Measure, arguments: str) -> Iterator[str]:
    """Yield the page of all constants, a line when it is known; the values in use are measured once."""
    yield PAGE.format(arguments=arguments)
    used = measure_curve(measure, "", (0.0,))
    for name, others in PAGE_VALUES.items():
        value = float(getattr(import_module(CONSTANTS), name))
        curve = {value: used[0.0], **measure_curve(measure, name, others)}
        yield format_row(name, value, dict(sorted(curve.items())))


def format_row(name: str, used: float, curve: Curve) -> str:
    """Format the curve of a constant as a row of a table."""
    usual = flatten(curve[used])
    sure = {value for value, families in curve.items() if differs(flatten(families), usual)}
    means = [f"{mark(value, used, sure)}: {mean(flatten(families)):.3f}" for value, families in curve.items()]
    return f"| `{name}` | {', '.join(means)} | {format_votes(curve)} | {'decides' if sure else 'flat'} |\n"


def mark(value: float, used: float, sure: Collection[float]) -> str:
    """Format a value: bold if it is in use, in italics if it differs."""
    return f"**{value:g}**" if value == used else f"*{value:g}*" if value in sure else f"{value:g}"


def differs(ratios: Sequence[float], usual: Sequence[float]) -> bool:
    """Return whether the ratios of the same worlds differ by more than chance does."""
    gains = [one - other for one, other in zip(ratios, usual, strict=True)]
    spread = sqrt(mean([(one - mean(gains)) ** 2 for one in gains]) / max(1, len(gains) - 1))
    return abs(mean(gains)) > CERTAIN_DEVIATIONS * spread


def flatten(families: Mapping[str, Sequence[float]], without: str = "") -> list[float]:
    """Return the ratios of all families but one."""
    return [ratio for family, some in families.items() if family != without for ratio in some]


def choose_value(curve: Curve, without: str) -> float:
    """Return the best value in all families but one."""
    return max(curve, key=lambda value: mean(flatten(curve[value], without)))


def format_curve(name: str, curve: Curve) -> str:
    """Format the mean and the worst tenth of each value, and the values that cross-validation chooses."""
    lines = [f"{name:>20}{'mean':>8}{'worst tenth':>13}"]
    for value, families in curve.items():
        ratios = flatten(families)
        lines.append(f"{value:20g}{mean(ratios):8.3f}{worst_tenth(ratios):13.3f}")
    left_out = [ratio for family, value in choices(curve).items() for ratio in curve[value][family]]
    return "\n".join(
        [
            *lines,
            f"chosen with one family left out: {format_votes(curve)}; mean of what was left out {mean(left_out):.3f}",
        ]
    )


def choices(curve: Curve) -> Mapping[str, float]:
    """Return the value that is chosen without each family."""
    return {family: choose_value(curve, family) for family in next(iter(curve.values()))}


def format_votes(curve: Curve) -> str:
    """Format how often each value is chosen."""
    return ", ".join(f"{value:g} in {count}" for value, count in Counter(choices(curve).values()).most_common())
