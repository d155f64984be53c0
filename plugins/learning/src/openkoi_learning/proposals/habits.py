"""Which kinds of tasks are judged by the general rubric alone, and what is found wrong with them again and again.

Pure: knows tasks that were judged, and numbers; knows no file and no model.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Finding, Severity
from openkoi_skillfile import canonical

from .concerns import CONCERNS, OTHER, FindingTopic, about
from .log import JudgedTask
from .quoted import example, slug, steers
from .wordings import alike

FLOOR = "general"
EXAMPLES, MOST = 3, 4
CATEGORY = re.compile(r"[^\W_](?:[\w -]{0,58}[^\W_])?")


@dataclass(frozen=True, slots=True)
class RecurringFinding:
    """A kind of finding that came again: in how many tasks, how grave it was, and a few titles fit to be quoted."""

    concern: FindingTopic
    tasks: int
    weight: float
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Habit:
    """A category of tasks, and the kinds of faults that come again in it, the most frequent first."""

    category: str
    tasks: int
    faulty: int
    faults: tuple[RecurringFinding, ...]

    @property
    def name(self) -> str:
        """What an evaluator for it is called."""
        return f"{slug(self.category)}-quality"

    @property
    def confidence(self) -> float:
        """In what share of the tasks one of the faults was found."""
        return self.faulty / self.tasks


@dataclass(frozen=True, slots=True)
class Bar:
    """From when on something is a habit: so many tasks with a kind of fault, in such a share of all."""

    samples: int = 3
    confidence: float = 0.7


def habits(tasks: Iterable[JudgedTask], bar: Bar) -> list[Habit]:
    """Those that reach the bar, the surest first."""
    groups: dict[str, list[JudgedTask]] = {}
    for task in tasks:
        groups.setdefault(canonical(task.category), []).append(task)
    named = [(name, group) for name, group in groups.items() if CATEGORY.fullmatch(name) and slug(name)]
    found = [habit(category, group, bar) for category, group in named if only_general(group)]
    sure = [one for one in found if one.faults and one.confidence >= bar.confidence]
    return sorted(sure, key=lambda one: (-one.confidence, -one.tasks, one.category))


def only_general(group: Iterable[JudgedTask]) -> bool:
    """Whether no other rubric than the general one judged any of them."""
    return all(task.rubrics == {FLOOR} for task in group)


def habit(category: str, group: Sequence[JudgedTask], bar: Bar) -> Habit:
    """What comes again in a category, as far as it does."""
    known = [fault(one, found, bar) for one, found in sorted_out(group)]
    kept = sorted((one for one in known if one), key=lambda one: (-one[0].weight, one[0].concern.name))[:MOST]
    faulty = {run for _, runs in kept for run in runs}
    return Habit(category, len(group), len(faulty), tuple(one for one, _ in kept))


def sorted_out(group: Sequence[JudgedTask]) -> list[tuple[FindingTopic, list[tuple[str, Finding]]]]:
    """The findings of a rubric by what they are about; of those about nothing known such as come again, in one pile.

    What tells a judge what to do is nobody's fault but its author's, and is not counted.
    """
    every = [(task.run, one) for task in group for one in task.findings if by_rubric(one) and not steers(one.title)]
    piles: dict[FindingTopic | None, list[tuple[str, Finding]]] = {one: [] for one in (*CONCERNS, None)}
    for run, finding in every:
        piles[about(finding.title)].append((run, finding))
    rest = piles.pop(None)
    again = [one for one in rest if any(one[0] != run and alike(one[1].title, each.title) for run, each in rest)]
    return [*((one, found) for one, found in piles.items() if one and found), (OTHER, again)]


def by_rubric(finding: Finding) -> bool:
    """Whether the general rubric found it, and not a check."""
    return finding.rule.partition("/")[0] == FLOOR


def fault(
    concern: FindingTopic, found: Sequence[tuple[str, Finding]], bar: Bar
) -> tuple[RecurringFinding, set[str]] | None:
    """A kind of fault and the runs it was found in; None where these are too few."""
    runs = {run for run, _ in found}
    if len(runs) < max(1, bar.samples):
        return None
    grave = {run for run, finding in found if finding.severity is Severity.BLOCKER}
    return RecurringFinding(concern, len(runs), len(runs) + len(grave), examples(found)), runs


def examples(found: Sequence[tuple[str, Finding]]) -> tuple[str, ...]:
    """A few titles that can be quoted, no two of them alike."""
    kept: list[str] = []
    for line in (example(finding.title) for _, finding in found):
        if line and len(kept) < EXAMPLES and not any(alike(line, other) for other in kept):
            kept.append(line)
    return tuple(kept)
