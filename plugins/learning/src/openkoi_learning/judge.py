"""Update the entries that a run was shown: blame, probation, quarantine or archive."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from openkoi_hookspecs import Finding, LearningStatus, Result

from .book import LearningState
from .credit import harmful, idle, proves_uplift
from .entry import LearningEntry, put_away
from .lesson import first_findings
from .merge import QUARANTINED
from .promote import promote_entry
from .sameness import KINDRED, SAME_TOPIC, apart, has_known_rule, subjects
from .words import PLAIN, Tongue, contradict, details, named_in, overlap, terms, topic_similarity


@dataclass(frozen=True, slots=True)
class FirstAttemptFailure:
    """What was wrong with a first attempt: what was found, and which checks were ``red`` and ``green``.

    ``tongue`` is how people speak in the project.
    """

    findings: Sequence[Finding]
    red: Collection[str] = ()
    green: Collection[str] = ()
    task: str = ""
    tongue: Tongue = PLAIN


def fault_of(result: Result, task: str, tongue: Tongue = PLAIN) -> FirstAttemptFailure:
    """What was wrong with the first attempt of a run."""
    first = result.iterations[0].evaluation
    green = [check.name for check in first.checks if check.passed] if first else []
    return FirstAttemptFailure(first_findings(result), first.failing if first else (), green, task, tongue)


def entries_to_blame(eligible: Iterable[LearningEntry], fault: FirstAttemptFailure) -> list[str]:
    """Return the entries about what was found wrong, whether shown or held out."""
    return [entry.id for entry in eligible if at_fault(entry, fault)]


def at_fault(entry: LearningEntry, fault: FirstAttemptFailure) -> bool:
    """Whether an entry is about what was wrong, and says another thing than what was wanted."""
    other = [one for one in fault.findings if not agrees(entry, one, fault.tongue)]
    if entry.check in fault.tongue.checks and fault.red:
        return entry.check in fault.red and len(other) == len(fault.findings)
    words = terms(fault.task)
    return entry.check not in fault.green and any(about(entry, one, words, fault.tongue) for one in other)


def about(entry: LearningEntry, finding: Finding, task: frozenset[str], tongue: Tongue) -> bool:
    """Whether a finding is of the kind that an entry speaks of.

    What it is about are the words that it has in common with the task; one that has none is about all of the task.
    """
    rule, where, title = finding.key
    told = f"{title} {finding.detail} {finding.fix}"
    words = terms(told)
    if (rule or title, where) in subjects(entry) and (not entry.topic or terms(rule) & entry.topic):
        return True
    if rule and has_known_rule(entry) and (rule, where) not in subjects(entry):
        return False
    if topic_similarity(entry.text, told, tongue) >= KINDRED and not apart(entry.own, words & task):
        return True
    return overlap(entry.topic or terms(entry.text), words & task or task or words, {}) >= SAME_TOPIC


def stands(entry: LearningEntry, result: Result) -> bool:
    """Whether work that is good in the end still has what an entry names: then that was not the fault."""
    judged, work = result.best.evaluation, result.best.work
    names = details(entry.stance).identifiers
    if not names or entry.kind == "anti_pattern" or judged is None or judged.failing or judged.blockers:
        return False
    return named_in(names, f"{work.text}\n{work.diff}")


def agrees(entry: LearningEntry, finding: Finding, tongue: Tongue) -> bool:
    """Whether an entry says what the finding wants: then it is not the entry that did it."""
    if not finding.fix or entry.kind == "anti_pattern":
        return False
    return not contradict(finding.fix, entry.stance, tongue)


def status_changes(book: LearningState, ids: Iterable[str], project: str, now: str) -> Iterator[LearningEntry]:
    """Yield the entries whose status changes after their latest outcome."""
    usual = book.usual(project)
    for id in dict.fromkeys(ids):
        entry = book.entries.get(id)
        if entry is None or not entry.live or entry.pinned:
            continue
        uses = book.uses(id)
        if harmful(uses, usual):
            yield put_away(entry, now, f"{QUARANTINED}: it does more harm than good")
        elif idle(uses, usual):
            yield put_away(entry, now, "archived: it makes no difference")
        elif not entry.read and not entry.proved and proves_uplift(uses, book.usual(entry.project)):
            yield replace(
                entry, standing=LearningStatus.ACTIVE, proved=True, reason="runs without it show that it helps"
            )
        elif uses and uses[-1].shown and uses[-1].passed:
            yield from promote_entry(book, entry, now)
