"""Select the entries that a run is shown. A pure function of state, task and rules: the same run gets the same.

Scope filters first, then a threshold of relevance; the rest is ordered by relevance times worth. Age breaks ties only.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from openkoi_hookspecs import LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .decay import DEFAULT_DECAY, Decay, decayed_worth
from .duplicates import about_the_same, is_contrary, is_opinion, is_same, one_check
from .effectiveness import EntryOutcome, base_holdout_rate, count_outcomes, estimate_utility, is_doubtful, random_share
from .entry import LearningEntry, Trust
from .relevance import relevance_of, score_words
from .state import LearningState
from .text_similarity import Vocabulary, without_specifics, word_overlap

# Shares of a word's tasks in which an entry was needed (estimates).
CLEARLY_MORE, MIN_SHARE = 0.4, 0.15
MIN_MODEL_RUNS = 5  # below that, runs of all models count (estimate)
USEFUL_WORTH = 0.5
SAME_TASK_WORDS, SIMILAR_TEXT = 0.8, 0.3  # estimates
RANK = {"anti_pattern": 0, "procedure": 1, "heuristic": 2, "preference": 2, "fact": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRules:
    """How much is shown, and how strict the selection is. ``withheld`` is the share of runs that hold an entry out."""

    entries: int = 8
    tokens: int = 600
    relevance: float = 0.25
    withheld: float = 0.1
    decay: Decay = DEFAULT_DECAY


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuery:
    """A task, as the query of a selection."""

    run: str
    text: str
    project: str = ""
    model: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be shown. ``word_scores`` says how strongly each word of the task suggests it.

    ``untried``: it is on probation and was never shown in a run that went well.
    """

    entry: LearningEntry
    relevance: float
    worth: float
    fresh: float
    withheld: float
    word_scores: Mapping[str, float]
    untried: bool = False

    @property
    def order(self) -> tuple[bool, float, int, float, str]:
        """The sort key: relevance times worth, then kind, then age."""
        product = round(self.relevance * self.worth, 3)
        return self.entry.has_no_advice, -product, RANK.get(self.entry.kind, 3), -round(self.fresh, 3), self.entry.id

    @property
    def rank(self) -> tuple[bool, bool, bool, float, str]:
        """Which of two contradicting entries wins: the user's, then verified ones, then this project's, then the more
        useful.
        """
        sure = not is_opinion(self.entry) and self.worth >= USEFUL_WORTH
        return is_unconditional(self.entry), sure, self.entry.scope == "project", self.worth, self.entry.since


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries that are shown, in order, and those held out to measure whether they matter.

    ``relevance`` is how much each shown entry is about the task.
    """

    shown: tuple[LearningEntry, ...]
    withheld: tuple[LearningEntry, ...]
    relevance: tuple[float, ...] = ()


def select_entries(state: LearningState, query: TaskQuery, rules: SelectionRules) -> Selection:
    """Select the entries for a run."""
    candidates = drop_redundant(find_candidates(state, query, rules))
    vocabulary = state.vocabulary(query.project)
    fitted = fit_limits(drop_contradicted(candidates, vocabulary), rules)
    withheld = [
        candidate.entry for candidate in fitted if random_share(query.run, candidate.entry.id) < candidate.withheld
    ]
    held_out = {entry.id for entry in withheld}
    shown = fit_limits(
        drop_contradicted([candidate for candidate in candidates if candidate.entry.id not in held_out], vocabulary),
        rules,
    )
    ordered = sorted(
        shown, key=lambda candidate: (RANK.get(candidate.entry.kind, 3), candidate.entry.since, candidate.entry.id)
    )
    return Selection(
        tuple(candidate.entry for candidate in ordered),
        tuple(withheld),
        tuple(candidate.relevance for candidate in ordered),
    )


def find_candidates(state: LearningState, query: TaskQuery, rules: SelectionRules) -> Iterable[Candidate]:
    """Yield the entries in scope that are relevant to the task."""
    task = state.weigh_task(query.text, query.project)
    for entry in state.entries.values():
        if not entry.is_live or not in_scope(entry, query.project):
            continue
        scores = score_words(entry, task.words, state.word_statistics(entry, query.project))
        relevance = relevance_of(entry, scores, task)
        if relevance < rules.relevance:
            if not is_unconditional(entry):
                continue
            relevance = rules.relevance
        uses = prefer_model(state.outcomes(entry.id), query.model)
        worth = estimate_utility(uses, entry.base)
        fresh = decayed_worth(worth, state.last_helped(entry), query.now, rules.decay)
        if fresh >= rules.decay.prune_below or entry.pinned:
            without = holdout_rate(entry, uses, rules)
            yield Candidate(entry, relevance, worth, fresh, without, scores, is_untried(entry, uses))


def holdout_rate(entry: LearningEntry, uses: Sequence[EntryOutcome], rules: SelectionRules) -> float:
    """Return the share of runs to hold an entry out of, to measure whether it matters.

    Never one that the user confirmed, nor a verified one at its first match: the run after the one that taught it is
    the one that a user looks at.
    """
    if entry.pinned or entry.trust is Trust.PERSON or not (uses or is_opinion(entry)):
        return 0.0
    doubted, guess = is_untried(entry, uses) or is_doubtful(uses), entry.standing is LearningStatus.PROBATION
    return base_holdout_rate(uses, rules.withheld, doubted=doubted, opinion=guess)


def is_untried(entry: LearningEntry, uses: Sequence[EntryOutcome]) -> bool:
    """Return whether an entry on probation was never shown in a run that went well, or has no advice."""
    return entry.standing is LearningStatus.PROBATION and (entry.has_no_advice or not count_outcomes(uses).helpful)


def prefer_model(uses: Sequence[EntryOutcome], model: str) -> Sequence[EntryOutcome]:
    """Return the outcomes with this model if there are enough, else those with any."""
    own = [use for use in uses if use.model == model]
    return own if len(own) >= MIN_MODEL_RUNS else uses


def in_scope(entry: LearningEntry, project: str) -> bool:
    """Return whether an entry may be shown in a project; entries never leave theirs."""
    return entry.scope != "project" or entry.project == project


def is_unconditional(entry: LearningEntry) -> bool:
    """Return whether an entry applies to every task: the user's preferences, and what the user pinned."""
    return entry.pinned or (entry.kind == "preference" and entry.trust is Trust.PERSON)


