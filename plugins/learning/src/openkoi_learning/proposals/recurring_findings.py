"""Find the categories of tasks that only the general rubric judged, and their recurring findings."""

from collections.abc import Iterable, Sequence

from openkoi_base.skillfile.evaluator import canonical_name
from openkoi_hookspecs import Finding, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from ..text_similarity import word_overlap
from ..thresholds import SAME_FINDING
from .finding_topics import OTHER, FindingTopic, find_topic, finding_topics
from .log import JudgedTask
from .safe_example import is_instruction, make_slug, safe_example

GENERAL_RUBRIC = "general"
MAX_EXAMPLES, MAX_TOPICS = 3, 4  # of a topic, and of a draft (estimates)
CATEGORY = lazy_pattern(r"[^\W_](?:[\w -]{0,58}[^\W_])?")


@dataclass(frozen=True, slots=True)
class RecurringFinding:
    """A kind of finding that recurs: in how many tasks, how severe, and some titles that are safe to quote."""

    topic: FindingTopic
    tasks: int
    weight: float
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecurringFindings:
    """A category of tasks, and the kinds of findings that recur in it, the most frequent first."""

    category: str
    tasks: int
    faulty: int
    faults: tuple[RecurringFinding, ...]

    @property
    def name(self) -> str:
        """The name of an evaluator for it."""
        return f"{make_slug(self.category)}-quality"

    @property
    def confidence(self) -> float:
        """The share of tasks with at least one of the findings."""
        return self.faulty / self.tasks


@dataclass(frozen=True, slots=True)
class RecurrenceThresholds:
    """The number and the share of tasks from which on findings count as recurring."""

    samples: int = 3
    confidence: float = 0.7


def find_recurring(tasks: Iterable[JudgedTask], bar: RecurrenceThresholds) -> list[RecurringFindings]:
    """Return the categories that reach the thresholds, the surest first."""
    groups: dict[str, list[JudgedTask]] = {}
    for task in tasks:
        groups.setdefault(canonical_name(task.category), []).append(task)
    named = [(name, group) for name, group in groups.items() if CATEGORY.fullmatch(name) and make_slug(name)]
    found = [summarize_category(category, group, bar) for category, group in named if only_general(group)]
    sure = [one for one in found if one.faults and one.confidence >= bar.confidence]
    return sorted(sure, key=lambda one: (-one.confidence, -one.tasks, one.category))


def only_general(group: Iterable[JudgedTask]) -> bool:
    """Return whether only the general rubric judged the tasks."""
    return all(task.rubrics == {GENERAL_RUBRIC} for task in group)


def summarize_category(category: str, group: Sequence[JudgedTask], bar: RecurrenceThresholds) -> RecurringFindings:
    """Return what recurs in a category."""
    known = [summarize_topic(one, found, bar) for one, found in group_by_topic(group)]
    kept = sorted((one for one in known if one), key=lambda one: (-one[0].weight, one[0].topic.name))[:MAX_TOPICS]
    faulty = {run for _, runs in kept for run in runs}
    return RecurringFindings(category, len(group), len(faulty), tuple(one for one, _ in kept))


def group_by_topic(group: Sequence[JudgedTask]) -> list[tuple[FindingTopic, list[tuple[str, Finding]]]]:
    """Group a rubric's findings by topic; those without a topic that recur go into one group.

    Findings that instruct a judge are the author's error, and not counted.
    """
    every = [
        (task.run, one) for task in group for one in task.findings if by_rubric(one) and not is_instruction(one.title)
    ]
    piles: dict[FindingTopic | None, list[tuple[str, Finding]]] = {one: [] for one in (*finding_topics(), None)}
    for run, finding in every:
        piles[find_topic(finding.title)].append((run, finding))
    rest = piles.pop(None)
    again = [
        one for one in rest if any(one[0] != run and similar_titles(one[1].title, each.title) for run, each in rest)
    ]
    return [*((one, found) for one, found in piles.items() if one and found), (OTHER, again)]


def by_rubric(finding: Finding) -> bool:
    """Return whether the general rubric reported a finding, and not a check."""
    return finding.rule.partition("/")[0] == GENERAL_RUBRIC


def summarize_topic(
    concern: FindingTopic, found: Sequence[tuple[str, Finding]], bar: RecurrenceThresholds
) -> tuple[RecurringFinding, set[str]] | None:
    """Return a kind of finding and its runs; None if there are too few runs."""
    runs = {run for run, _ in found}
    if len(runs) < max(1, bar.samples):
        return None
    severe = {run for run, finding in found if finding.severity is Severity.BLOCKER}
    return RecurringFinding(concern, len(runs), len(runs) + len(severe), examples(found)), runs


def examples(found: Sequence[tuple[str, Finding]]) -> tuple[str, ...]:
    """Return some titles that are safe to quote, no two alike."""
    kept: list[str] = []
    for line in (safe_example(finding.title) for _, finding in found):
        if line and len(kept) < MAX_EXAMPLES and not any(similar_titles(line, other) for other in kept):
            kept.append(line)
    return tuple(kept)


def similar_titles(one: str, other: str) -> bool:
    """Return whether two titles share enough words to report one fault."""
    return word_overlap(one, other) >= SAME_FINDING
