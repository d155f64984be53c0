"""Which entries a run is shown. A pure function of the ledger, the task and the rules: the same run sees the same.

Scope comes first, then a threshold of relevance; what passes is ordered by relevance times worth. Age breaks ties only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from openkoi_hookspecs import LearningStatus

from .book import LearningState
from .credit import Use, counts, doubtful, drawn, share_withheld, utility
from .decay import USUAL, Decay, confidence
from .entry import LearningEntry, Trust
from .relevance import evidence, relevance_of
from .sameness import about_the_same, contrary, one_check, opinion, same
from .words import Tongue, alike, frame

CLEARLY, TELLS = 0.4, 0.15
ENOUGH = 5
EVEN = 0.5
TOGETHER, SAID_ALIKE = 0.8, 0.3
RANK = {"anti_pattern": 0, "procedure": 1, "heuristic": 2, "preference": 2, "fact": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRules:
    """How much is shown, and how strict the choice is. ``withheld`` is the share of runs that go without an entry."""

    entries: int = 8
    tokens: int = 600
    relevance: float = 0.25
    withheld: float = 0.1
    decay: Decay = USUAL


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
    """An entry that may be shown, and what speaks for it: ``told`` is what each word of the task does.

    ``untried``: it is on probation and was never there when it went well.
    """

    entry: LearningEntry
    relevance: float
    worth: float
    fresh: float
    withheld: float
    told: Mapping[str, float]
    untried: bool = False

    @property
    def order(self) -> tuple[bool, float, int, float, str]:
        """The best first: by relevance times worth, then by kind, then by age."""
        product = round(self.relevance * self.worth, 3)
        return self.entry.bare, -product, RANK.get(self.entry.kind, 3), -round(self.fresh, 3), self.entry.id

    @property
    def rank(self) -> tuple[bool, bool, bool, float, str]:
        """Who is right where two contradict each other: a person, what was borne out, and here; what has helped."""
        sure = not opinion(self.entry) and self.worth >= EVEN
        return always(self.entry), sure, self.entry.scope == "project", self.worth, self.entry.since


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown, in the order in which it is, and what was left out to see whether it matters.

    ``relevance`` is how much each shown entry is about the task.
    """

    shown: tuple[LearningEntry, ...]
    withheld: tuple[LearningEntry, ...]
    relevance: tuple[float, ...] = ()


def choose(book: LearningState, asked: TaskQuery, rules: SelectionRules) -> Selection:
    """Choose what a run is shown."""
    candidates = telling(eligible(book, asked, rules))
    tongue = book.tongue(asked.project)
    taken = fitting(drop_contradicted(candidates, tongue), rules)
    withheld = [one.entry for one in taken if drawn(asked.run, one.entry.id) < one.withheld]
    out = {entry.id for entry in withheld}
    shown = fitting(drop_contradicted([one for one in candidates if one.entry.id not in out], tongue), rules)
    steady = sorted(shown, key=lambda one: (RANK.get(one.entry.kind, 3), one.entry.since, one.entry.id))
    return Selection(tuple(one.entry for one in steady), tuple(withheld), tuple(one.relevance for one in steady))


def eligible(book: LearningState, asked: TaskQuery, rules: SelectionRules) -> Iterable[Candidate]:
    """Weigh what may be shown in this project and is about the task."""
    task = book.weigh_task(asked.text, asked.project)
    for entry in book.entries.values():
        if not entry.live or not in_scope(entry, asked.project):
            continue
        told = evidence(entry, task.words, book.heard(entry, asked.project))
        relevance = relevance_of(entry, told, task)
        if relevance < rules.relevance:
            if not always(entry):
                continue
            relevance = rules.relevance
        uses = of_model(book.uses(entry.id), asked.model)
        worth = utility(uses, entry.base)
        fresh = confidence(worth, book.last_helped(entry), asked.now, rules.decay)
        if fresh >= rules.decay.prune_below or entry.pinned:
            without = going_without(entry, uses, rules)
            yield Candidate(entry, relevance, worth, fresh, without, told, is_untried(entry, uses))


def going_without(entry: LearningEntry, uses: Sequence[Use], rules: SelectionRules) -> float:
    """On which share of runs to leave an entry out, to see whether it matters.

    Never what a person stands for, nor what a check bore out when it first fits: the run after the one that taught it
    is the one that a user looks at.
    """
    if entry.pinned or entry.trust is Trust.PERSON or not (uses or opinion(entry)):
        return 0.0
    doubted, guess = is_untried(entry, uses) or doubtful(uses), entry.standing is LearningStatus.PROBATION
    return share_withheld(uses, rules.withheld, doubted=doubted, opinion=guess)