def drop_redundant(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Drop what a better entry covers: guesses about what verified ones address, and poorer matches."""
    kept: list[Candidate] = []
    explained: dict[str, float] = {}
    advised: dict[str, float] = {}
    better: tuple[dict[str, float], dict[str, float]] = {}, {}
    for candidate in sorted(
        candidates,
        key=lambda candidate: (
            -confirmation_level(candidate.entry),
            candidate.entry.has_no_advice,
            -candidate.relevance,
        ),
    ):
        shared = (
            {}
            if is_unconditional(candidate.entry)
            else {word: share for word, share in candidate.word_scores.items() if share >= MIN_SHARE}
        )
        level = confirmation_level(candidate.entry)
        if shared and candidate.entry.trust < Trust.CHECK:
            known = advised if candidate.entry.has_no_advice else better[level]
            if all(known.get(word, 0.0) >= share for word, share in shared.items()):
                continue
            if all(explained.get(word, 0.0) > share + CLEARLY_MORE for word, share in shared.items()):
                continue
        kept.append(candidate)
        keep_highest(explained, shared)
        for known in better[:level]:
            keep_highest(known, shared)
        keep_highest(advised, {} if candidate.entry.has_no_advice else shared)
    return kept


def confirmation_level(entry: LearningEntry) -> int:
    """Return 2 for what a check or the user confirmed, 1 for an observed fix, 0 for a guess."""
    return 2 if not is_opinion(entry) else int(entry.origin == "repair")


def keep_highest(known: dict[str, float], more: Mapping[str, float]) -> None:
    """Keep the highest score of each word."""
    for word, score in more.items():
        known[word] = max(known.get(word, 0.0), score)


def drop_contradicted(candidates: Iterable[Candidate], vocabulary: Vocabulary) -> list[Candidate]:
    """Drop what a better entry contradicts, however relevant it is, and what it already says."""
    best: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda candidate: candidate.rank, reverse=True):
        if not any(must_not_be_combined(candidate, other, vocabulary) for other in best):
            best.append(candidate)
    return sorted(best, key=lambda candidate: candidate.order)


def fit_limits(candidates: Iterable[Candidate], rules: SelectionRules) -> list[Candidate]:
    """Take the best that fit the limits; only one of those on probation that never helped."""
    fitted: list[Candidate] = []
    left, unproved = rules.tokens, 1
    for candidate in candidates:
        guess = candidate.untried and not candidate.entry.pinned
        if len(fitted) == rules.entries or candidate.entry.tokens > left or (guess and not unproved):
            continue
        fitted.append(candidate)
        left -= candidate.entry.tokens
        unproved -= guess
    return fitted


def must_not_be_combined(one: Candidate, other: Candidate, vocabulary: Vocabulary) -> bool:
    """Return whether two entries must not be shown together; opinions clash with anything about the same thing."""
    mine, theirs = one.entry, other.entry
    if is_same(mine, theirs, vocabulary):
        return True
    doubted = is_opinion(mine) or is_opinion(theirs)
    if about_the_same(mine, theirs) or one_check(mine, theirs, vocabulary):
        return doubted or is_contrary(mine, theirs)
    if not (doubted and (mine.when or theirs.when) and is_contrary(mine, theirs)):
        return False
    if about_the_same(mine, theirs, vocabulary):
        return True
    return (
        measure_agreement(one.word_scores, other.word_scores) >= SAME_TASK_WORDS
        and word_overlap(without_specifics(mine.text), without_specifics(theirs.text)) >= SIMILAR_TEXT
    )


def measure_agreement(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return how much the same words of a task suggest both entries, 0.0 to 1.0."""
    size = sqrt(sum(share**2 for share in one.values()) * sum(share**2 for share in other.values()))
    return sum(share * other.get(word, 0.0) for word, share in one.items()) / size if size else 0.0
