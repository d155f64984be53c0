"""Measure a constant of the learner: run worlds with several values of it, and choose one over families.

Each value runs in a process of its own, in which the module of constants is loaded with that value before anything
else of the learner is. A value is chosen by leaving out one family at a time.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from .score import MIN_INFORMED, WorldCourses, mean, worst_tenth

CONSTANTS = "openkoi_learning.thresholds"
Curve: TypeAlias = Mapping[float, Mapping[str, Sequence[float]]]  # a ratio to the informed learner for each world
Measure: TypeAlias = Callable[[], Sequence[WorldCourses]]


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
    """Return the ratios of worlds by family with a value, in a process that has not learned yet."""
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
    families = next(iter(curve.values()))
    chosen = {family: choose_value(curve, family) for family in families}
    left_out = [ratio for family, value in chosen.items() for ratio in curve[value][family]]
    votes = ", ".join(f"{value:g} in {count}" for value, count in Counter(chosen.values()).most_common())
    return "\n".join(
        [*lines, f"chosen with one family left out: {votes}; mean of what was left out {mean(left_out):.3f}"]
    )
