"""Rank and select the lessons for a run's prompt: a pure function of state, task and rules.

Scope filters first. Of entries about one subject one is shown, and only what is likely needed and right; the rest is
ordered by that. Age breaks ties only.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest
from operator import attrgetter

from openkoi_hookspecs import LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import terms_of
from .decay import DEFAULT_DECAY, Decay, decayed_worth
from .effectiveness import EntryOutcome, count_outcomes, holdout_rate, random_share
from .entry import LearningEntry, Trust
from .relevance import Basis, Evidence, Rivals, needed_share, right_share, score_rivals
from .state import LearningState
from .thresholds import (
    MAX_COMPARED,
    MIN_RELEVANCE,
    MIN_RUNS,
    SURELY_NEEDED,
    USUAL_TOKENS,
)

RANK = {"anti_pattern": 0, "heuristic": 1, "preference": 1, "fact": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRules:
    """How much is shown, and how strict the selection is. ``withheld`` is the share of runs that hold an entry out."""

    entries: int = 8
    tokens: int = 600
    relevance: float = MIN_RELEVANCE
    withheld: float = 0.1
    decay: Decay = DEFAULT_DECAY


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuery:
    """A task, as the query of a selection; ``similar`` are the numbers of past tasks that mean much the same."""

    run: str
    text: str
    project: str = ""
    model: str = ""
    now: str = ""
    similar: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be shown: how likely the task needs it, how likely it is right, and how often to hold it out.

    ``standing`` is how it compares with others about its subject.
    """

    entry: LearningEntry
    needed: float
    right: float
    standing: float
    withheld: float

    @property
    def relevance(self) -> float:
        """The chance that it is needed and right."""
        return self.needed * self.right

    @property
    def order(self) -> tuple[float, int, str, str]:
        """The sort key: the likeliest first, then by kind, then by age."""
        return -round(self.relevance, 3), RANK.get(self.entry.kind, 2), self.entry.since, self.entry.id

    @property
    def rank(self) -> tuple[bool, bool, float, float, bool, str]:
        """Which of several entries about one subject is shown: the user's, then the likeliest, then this project's."""
        one = self.entry
        return one.pinned, one.trust is Trust.PERSON, self.standing, self.right, one.scope == "project", one.since


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run is shown, and the eligible entries that were held out to measure whether they matter."""

    shown: tuple[LearningEntry, ...] = ()
    withheld: tuple[LearningEntry, ...] = ()
    relevance: tuple[float, ...] = ()


def select_entries(state: LearningState, query: TaskQuery, rules: SelectionRules) -> Selection:
    """Return the entries to show for a task."""
    likeliest = nsmallest(MAX_COMPARED, find_candidates(state, query, rules), key=attrgetter("order"))
    relevant = keep_one_per_subject(likeliest, state, query.project)
    fitted = fit_limits(relevant, rules)
    withheld = hold_out(fitted, query.run)
    held_out = {entry.id for entry in withheld}
    candidates = fit_limits([one for one in relevant if one.entry.id not in held_out], rules)
    candidates.sort(key=lambda one: (RANK.get(one.entry.kind, 2), one.entry.since, one.entry.id))
    return Selection(
        tuple(one.entry for one in candidates), tuple(withheld), tuple(min(1.0, one.relevance) for one in candidates)
    )


def hold_out(fitted: Sequence[Candidate], run: str) -> list[LearningEntry]:
    """Return the entry that a run holds out, if any; the less is known about an entry, the more likely it is chosen."""
    if not fitted or random_share(run, "") >= max(one.withheld for one in fitted):
        return []
    chosen = max(fitted, key=lambda one: random_share(run, one.entry.id) * one.withheld)
    return [chosen.entry] if chosen.withheld else []


def find_candidates(state: LearningState, query: TaskQuery, rules: SelectionRules) -> Iterator[Candidate]:
    """Yield the entries in scope that the task needs, as far as experience shows."""
    task, history = terms_of(query.text), replace(state.history(query.project), similar=query.similar)
    for group, ended in group_by_subject(state, query.project):
        evidence = {one.id: state.all_evidence(one, query.project) for one in group}
        known = {part for one in (*group, *ended) for part in state.tasks_needing(one, query.project)}
        share = needed_share(task, known, frozenset[str]().union(*map(own_words, group)), history)
        applicable = Rivals(evidence, {one.id: one.stated_words for one in group}).applicable(task)
        scores = score_rivals(applicable)
        for entry in group:
            right = right_share(applicable[entry.id], entry.base)
            withheld = holdout_of(state, entry, query, rules, evidence[entry.id])
            one = Candidate(entry, share, right, scores[entry.id], withheld)
            if is_shown(state, one, query, rules):
                yield one


def own_words(entry: LearningEntry) -> frozenset[str]:
    """Return the words of an entry, and of the findings that taught it."""
    return terms_of(entry.text).union(*(terms_of(proof.finding) for proof in entry.proofs))


def group_by_subject(
    state: LearningState, project: str
) -> Iterable[tuple[Sequence[LearningEntry], Sequence[LearningEntry]]]:
    """Return the live entries in scope of each subject, and those that ended: tasks needed the subject then as now.

    What has no advice is only kept for the user's review.
    """
    every = (one for one in state.entries.values() if one.pinned or not one.has_no_advice)
    known = [one for one in every if in_scope(one, project)]
    if not known:
        return []
    from .sameness import group_entries

    groups = group_entries(known)
    return [([one for one in some if one.is_live], [one for one in some if not one.is_live]) for some in groups]


def is_shown(state: LearningState, one: Candidate, query: TaskQuery, rules: SelectionRules) -> bool:
    """Return whether an entry may be shown: the user's always, others if they are likely to help and still fresh."""
    if is_unconditional(one.entry):
        return True
    fresh = decayed_worth(one.right, state.last_helped(one.entry), query.now, rules.decay)
    likely = one.relevance >= rules.relevance and one.right >= 0.5
    return likely and fresh >= rules.decay.hide_below


