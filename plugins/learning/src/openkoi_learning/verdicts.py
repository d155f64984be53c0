"""Judge entries by a run: those that its result confirms, and those that it refutes.

An accepted result is right in everything that it shows. So an entry whose content it shows is confirmed, whether it was
shown or held out; one whose content was in an earlier iteration and is gone is refuted. Of a result that was not
accepted only an entry's own check says something. An entry whose content no work can show is judged by the first
iteration.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from openkoi_hookspecs import Evaluation, Finding, Result
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import WorkLine, is_shown, read_line, work_lines
from .entry import LearningEntry
from .entry_subject import lines_about
from .lesson import first_attempt_passed, first_findings
from .sameness import Relation, compare_finding
from .text_similarity import marked_names

IterationWork: TypeAlias = tuple[Sequence[WorkLine], Evaluation]


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The ids of entries that a run confirms, refutes, and of those that a finding is about although they were shown
    or because they were held out.

    Those ``unblamed`` are confirmed by less than an accepted result: an iteration shows them, and its findings are
    about other things. Those ``unheeded`` were shown and right, but the first iteration went without them.
    """

    confirmed: frozenset[str] = frozenset()
    refuted: frozenset[str] = frozenset()
    unblamed: frozenset[str] = frozenset()
    blamed: frozenset[str] = frozenset()
    unheeded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RunWorks:
    """The lines of the iterations, each with its evaluation, and of the result; and whether it was accepted."""

    first: Sequence[WorkLine]
    earlier: Sequence[WorkLine]
    final: Sequence[WorkLine]
    accepted: bool
    iterations: Sequence[IterationWork]
    findings: Sequence[Finding]
    passed: bool


def judge_entries(result: Result, entries: Sequence[LearningEntry], shown_ids: Collection[str]) -> RunVerdicts:
    """Return a run's verdicts on entries; ``shown`` are the ids of the entries in its prompt."""
    run = read_works(result)
    verdicts = {entry.id: judge_entry(entry, run, entry.id in shown_ids) for entry in entries}
    confirmed = frozenset(id for id, verdict in verdicts.items() if verdict is True)
    unblamed = frozenset(one.id for one in entries if verdicts[one.id] is None and is_unblamed(one, run))
    refuted = frozenset(id for id, verdict in verdicts.items() if verdict is False)
    missed = frozenset(one.id for one in entries if one.id in confirmed and not is_in_first(one, run))
    blamed = refuted if run.passed else refuted | (missed - set(shown_ids))
    return RunVerdicts(confirmed, refuted, unblamed, blamed, missed & set(shown_ids))


def read_works(result: Result) -> RunWorks:
    """Return a run's evidence, read once for all entries."""
    earlier = [line for one in result.iterations if one is not result.best for line in work_lines(one.work)]
    return RunWorks(
        work_lines(result.iterations[0].work),
        earlier,
        work_lines(result.best.work),
        result.accepted is True,
        [(work_lines(one.work), one.evaluation) for one in result.iterations if one.evaluation],
        first_findings(result),
        bool(first_attempt_passed(result)),
    )


def is_in_first(entry: LearningEntry, run: RunWorks) -> bool:
    """Return whether the first iteration shows an entry's content."""
    return shows(entry, run.first)


def judge_entry(entry: LearningEntry, run: RunWorks, shown: bool) -> bool | None:
    """Return True for a confirmed entry, False for a refuted one, and None if the run shows neither."""
    if entry.forbidden_content:
        return judge_warning(entry.forbidden_content, run)
    kept = shows(entry, run.final)
    if not kept and not shows(entry, run.earlier):
        return judge_by_first(entry, run) if shown and not entry.visible_content else None
    if run.accepted:
        return kept
    iteration = latest_iteration(entry, run)
    return judge_iteration(entry, *iteration) if iteration else None


def shows(entry: LearningEntry, lines: Sequence[WorkLine]) -> bool:
    """Return whether a work shows an entry's content in the place that the entry is about."""
    return is_shown(entry.visible_content, lines_about(entry, lines))


def latest_iteration(entry: LearningEntry, run: RunWorks) -> IterationWork | None:
    """Return the latest iteration that shows an entry."""
    return next((one for one in reversed(run.iterations) if shows(entry, one[0])), None)


def is_unblamed(entry: LearningEntry, run: RunWorks) -> bool:
    """Return whether the last iteration of a run without an accepted result shows an entry that no finding is about."""
    lines, judged = run.iterations[-1] if run.iterations and not run.accepted else ((), Evaluation())
    found = judged.open if shows(entry, lines) else ()
    return bool(found) and not any(is_about(entry, one, lines) for one in found)


def judge_iteration(entry: LearningEntry, lines: Sequence[WorkLine], judged: Evaluation) -> bool | None:
    """Judge an entry whose content an iteration shows: by its own check, or by a finding about it with other advice."""
    if entry.check and any(one.name == entry.check for one in judged.checks):
        own = [one for one in judged.open if one.rule == entry.check]
        others = bool(own) and not any(is_about(entry, one, lines) for one in own)
        return None if others else entry.check not in judged.failing
    blamed = (
        one for one in judged.open if is_about(entry, one, lines) and not advises(one, entry.visible_content, lines)
    )
    return False if any(True for _ in blamed) else None


def advises(finding: Finding, content: Collection[str], lines: Sequence[WorkLine]) -> bool:
    """Return whether a finding advises what a content shows: it names that, and nothing that the work lacks."""
    text = f"{finding.title} {finding.detail} {finding.fix}"
    return read_line(text).shows(content) and all(is_shown((one,), lines) for one in marked_names(text))


def judge_warning(forbidden: Collection[str], run: RunWorks) -> bool | None:
    """Judge a warning: an accepted result contains what the warning forbids, or no longer does."""
    if not run.accepted:
        return None
    return False if is_shown(forbidden, run.final) else True if is_shown(forbidden, run.earlier) else None


def judge_by_first(entry: LearningEntry, run: RunWorks) -> bool | None:
    """Judge an entry that was shown by the first iteration alone; a pass is not evidence for absent advice."""
    return False if any(is_about(entry, finding, run.first) for finding in run.findings) else None


def is_about(entry: LearningEntry, finding: Finding, lines: Sequence[WorkLine]) -> bool:
    """Return whether a finding about these lines is about an entry's subject."""
    return compare_finding(entry, finding, lines) >= Relation.SIMILAR
