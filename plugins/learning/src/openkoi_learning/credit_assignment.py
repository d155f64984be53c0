"""Promote learned entries that help, and archive or quarantine those that a run shows to be harmful or useless."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from openkoi_hookspecs import LearningStatus

from .effectiveness import is_harmful, is_idle, proves_uplift
from .entry import LearningEntry, Trust, archive_entry
from .merge import QUARANTINED
from .relevance import Basis, Evidence, Rivals, same_conditions
from .sameness import Relation, compare
from .state import LearningState
from .thresholds import MIN_RUNS, OUTVOTED


def status_changes(state: LearningState, ids: Iterable[str], project: str, now: str) -> Iterator[LearningEntry]:
    """Yield the entries whose status changes after their latest outcome."""
    for id in dict.fromkeys(ids):
        entry = state.known.get(id)
        if entry is not None and entry.is_live and not entry.pinned:
            yield from status_change(state, entry, project, now)


def status_change(state: LearningState, entry: LearningEntry, project: str, now: str) -> Iterator[LearningEntry]:
    """Yield how the status of an entry changes, if it does."""
    usual, uses = state.success_rate(project), state.outcomes(entry.id)
    evidence = applicable_evidence(state, entry, project)
    if is_refuted(evidence[entry.id], visible=is_visible(entry)) or is_harmful(uses, usual):
        yield archive_entry(entry, now, f"{QUARANTINED}: it does more harm than good")
    elif is_outvoted(entry, evidence):
        yield archive_entry(entry, now, "another entry about the same subject proved right instead")
    elif is_idle(uses, usual) and not entry.is_past_tasks:  # which may be worth reading in a project that always passes
        yield archive_entry(entry, now, "it makes no measurable difference")
    elif not entry.is_from_source and not entry.proved and proves_uplift(uses, state.success_rate(entry.project)):
        yield replace(entry, standing=LearningStatus.ACTIVE, proved=True, reason="held-out runs show that it helps")
    elif is_confirmed_by_checks(entry, state.all_evidence(entry, project)):
        reason = "several accepted results comply with this entry, and a check passed with it"
        yield replace(entry, standing=LearningStatus.ACTIVE, trust=Trust.CHECK, reason=reason)


def is_visible(entry: LearningEntry) -> bool:
    """Return whether a result abandoned an entry, unless it is the user's own."""
    return bool(entry.visible_content or entry.forbidden_content) and entry.trust is not Trust.PERSON


def is_refuted(evidence: Sequence[Evidence], *, visible: bool) -> bool:
    """Return whether enough of the latest runs in a row refute an entry."""
    wanted = refutations_needed(evidence, visible=visible)
    return len(evidence) >= wanted and not any(one.confirmed for one in evidence[-wanted:])


def refutations_needed(evidence: Sequence[Evidence], *, visible: bool) -> int:
    """Return how many refutations in a row archive an entry.

    One is enough if only advice ever confirmed it, and the result was ``visible``: its content was removed.
    """
    return 1 if visible and not any(is_confirmed(one) for one in evidence) else MIN_RUNS


def is_confirmed(one: Evidence) -> bool:
    """Return whether an iteration or a result confirmed an entry."""
    return one.confirmed and one.basis > Basis.ADVICE


def is_outvoted(entry: LearningEntry, evidence: Mapping[str, Sequence[Evidence]]) -> bool:
    """Return whether another entry on the same subject was right each of the latest times."""
    last = max((one.number for one in evidence[entry.id] if one.confirmed), default=-1)
    rivals = (some for id, some in evidence.items() if id != entry.id)
    return any(sum(one.confirmed and one.number > last for one in some) >= OUTVOTED for some in rivals)


def applicable_evidence(state: LearningState, entry: LearningEntry, project: str) -> Mapping[str, list[Evidence]]:
    """Return the evidence for an entry and its rivals, under the conditions in which the entry was last right."""
    rivals = [
        one
        for one in state.entries.values()
        if one.is_live and one.topic == entry.topic and compare(one, entry) >= Relation.SAME_SUBJECT
    ]
    found = {one.id: sorted(state.all_evidence(one, project), key=lambda each: each.number) for one in (*rivals, entry)}
    right = [one.words for one in found[entry.id] if one.confirmed]
    if not right:
        return found
    special = Rivals(found, {one.id: one.stated_words for one in rivals}).conditions()
    return {
        id: [one for one in some if same_conditions(one.words & special, right[-1] & special)]
        for id, some in found.items()
    }


def is_confirmed_by_checks(entry: LearningEntry, evidence: Sequence[Evidence]) -> bool:
    """Return whether several runs confirm an opinion whose evaluator's check passed with it, and none refutes it.

    Not in other tasks either: what is right under some condition only is not verified as it stands.
    """
    if entry.standing is LearningStatus.ACTIVE or entry.is_from_source or not entry.content:
        return False
    checked = any(proof.checked for proof in entry.proofs)
    results = sum(one.basis is Basis.RESULT for one in evidence)
    return checked and results >= MIN_RUNS and all(one.confirmed for one in evidence)
