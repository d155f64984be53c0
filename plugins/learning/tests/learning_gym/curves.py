"""Measure the constants of the learner: run worlds with several values of each, and choose one over families.

Each value runs in a process of its own, in which the module of constants is loaded with that value before anything
else of the learner is. A value is chosen by the one-standard-error rule: the value in use stays unless another one is
better by more than one standard error over families; with the worlds of all forms of findings, and without each form.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from statistics import stdev
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.score import MIN_INFORMED, WorldCourses, mean, worst_tenth


@dataclass(frozen=True, slots=True)
class WorldFigures:
    """How the learner did in a world: its share of the informed learner's passes, and what that costs."""

    family: str
    ratio: float
    harmful: float = 0.0
    precision: float = 1.0
    tokens: float = 0.0
    duplicates: float = 0.0

    @property
    def fold(self) -> str:
        """The worlds that form one fold: those with one form of findings."""
        return self.family.partition(",")[0]


CONSTANTS = "openkoi_learning.thresholds"
Curve: TypeAlias = Mapping[float, Sequence[WorldFigures]]
Measure: TypeAlias = Callable[[], Sequence[WorldCourses]]
OFF = 1_000  # of a number of runs, that no world of the page has
PAGE_VALUES: Mapping[str, Sequence[float]] = {  # beside the value in use, of each constant that the gym can measure
    "MIN_RUNS": (2, 6),
    "MIN_RELEVANCE": (0.15, 0.5),
    "EARLIER_WEIGHT": (0.0, 1.0),
    "EARLIER_MAX": (1.0, 6.0),
    "PRIOR_RUNS": (0.2, 1.5),
    "OWN_WORD_PRIOR": (0.5, 1.0),
    "OTHER_WORD_PRIOR": (0.5, 0.7),
    "NEWER_WEIGHT": (0.3, 0.9),
    "REFUTED_WEIGHT": (0.3, 0.9),
    "UNSEEN": (0.1, 0.6),
    "MIN_GAIN": (1.5, 4.0),
    "STATED_GAIN": (0.0, 1.0),
    "MAX_OBSERVATIONS": (128,),
    "FAMILIAR_LIFT": (0.0,),
    "EVERYWHERE_RUNS": (2, OFF),
    "EVERYWHERE_SHARE": (0.5, 0.8),
    "SURELY_NEEDED": (0.5, 0.8),
    "VERIFIED_WORTH": (0.7, 0.95),
    "OUTCOME_WORTH": (0.65, 0.85),
    "OPINION_WORTH": (0.5, 0.7),
    "OUTVOTED": (4, OFF),
    "SIMILAR_SUBJECT": (0.4, 0.8),
    "SAME_WORDS": (0.6, 0.95),
    "SAME_FINDING": (0.3, 0.7),
    "USUAL_RUNS": (0.5, 10.0),
    "MIN_DIFFERENCE": (0.03, 0.3),
    "MIN_SUBJECT_WORDS": (1, 4),
    "OVERHEAD_TOKENS": (0, 8),
    "MAX_COMPARED": (16, OFF),
}
PAGE = """# Curves

How the learner performs in random worlds of all families if one of its constants has another value:

- *of informed*: the share of first attempts that pass, divided by that of an informed learner (it knows all subjects)
- *difference*, *error*: by how much that is higher than with the value in use, as the mean over families (a form of
  findings and a kind of checks) of the differences in the same worlds, and the standard error of that mean
- *worst tenth*: the same ratio in the worst tenth of the worlds
- *harmful*, *tokens*: the number of harmful lines and of tokens per task
- *precision*, *duplicates*: the share of active entries that are right, and of entries that repeat another one
- *chosen*: of the five forms of findings, for how many the value is chosen from the worlds of the other four forms
- *in use*: whether the value in use is *within* one standard error of the best value, or *outside*

The value in use is **bold**. It is chosen unless the best value is better by more than one standard error, which is
the one-standard-error rule.
Written in this folder's `tests` by
`python -m learning_gym {arguments}`; `--curves NAME,NAME` measures some of them.

| constant | value | of informed | difference | error | worst tenth | harmful | precision | tokens | duplicates \
| chosen | in use |
|---|---|---|---|---|---|---|---|---|---|---|---|
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


def measure_value(measure: Measure, name: str, value: float) -> Sequence[WorldFigures]:
    """Return the figures of worlds with a value, or with all values in use if there is no name.

    The process must not have learned yet.
    """
    if name:
        set_constant(name, value)
    return [read_figures(one) for one in measure() if one.last("informed") >= MIN_INFORMED]


def read_figures(one: WorldCourses) -> WorldFigures:
    """Return the figures of a world."""
    mine, ratio = one.courses["ours"], one.last("ours") / one.last("informed")
    return WorldFigures(one.family, ratio, mine.mean("harmful"), mine.precision, mine.mean("tokens"), mine.duplicates)


def measure_curve(measure: Measure, name: str, values: Sequence[float]) -> Curve:
    """Return the figures with each value."""
    fresh = get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh, max_tasks_per_child=1) as pool:
        return {value: pool.submit(measure_value, measure, name, value).result() for value in values}


def measure_page(measure: Measure, names: Collection[str], arguments: str) -> Iterator[str]:
    """Yield the page of all constants or some, each when it is known; the values in use are measured once."""
    yield PAGE.format(arguments=arguments)
    used = measure_curve(measure, "", (0.0,))
    for name, others in PAGE_VALUES.items():
        if not names or name in names:
            value = float(getattr(import_module(CONSTANTS), name))
            curve = {value: used[0.0], **measure_curve(measure, name, others)}
            yield format_rows(name, curve)


def format_rows(name: str, curve: Curve) -> str:
    """Format the curve of a constant, the first value being the one in use, as rows of a table by value."""
    return "".join(f"| `{name}` | {' | '.join(format_cells(value, curve))} |\n" for value in sorted(curve))


def format_cells(value: float, curve: Curve) -> Iterator[str]:
    """Yield the cells of a row about a value."""
    used = next(iter(curve))
    worlds, gains = curve[value], family_gains(curve[value], curve[used])
    yield f"**{value:g}**" if value == used else f"{value:g}"
    yield f"{mean_ratio(worlds):.3f}"
    yield "" if value == used else f"{mean(gains):+.3f}"
    yield "" if value == used else f"{standard_error(gains):.3f}"
    yield f"{worst_tenth([one.ratio for one in worlds]):.3f}"
    yield f"{mean([one.harmful for one in worlds]):.3f}"
    yield f"{mean([one.precision for one in worlds]):.3f}"
    yield f"{mean([one.tokens for one in worlds]):.0f}"
    yield f"{mean([one.duplicates for one in worlds]):.3f}"
    yield str(sum(value == chosen for chosen in choices(curve).values()))
    yield ("within" if choose_value(curve) == used else "outside") if value == used else ""


def family_gains(worlds: Sequence[WorldFigures], usual: Sequence[WorldFigures]) -> list[float]:
    """Return by how much the ratio is higher than in the same worlds of another value, on average for each family."""
    gains = defaultdict[str, list[float]](list)
    for one, other in zip(worlds, usual, strict=True):
        gains[one.family].append(one.ratio - other.ratio)
    return [mean(each) for each in gains.values()]


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean; 0.0 of fewer than two values."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def mean_ratio(worlds: Collection[WorldFigures]) -> float:
    """Return the mean share of the informed learner's passes."""
    return mean([one.ratio for one in worlds])


