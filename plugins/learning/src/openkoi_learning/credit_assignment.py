"""Update the entries that a run was shown: blame, probation, quarantine or archive."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Finding, LearningStatus, Result
from openkoi_hookspecs.lazy_dataclass import dataclass

from .duplicates import SAME_TOPIC, SAME_TOPIC_TEXT, differ_in_topic, has_known_rule, subjects
from .effectiveness import is_harmful, is_idle, proves_uplift
from .entry import LearningEntry, archive_entry
from .lesson import first_findings
from .merge import QUARANTINED
from .promotion import promote_entry
from .state import LearningState
from .text_similarity import (
    EMPTY_VOCABULARY,
    Vocabulary,
    contains_names,
    contradict,
    extract_details,
    stem_terms,
    topic_similarity,
    weighted_overlap,
)


@dataclass(frozen=True, slots=True)
class FirstAttemptFailure:
    """What was wrong with a first attempt: its findings, and the checks that were ``red`` and ``green``."""

    findings: Sequence[Finding]
    red: Collection[str] = ()
    green: Collection[str] = ()
    task: str = ""
    vocabulary: Vocabulary = EMPTY_VOCABULARY


def first_attempt_failure(result: Result, task: str, vocabulary: Vocabulary = EMPTY_VOCABULARY) -> FirstAttemptFailure:
    """Return what was wrong with the first attempt of a run."""
    first = result.iterations[0].evaluation
    green = [check.name for check in first.checks if check.passed] if first else []
    return FirstAttemptFailure(first_findings(result), first.failing if first else (), green, task, vocabulary)


def entries_to_blame(eligible: Iterable[LearningEntry], fault: FirstAttemptFailure) -> list[str]:
    """Return the entries about what was found wrong, whether shown or held out."""
    return [entry.id for entry in eligible if is_at_fault(entry, fault)]


def is_at_fault(entry: LearningEntry, fault: FirstAttemptFailure) -> bool:
    """Return whether an entry is about what was wrong, and says something else than what was required."""
    disagreeing = [finding for finding in fault.findings if not agrees(entry, finding, fault.vocabulary)]
    if entry.check in fault.vocabulary.checks and fault.red:
        return entry.check in fault.red and len(disagreeing) == len(fault.findings)
    words = stem_terms(fault.task)
    return entry.check not in fault.green and any(
        is_about(entry, finding, words, fault.vocabulary) for finding in disagreeing
    )


def is_about(entry: LearningEntry, finding: Finding, task: frozenset[str], vocabulary: Vocabulary) -> bool:
    """Return whether a finding is about an entry's subject.

    The subject is the words that the entry shares with its tasks; without any it is the whole task.
    """
    rule, where, title = finding.key
    text = f"{title} {finding.detail} {finding.fix}"
    words = stem_terms(text)
    if (rule or title, where) in subjects(entry) and (not entry.topic or stem_terms(rule) & entry.topic):
        return True
    if rule and has_known_rule(entry) and (rule, where) not in subjects(entry):
        return False
    if topic_similarity(entry.text, text, vocabulary) >= SAME_TOPIC_TEXT and not differ_in_topic(
        entry.own_words, words & task
    ):
        return True
    return weighted_overlap(entry.topic or stem_terms(entry.text), words & task or task or words, {}) >= SAME_TOPIC


def survives_in_result(entry: LearningEntry, result: Result) -> bool:
    """Return whether accepted work still contains what an entry names: then that was not the error."""
    judged, work = result.best.evaluation, result.best.work
    names = extract_details(entry.stance).identifiers
    if not names or entry.kind == "anti_pattern" or judged is None or judged.failing or judged.blockers:
        return False
    return contains_names(names, f"{work.text}\n{work.diff}")


def agrees(entry: LearningEntry, finding: Finding, vocabulary: Vocabulary) -> bool:
    """Return whether an entry says what the finding requires: then the entry is not to blame."""
    if not finding.fix or entry.kind == "anti_pattern":
        return False
    return not contradict(finding.fix, entry.stance, vocabulary)


def status_changes(state: LearningState, ids: Iterable[str], project: str, now: str) -> Iterator[LearningEntry]:
    """Yield the entries whose status changes after their latest outcome."""
    usual = state.success_rate(project)
    for id in dict.fromkeys(ids):
        entry = state.entries.get(id)
        if entry is None or not entry.is_live or entry.pinned:
            continue
        uses = state.outcomes(id)
        if is_harmful(uses, usual):
            yield archive_entry(entry, now, f"{QUARANTINED}: it does more harm than good")
        elif is_idle(uses, usual):
            yield archive_entry(entry, now, "archived: it makes no difference")
        elif not entry.is_from_source and not entry.proved and proves_uplift(uses, state.success_rate(entry.project)):
            yield replace(entry, standing=LearningStatus.ACTIVE, proved=True, reason="held-out runs show that it helps")
        elif uses and uses[-1].shown and uses[-1].passed:
            yield from promote_entry(state, entry, now)
