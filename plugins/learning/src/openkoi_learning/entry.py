"""Represent an entry: one thing worth knowing next time, and its origin."""

from collections import Counter
from dataclasses import KW_ONLY, field, replace
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from openkoi_hookspecs import Learning, LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .text_similarity import stem_terms

MAX_TEXT_CHARACTERS = 200
LIVE = (LearningStatus.PROBATION, LearningStatus.ACTIVE)
OVERHEAD_TOKENS = 4  # of the list item and the line break (estimate)
# Of an entry seen in 3 tasks or more, words in a quarter of them are its topic too (estimates).
MIN_TASKS, RECURRING_SHARE = 3, 4
CHARACTERS_PER_TOKEN = 4


class Trust(IntEnum):
    """How far the least trusted source of a text can be trusted.

    Below MODEL the text was read somewhere; CHECK is a model's words that a check verified.
    """

    PAGE = 0
    TOOL = 1
    MODEL = 2
    CHECK = 3
    PERSON = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryEvidence:
    """Why an entry exists: where it was seen, what was found, and the checks before and after."""

    run: str
    iteration: int = 0
    rule: str = ""
    where: str = ""
    finding: str = ""
    diff: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def subject(self) -> tuple[str, str, str]:
        """The finding that it is about: rule, place and title."""
        return self.rule, self.where, self.finding

    @property
    def fixed_checks(self) -> frozenset[str]:
        """Names of the checks that failed before and passed after."""
        return frozenset(self.before) - frozenset(self.after)


@dataclass(frozen=True, slots=True)
class LearningEntry:
    """One thing worth knowing, without its outcomes, which are counted from the log.

    ``advice`` is the part of the text that says what to do. ``when`` are the tasks in which it was seen, ``unless`` is
    where it does not apply. ``base`` is its worth before any outcome. ``proved``: held-out runs show that it helps.
    Pinned entries are neither held out nor archived.
    """

    id: str
    kind: str
    text: str
    _: KW_ONLY
    advice: str = ""
    when: tuple[str, ...] = ()
    unless: str = ""
    keys: tuple[str, ...] = ()
    scope: str = "project"
    project: str = ""
    category: str = ""
    origin: str = "repair"
    trust: Trust = Trust.MODEL
    proofs: tuple[EntryEvidence, ...] = ()
    base: float = 0.5
    standing: LearningStatus = LearningStatus.PROBATION
    since: str = ""
    until: str = ""
    superseded_by: str = ""
    pinned: bool = False
    proved: bool = False
    reason: str = field(default="", compare=False)

    @property
    def is_untrusted(self) -> bool:
        """Whether it is shown as data: not approved, and not proved or taken from a source."""
        return self.trust is not Trust.PERSON and not (self.proved and not self.is_from_source)

    @property
    def is_from_source(self) -> bool:
        """Whether it was read from a page, a tool, a file or a message: no proof makes it an instruction."""
        return self.trust < Trust.MODEL

    @property
    def has_no_advice(self) -> bool:
        """Whether it only says what happened often, without advice."""
        return self.origin == "pattern"

    @property
    def is_live(self) -> bool:
        """Whether it may be shown at all."""
        return self.standing in LIVE and not self.until and not self.superseded_by

    @property
    def stance(self) -> str:
        """What it says to do: where another number, name or negation makes another opinion."""
        return self.advice or self.text

    @property
    def tokens(self) -> int:
        """The size of its line in a prompt."""
        return -(-len(self.text) // CHARACTERS_PER_TOKEN) + OVERHEAD_TOKENS

    @property
    def own_words(self) -> frozenset[str]:
        """Its words that also occur in the tasks in which it was seen."""
        return stem_terms(self.text) & {word for task in self.when for word in stem_terms(task)}

    @property
    def check(self) -> str:
        """The one check that was fixed each time that it was seen, unless a rule is more specific."""
        fixed = [proof.fixed_checks for proof in self.proofs if proof.fixed_checks]
        common = frozenset.intersection(*fixed) if fixed else frozenset[str]()
        rules = {proof.rule for proof in self.proofs} - {""}
        return next(iter(common)) if len(common) == 1 and rules <= common else ""

    @property
    def topic(self) -> frozenset[str]:
        """The words that it shares with the tasks in which it was seen."""
        return task_words(self.text, self.when)


@lru_cache(maxsize=16_384)
def task_words(text: str, when: tuple[str, ...]) -> frozenset[str]:
    """Return the words of tasks in a text; for many tasks, also recurring ones."""
    counted = Counter(word for task in when for word in stem_terms(task))
    own = stem_terms(text) & counted.keys()
    again = {
        word for word, count in counted.items() if count >= min(2, len(when)) and count * RECURRING_SHARE >= len(when)
    }
    return own | again if len(when) >= MIN_TASKS or not own else own


def entry_id(kind: str, text: str, project: str) -> str:
    """Return the id of an entry: equal whenever the same is learned in the same project."""
    return blake2b(f"{kind}\0{project}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()


def shorten(text: str, limit: int = MAX_TEXT_CHARACTERS) -> str:
    """Shorten a text to one line, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0] + "…"


def entry_from_learning(learning: Learning, since: str = "", project: str = "") -> LearningEntry:
    """Make an entry from what another plugin learned."""
    trust = Trust.PAGE if learning.untrusted else Trust.PERSON if learning.origin == "user" else Trust.MODEL
    claimed = learning.status is LearningStatus.ACTIVE and trust is not Trust.PERSON
    return LearningEntry(
        learning.id,
        "heuristic" if learning.kind == "pattern" else learning.kind,
        shorten(learning.text),
        keys=learning.keys,
        scope=learning.scope,
        project=project,
        origin=learning.origin,
        trust=trust,
        standing=LearningStatus.PROBATION if claimed else learning.status,
        since=since,
        superseded_by=learning.superseded_by,
    )


def learning_from_entry(entry: LearningEntry, **figures: Any) -> Learning:
    """Convert an entry to a Learning, with its figures."""
    return Learning(
        entry.id,
        entry.kind,
        entry.text,
        keys=entry.keys,
        scope=entry.scope,
        origin=entry.origin,
        evidence=tuple(dict.fromkeys(proof.run for proof in entry.proofs)),
        status=entry.standing,
        untrusted=entry.is_untrusted,
        superseded_by=entry.superseded_by,
        **figures,
    )


def archive_entry(entry: LearningEntry, at: str, reason: str, *, by: str = "") -> LearningEntry:
    """Archive an entry; nothing is ever deleted."""
    return replace(
        entry,
        standing=LearningStatus.ARCHIVED,
        proved=False,
        until=entry.until or at,
        reason=reason,
        superseded_by=by or entry.superseded_by,
    )