def of_fold(worlds: Sequence[WorldFigures], fold: str) -> list[WorldFigures]:
    """Return the worlds of a fold."""
    return [one for one in worlds if one.fold == fold]


def folds(worlds: Sequence[WorldFigures]) -> list[str]:
    """Return the folds of worlds."""
    return list(dict.fromkeys(one.fold for one in worlds))


def choose_value(curve: Curve, without: str = "") -> float:
    """Return the best value in all folds but one, if it is better than the one in use by a standard error; else that.

    The value in use is the first of the curve.
    """
    used, gains = next(iter(curve)), gains_without(curve, without)
    best = max(gains, key=lambda value: mean(gains[value]))
    return best if mean(gains[best]) > standard_error(gains[best]) else used


def gains_without(curve: Curve, fold: str) -> Mapping[float, Sequence[float]]:
    """Return the gains of each value over the first one, by family, in all folds but one."""
    kept = {value: [one for one in worlds if one.fold != fold] for value, worlds in curve.items()}
    usual = next(iter(kept.values()))
    return {value: family_gains(worlds, usual) for value, worlds in kept.items()}


def choices(curve: Curve) -> Mapping[str, float]:
    """Return the value that is chosen without each fold."""
    return {fold: choose_value(curve, fold) for fold in folds(next(iter(curve.values())))}


def format_curve(name: str, curve: Curve) -> str:
    """Format a curve as it is on the page, the first value being the one in use, and how its choices do elsewhere."""
    left_out = [one for fold, value in choices(curve).items() for one in of_fold(curve[value], fold)]
    head = "".join(PAGE.splitlines(keepends=True)[-2:])
    return f"{head}{format_rows(name, curve)}What is chosen has, where it was left out: {mean_ratio(left_out):.3f}"
