"""Represent an entry: one thing worth knowing next time, and its origin."""

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from openkoi_hookspecs import Learning, LearningStatus

from .words import terms

LONGEST = 200
LIVE = (LearningStatus.PROBATION, LearningStatus.ACTIVE)
OVERHEAD = 4
MANY, OFTEN = 3, 4
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
        """What it is about, as findings are told apart."""
        return self.rule, self.where, self.finding

    @property
    def mended(self) -> frozenset[str]:
        """Names of the checks that failed before and passed after."""
        return frozenset(self.before) - frozenset(self.after)


@dataclass(frozen=True, slots=True)
class LearningEntry:
    """One thing worth knowing, with all that is known about it but for its outcomes, which are counted from the log.

    ``advice`` is the part of the text that says what to do, where the rest is what was wrong. ``when`` are the tasks in
    which it was seen, ``unless`` is where it does not hold. ``base`` is what it is worth
    before any outcome. ``proved``: runs that went with it and without it show that it helps. What is ``pinned`` is
    neither withheld nor put away.
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
        return self.trust is not Trust.PERSON and not (self.proved and not self.read)

    @property
    def read(self) -> bool:
        """Whether it was read from a page, a tool, a file or a message: no proof makes it an instruction."""
        return self.trust < Trust.MODEL

    @property
    def bare(self) -> bool:
        """Whether it only says what happened often, and not what to do about it."""
        return self.origin == "pattern"

    @property
    def live(self) -> bool:
        """Whether it may be shown at all."""
        return self.standing in LIVE and not self.until and not self.superseded_by

    @property
    def stance(self) -> str:
        """What it says to do: the part in which another number, name or negation is another opinion."""
        return self.advice or self.text

    @property
    def tokens(self) -> int:
        """What it costs to show it."""
        return -(-len(self.text) // CHARACTERS_PER_TOKEN) + OVERHEAD

    @property
    def own(self) -> frozenset[str]:
        """The words that it has of the tasks in which it was seen."""
        return terms(self.text) & {word for task in self.when for word in terms(task)}

    @property
    def check(self) -> str:
        """The one check that was mended each time that it was seen, where no rule tells more."""
        mended = [proof.mended for proof in self.proofs if proof.mended]
        common = frozenset.intersection(*mended) if mended else frozenset[str]()
        rules = {proof.rule for proof in self.proofs} - {""}
        return next(iter(common)) if len(common) == 1 and rules <= common else ""

    @property
    def topic(self) -> frozenset[str]:
        """What it is about: the words that it has in common with the tasks in which it was seen."""
        return task_words(self.text, self.when)


@lru_cache(maxsize=16_384)
def task_words(text: str, when: tuple[str, ...]) -> frozenset[str]:
    """Return the words of tasks in a text; for many tasks, also recurring ones."""
    counted = Counter(word for task in when for word in terms(task))
    own = terms(text) & counted.keys()
    again = {word for word, count in counted.items() if count >= min(2, len(when)) and count * OFTEN >= len(when)}
    return own | again if len(when) >= MANY or not own else own


def name_of(kind: str, text: str, project: str) -> str:
    """The id of an entry: the same wherever the same thing is learned in the same project."""
    return blake2b(f"{kind}\0{project}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()


def short(text: str, longest: int = LONGEST) -> str:
    """One line of at most so many characters, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rsplit(" ", 1)[0] + "…"


def entry_of(learning: Learning, since: str = "", project: str = "") -> LearningEntry:
    """Take in what another plugin learned: nothing is known of it but what it says."""
    trust = Trust.PAGE if learning.untrusted else Trust.PERSON if learning.origin == "user" else Trust.MODEL
    claimed = learning.status is LearningStatus.ACTIVE and trust is not Trust.PERSON
    return LearningEntry(
        learning.id,
        "heuristic" if learning.kind == "pattern" else learning.kind,
        short(learning.text),
        keys=learning.keys,
        scope=learning.scope,
        project=project,
        origin=learning.origin,
        trust=trust,
        standing=LearningStatus.PROBATION if claimed else learning.status,
        since=since,
        superseded_by=learning.superseded_by,
    )


def learning_of(entry: LearningEntry, **figures: Any) -> Learning:
    """An entry as everyone knows it, with its figures."""
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


def put_away(entry: LearningEntry, at: str, reason: str, *, by: str = "") -> LearningEntry:
    """Archive an entry; nothing is ever deleted."""
    return replace(
        entry,
        standing=LearningStatus.ARCHIVED,
        proved=False,
        until=entry.until or at,
        reason=reason,
        superseded_by=by or entry.superseded_by,
    )
