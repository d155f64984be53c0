"""Learn patterns that only occurred often, without a remedy."""

from collections import Counter
from collections.abc import Iterable, Iterator

from .entry import EntryEvidence, LearningEntry, shorten
from .lesson import Lesson, make_entry

SLOW_WORTH, RECURRING_WORTH = 0.5, 0.75  # worth before any outcome, for slow progress and for blockers (LEARN-04)


def find_slow_progress(lesson: Lesson) -> Iterator[LearningEntry]:
    """Learn from three iterations or more of which the last gained almost nothing."""
    scores = [one.evaluation.score for one in lesson.result.iterations if one.evaluation]
    known = [score for score in scores if score is not None]
    if len(known) >= 3 and 0 <= known[-1] - known[-2] < lesson.thresholds.plateau:
        what = f"in the category {category}" if (category := lesson.result.task.category) else "like this one"
        text = f"Tasks {what} gain little after {len(known) - 1} iterations: aim to finish in the first iteration."
        proof = EntryEvidence(run=lesson.run, iteration=len(known) - 1)
        yield make_entry(lesson, "heuristic", text, proof, base=SLOW_WORTH, origin="pattern")


def find_recurring_blockers(lesson: Lesson, taught: Iterable[LearningEntry]) -> Iterator[LearningEntry]:
    """Learn from two blockers or more of one rule, apart from those that an entry of ``taught`` advises about."""
    known = {one.advice for one in taught}
    every = (one.evaluation.blockers for one in lesson.result.iterations if one.evaluation is not None)
    found = [finding for some in every for finding in some if shorten(finding.title) not in known]
    for rule, count in Counter(finding.rule for finding in found if finding.rule).items():
        titles = list(dict.fromkeys(finding.title for finding in found if finding.rule == rule))[:3]
        where = next(finding.key[1] for finding in found if finding.rule == rule)
        if count >= 2:
            text = f"Check {rule} before answering; earlier iterations were blocked by: {'; '.join(titles)}"
            proof = EntryEvidence(run=lesson.run, rule=rule, where=where, finding=titles[0])
            yield make_entry(lesson, "anti_pattern", text, proof, base=RECURRING_WORTH, origin="pattern")
