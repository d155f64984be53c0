"""Report how a learner did over many worlds: the mean, the mean of the worst tenth, and what nine in ten reach."""

from collections.abc import Callable, Mapping, Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass

from .runs import Course

LAST = 100
GOALS = {
    "last 100 / informed": (">=", 0.85, 0.6),
    "after drift / informed": (">=", 0.8, None),
    "harmful per task": ("<=", 0.15, None),
    "precision of active entries": (">=", 0.85, None),
    "tokens per task": ("<=", 120.0, None),
    "duplicates": ("<=", 0.02, None),
}
MIN_INFORMED = 0.1  # below that share of passes, a ratio says nothing


@dataclass(frozen=True, slots=True)
class WorldCourses:
    """The courses of all learners in a world, by name."""

    name: str
    family: str
    drifts_at: int
    courses: Mapping[str, Course]

    def last(self, who: str) -> float:
        """Return the share of the last tasks whose first attempt passed."""
        return self.courses[who].share(-LAST)

    def after_drift(self, who: str) -> float:
        """Return the same for the tasks after the drift."""
        return self.courses[who].share(self.drifts_at, self.drifts_at + LAST)


def mean(values: Sequence[float]) -> float:
    """Return a mean; 0.0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def worst_tenth(values: Sequence[float], *, high: bool = False) -> float:
    """Return the mean of the worst tenth: of the lowest values, or of the highest where low is good."""
    ordered = sorted(values, reverse=high)
    return mean(ordered[: max(1, len(ordered) // 10)])


def nine_in_ten(values: Sequence[float], *, high: bool = False) -> float:
    """Return the value that all but the worst tenth reach: the tenth percentile, or the ninetieth where low is good."""
    ordered = sorted(values, reverse=high)
    return ordered[len(ordered) // 10]


def ratios(worlds: Sequence[WorldCourses], who: str, of: Callable[[WorldCourses, str], float]) -> list[float]:
    """Return a learner's figure as a share of the informed learner's, if that one ran and its figure is not 0."""
    known = [(of(one, who), of(one, "informed")) for one in worlds if "informed" in one.courses]
    return [mine / best for mine, best in known if best >= MIN_INFORMED]


def figures(worlds: Sequence[WorldCourses], who: str) -> Mapping[str, Sequence[float]]:
    """Return each figure of a learner, a value for each world."""
    mine = [one.courses[who] for one in worlds]
    return {
        "last 100": [one.last(who) for one in worlds],
        "last 100 / informed": ratios(worlds, who, WorldCourses.last),
        "after drift / informed": ratios([one for one in worlds if one.drifts_at >= 0], who, WorldCourses.after_drift),
        "harmful per task": [one.mean("harmful") for one in mine],
        "precision of active entries": [one.precision for one in mine if one.active],
        "tokens per task": [one.mean("tokens") for one in mine],
        "duplicates": [one.duplicates for one in mine],
    }


def format_report(worlds: Sequence[WorldCourses], who: str) -> str:
    """Format the figures of a learner with their goals, then the last tasks by family and learner."""
    lines = [f"{'':28}{'mean':>8}{'worst tenth':>13}{'9 in 10 reach':>15}   goal"]
    for name, values in ((name, values) for name, values in figures(worlds, who).items() if values):
        sign, goal, worst = GOALS.get(name, ("", None, None))
        wanted = f"{sign} {goal}" + (f", worst tenth {sign} {worst}" if worst else "") if goal else ""
        worst_mean, edge = (of(values, high=sign == "<=") for of in (worst_tenth, nine_in_ten))
        lines.append(f"{name:28}{mean(values):8.3f}{worst_mean:13.3f}{edge:15.3f}   {wanted}")
    names = list(worlds[0].courses)
    lines += ["", f"{'last 100, by family':32}" + "".join(f"{one:>10}" for one in names)]
    for family in sorted({one.family for one in worlds}):
        own = [one for one in worlds if one.family == family]
        lines.append(f"{family:32}" + "".join(f"{mean([each.last(one) for each in own]):10.3f}" for one in names))
    every = "".join(f"{mean([each.last(one) for each in worlds]):10.3f}" for one in names)
    return "\n".join([*lines, f"{'all':32}{every}"])