def is_untried(entry: LearningEntry, uses: Sequence[Use]) -> bool:
    """Whether an entry on probation was never there when it went well; one that says nothing to do stays untried."""
    return entry.standing is LearningStatus.PROBATION and (entry.bare or not counts(uses).helpful)


def of_model(uses: Sequence[Use], model: str) -> Sequence[Use]:
    """What happened with this model, when that is enough to go by; else with any."""
    own = [use for use in uses if use.model == model]
    return own if len(own) >= ENOUGH else uses


def in_scope(entry: LearningEntry, project: str) -> bool:
    """Whether an entry may be shown in a project: one project's memory never leaves it."""
    return entry.scope != "project" or entry.project == project


def always(entry: LearningEntry) -> bool:
    """Whether an entry holds for every task: what a person wants, and what a person has pinned."""
    return entry.pinned or (entry.kind == "preference" and entry.trust is Trust.PERSON)


def telling(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what something better says more about: guesses about what the sure ones speak of, and poorer fits."""
    told: list[Candidate] = []
    explained: dict[str, float] = {}
    advised: dict[str, float] = {}
    better: tuple[dict[str, float], dict[str, float]] = {}, {}
    for one in sorted(candidates, key=lambda one: (-sureness(one.entry), one.entry.bare, -one.relevance)):
        shared = {} if always(one.entry) else {word: share for word, share in one.told.items() if share >= TELLS}
        level = sureness(one.entry)
        if shared and one.entry.trust < Trust.CHECK:
            known = advised if one.entry.bare else better[level]
            if all(known.get(word, 0.0) >= share for word, share in shared.items()):
                continue
            if all(explained.get(word, 0.0) > share + CLEARLY for word, share in shared.items()):
                continue
        told.append(one)
        strongest(explained, shared)
        for known in better[:level]:
            strongest(known, shared)
        strongest(advised, {} if one.entry.bare else shared)
    return told


def sureness(entry: LearningEntry) -> int:
    """Return 2 for what a check or the user confirmed, 1 for an observed fix, 0 for a guess."""
    return 2 if not opinion(entry) else int(entry.origin == "repair")


def strongest(known: dict[str, float], more: Mapping[str, float]) -> None:
    """Keep of each word what is said most strongly by it."""
    for word, share in more.items():
        known[word] = max(known.get(word, 0.0), share)


def drop_contradicted(candidates: Iterable[Candidate], tongue: Tongue) -> list[Candidate]:
    """Drop what something better contradicts, however well it fits, and what it already says."""
    best: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: one.rank, reverse=True):
        if not any(clash(one, other, tongue) for other in best):
            best.append(one)
    return sorted(best, key=lambda one: one.order)


def fitting(candidates: Iterable[Candidate], rules: SelectionRules) -> list[Candidate]:
    """Take the best that fit; of those on probation that never helped only one."""
    taken: list[Candidate] = []
    left, unproved = rules.tokens, 1
    for one in candidates:
        guess = one.untried and not one.entry.pinned
        if len(taken) == rules.entries or one.entry.tokens > left or (guess and not unproved):
            continue
        taken.append(one)
        left -= one.entry.tokens
        unproved -= guess
    return taken


def clash(one: Candidate, other: Candidate, tongue: Tongue) -> bool:
    """Whether two entries are not to be shown together: opinions are held to contradict what is about the same."""
    mine, theirs = one.entry, other.entry
    if same(mine, theirs, tongue):
        return True
    doubted = opinion(mine) or opinion(theirs)
    if about_the_same(mine, theirs) or one_check(mine, theirs, tongue):
        return doubted or contrary(mine, theirs)
    if not (doubted and (mine.when or theirs.when) and contrary(mine, theirs)):
        return False
    if about_the_same(mine, theirs, tongue):
        return True
    return agreement(one.told, other.told) >= TOGETHER and alike(frame(mine.text), frame(theirs.text)) >= SAID_ALIKE


def agreement(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much the same words of a task speak for two entries, 0.0 to 1.0."""
    size = sqrt(sum(share**2 for share in one.values()) * sum(share**2 for share in other.values()))
    return sum(share * other.get(word, 0.0) for word, share in one.items()) / size if size else 0.0
