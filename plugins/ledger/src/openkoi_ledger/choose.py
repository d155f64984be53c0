"""Which entries a run is shown. A pure function of the ledger, the task and the rules: the same run sees the same.

Scope comes first, then a threshold of relevance; what passes is ordered by relevance times worth. Age breaks ties only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Standing

from .book import Book
from .credit import Use, counts, doubtful, drawn, share_withheld, utility
from .decay import PER_WEEK, WORTH_KEEPING, confidence
from .entry import Entry, Trust
from .merge import about_the_same, contrary, opinion
from .relevance import relevance_of, subject
from .words import overlap, terms

CLEARLY = 0.4
ENOUGH = 5
EVEN = 0.5
SAME_TOPIC = 0.6
RANK = {"anti_pattern": 0, "procedure": 1, "heuristic": 2, "preference": 2, "fact": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How much is shown, and how strict the choice is. ``withheld`` is the share of runs that go without an entry."""

    entries: int = 8
    tokens: int = 600
    relevance: float = 0.2
    withheld: float = 0.1
    decay: float = PER_WEEK


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A task, as the ledger is asked about it."""

    run: str
    text: str
    project: str = ""
    model: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be shown, and what speaks for it."""

    entry: Entry
    relevance: float
    worth: float
    fresh: float
    withheld: float

    @property
    def order(self) -> tuple[float, int, float, str]:
        """The best first: by relevance times worth, then by kind, then by age."""
        product = round(self.relevance * self.worth, 3)
        return -product, RANK.get(self.entry.kind, 3), -round(self.fresh, 3), self.entry.id

    @property
    def rank(self) -> tuple[bool, bool, bool, float, str]:
        """Who is right where two contradict each other: a person, what was borne out, and here; what has helped."""
        sure = not opinion(self.entry) and self.worth >= EVEN
        return always(self.entry), sure, self.entry.scope == "project", self.worth, self.entry.since


@dataclass(frozen=True, slots=True)
class Choice:
    """What is shown, in the order in which it is, and what was left out to see whether it matters.

    ``relevance`` is how much each shown entry is about the task.
    """

    shown: tuple[Entry, ...]
    withheld: tuple[Entry, ...]
    relevance: tuple[float, ...] = ()


def choose(book: Book, asked: Asked, rules: Rules) -> Choice:
    """Choose what a run is shown."""
    candidates = telling(eligible(book, asked, rules), book, asked)
    taken = fitting(undisputed(book, candidates), rules)
    withheld = [one.entry for one in taken if drawn(asked.run, one.entry.id) < one.withheld]
    out = {entry.id for entry in withheld}
    shown = fitting(undisputed(book, [one for one in candidates if one.entry.id not in out]), rules)
    steady = sorted(shown, key=lambda one: (RANK.get(one.entry.kind, 3), one.entry.since, one.entry.id))
    return Choice(tuple(one.entry for one in steady), tuple(withheld), tuple(one.relevance for one in steady))


def eligible(book: Book, asked: Asked, rules: Rules) -> Iterable[Candidate]:
    """Weigh what may be shown in this project and is about the task."""
    weights, usual = book.weights(asked.project), book.unheard(asked.project)
    words = terms(asked.text)
    for entry in book.entries.values():
        if not entry.live or not in_scope(entry, asked.project):
            continue
        relevance = relevance_of(entry, words, asked.text, weights, usual)
        if relevance < rules.relevance:
            if not always(entry):
                continue
            relevance = rules.relevance
        one = candidate(book, entry, relevance, asked, rules)
        if one.fresh >= WORTH_KEEPING or entry.pinned:
            yield one


def candidate(book: Book, entry: Entry, relevance: float, asked: Asked, rules: Rules) -> Candidate:
    """Say what an entry is worth now, and how often to go without it."""
    uses = of_model(book.uses(entry.id), asked.model)
    worth = utility(uses, entry.base)
    fresh = confidence(worth, book.helped(entry), asked.now, rules.decay)
    doubted = entry.standing is Standing.PROBATION or doubtful(uses)
    share = 0.0 if entry.pinned else share_withheld(uses, rules.withheld, doubted=doubted)
    return Candidate(entry, relevance, worth, fresh, share)


def of_model(uses: Sequence[Use], model: str) -> Sequence[Use]:
    """What happened with this model, when that is enough to go by; else with any."""
    own = [use for use in uses if use.model == model]
    return own if len(own) >= ENOUGH else uses


def in_scope(entry: Entry, project: str) -> bool:
    """Whether an entry may be shown in a project: one project's memory never leaves it."""
    return entry.scope != "project" or entry.project == project


def always(entry: Entry) -> bool:
    """Whether an entry holds for every task: what a person wants, and what a person has pinned."""
    return entry.pinned or (entry.kind == "preference" and entry.trust is Trust.PERSON)


def telling(candidates: Iterable[Candidate], book: Book, asked: Asked) -> list[Candidate]:
    """Leave out what something better says more about: guesses about what the sure ones speak of, and poorer fits."""
    heard, words = frozenset(book.weights(asked.project)), terms(asked.text)
    told: list[Candidate] = []
    better: list[tuple[frozenset[str], Candidate]] = []
    spoken_for: frozenset[str] = frozenset()
    for one in sorted(candidates, key=lambda one: (opinion(one.entry), -one.relevance)):
        shared = subject(one.entry, heard) & words
        if shared and not always(one.entry):
            if one.entry.trust < Trust.CHECK and shared <= spoken_for:
                continue
            if any(outdone(one, shared, *other) for other in better):
                continue
        told.append(one)
        better += [(shared, one)] if shared else []
        spoken_for |= frozenset() if opinion(one.entry) else shared
    return told


def outdone(one: Candidate, shared: frozenset[str], more: frozenset[str], other: Candidate) -> bool:
    """Whether something else is clearly more about the task: for the same words and for further ones."""
    clearly = other.relevance - one.relevance >= CLEARLY
    return clearly and shared < more and not about_the_same(one.entry, other.entry)


def undisputed(book: Book, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what is contradicted by something better, however well it fits the task: it is about the same."""
    best: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: one.rank, reverse=True):
        if not any(clash(book, one.entry, other.entry) for other in best):
            best.append(one)
    return sorted(best, key=lambda one: one.order)


def fitting(candidates: Iterable[Candidate], rules: Rules) -> list[Candidate]:
    """Take the best that fit; of those on probation only one."""
    taken: list[Candidate] = []
    left, unproved = rules.tokens, 1
    for one in candidates:
        probation = one.entry.standing is Standing.PROBATION and not one.entry.pinned
        if len(taken) == rules.entries or one.entry.tokens > left or (probation and not unproved):
            continue
        taken.append(one)
        left -= one.entry.tokens
        unproved -= probation
    return taken


def clash(book: Book, one: Entry, other: Entry) -> bool:
    """Whether two entries are not to be shown together: opinions are held to contradict what has the same topic."""
    doubted = opinion(one) or opinion(other)
    if about_the_same(one, other):
        return doubted or contrary(one, other)
    if not contrary(one, other):
        return False
    return doubted and overlap(book.topic(one), book.topic(other), {}) >= SAME_TOPIC


def helped_enough(book: Book, entry: Entry) -> bool:
    """Whether an entry on probation has helped."""
    return entry.standing is Standing.PROBATION and counts(book.uses(entry.id)).helpful > 0