def holdout_of(
    state: LearningState, entry: LearningEntry, query: TaskQuery, rules: SelectionRules, evidence: Sequence[Evidence]
) -> float:
    """Return the share of runs to hold an entry out of, to measure whether it matters.

    Never one that the user confirmed, nor a verified one at its first match: the run after the one that taught it is
    the one that a user looks at. Seldom one that the latest results confirm.
    """
    uses = prefer_model(state.outcomes(entry.id), query.model)
    sure = entry.standing is LearningStatus.ACTIVE and not uses
    if entry.pinned or entry.trust is Trust.PERSON or sure:
        return 0.0
    lately = sorted(evidence, key=lambda one: one.number)[-MIN_RUNS:]
    confirmed = len(lately) == MIN_RUNS and all(one.confirmed for one in lately)
    return holdout_rate(count_outcomes(uses), rules.withheld, proved=entry.proved or confirmed)


def prefer_model(uses: Sequence[EntryOutcome], model: str) -> Sequence[EntryOutcome]:
    """Return the outcomes with this model if there are enough, else those with all models."""
    own = [use for use in uses if use.model == model]
    return own if len(own) >= MIN_RUNS else uses


def in_scope(entry: LearningEntry, project: str) -> bool:
    """Return whether an entry may be shown in a project; project entries stay in their own."""
    return entry.scope != "project" or entry.project == project


def is_unconditional(entry: LearningEntry) -> bool:
    """Return whether an entry applies to every task: the user's preferences, and what the user pinned."""
    return entry.pinned or (entry.kind == "preference" and entry.trust is Trust.PERSON)


def keep_one_per_subject(candidates: Iterable[Candidate], state: LearningState, project: str) -> list[Candidate]:
    """Keep one entry per subject, and one of several equivalent ones.

    A line that fixed several things is shown once, and credited to the entry that is shown: its uplift is the
    line's. Results also confirm or refute the other entries, which need not be shown for that.
    """
    kept: list[Candidate] = []
    for one in sorted(candidates, key=lambda each: each.rank, reverse=True):
        if not any(are_alternatives(one.entry, other.entry, state, project) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.order)


def are_alternatives(one: LearningEntry, other: LearningEntry, state: LearningState, project: str) -> bool:
    """Return whether only one of two entries can apply; words alone say so until several results confirm each."""
    if one.text == other.text or one.fixing_line == other.fixing_line != "":
        return True
    from .sameness import Relation, compare

    relation = compare(one, other)
    if relation is not Relation.SIMILAR:
        return relation >= Relation.SAME_SUBJECT
    evidence = (state.evidence(id, project) for id in (one.id, other.id))
    mine, theirs = (
        {each.number for each in some if each.confirmed and each.basis is Basis.RESULT} for some in evidence
    )
    return not mine & theirs and min(len(mine), len(theirs)) < MIN_RUNS


def fit_limits(candidates: Iterable[Candidate], rules: SelectionRules) -> list[Candidate]:
    """Take the most likely entries that fit the limits; beyond the usual tokens, only those surely needed."""
    fitted: list[Candidate] = []
    used = 0
    for one in candidates:
        after = used + one.entry.tokens
        if after > (
            rules.tokens if one.relevance >= SURELY_NEEDED or one.entry.pinned else min(rules.tokens, USUAL_TOKENS)
        ):
            continue
        fitted.append(one)
        used = after
        if len(fitted) == rules.entries:
            break
    return fitted
