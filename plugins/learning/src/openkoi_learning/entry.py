"""Represent an entry, such as a lesson: one thing worth knowing next time, and its origin."""

from dataclasses import KW_ONLY, field, replace
from enum import IntEnum
from hashlib import blake2b
from typing import Any

from openkoi_hookspecs import Learning, LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import find_content, terms_of
from .thresholds import OVERHEAD_TOKENS

MAX_TEXT_CHARACTERS = 200
LIVE = (LearningStatus.PROBATION, LearningStatus.ACTIVE)
REWOUND = "the conversation was rewound"  # why an entry ended that came from what the user removed
RESTORED = "restored by the user"  # why an archived entry is measured from the beginning again
SAME = "the same as"  # why an entry ended that another one repeats
FIXED_BY = "fixed by "  # how the advice begins that a line gave, not words
PAST_TASKS = "past_tasks"  # the origin of an entry that stands for the past tasks of a project
FROM_FINDING = "finding"  # the origin of an entry that only stands for a finding, to compare it
CHECK = "check "  # how a subject begins that is a check
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
    """Why an entry exists: where it was seen, what was found, the line that was ``replaced``, and the failing checks.

    ``checked``: the evaluator that reported the finding also reported a check, which passed in the next iteration.
    """

    run: str
    iteration: int = 0
    rule: str = ""
    where: str = ""
    finding: str = ""
    diff: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    replaced: str = ""
    replacement: str = ""
    checked: bool = False

    @property
    def subject(self) -> tuple[str, str, str]:
        """The finding that led to the entry: rule, place and title."""
        return self.rule, self.where, self.finding


@dataclass(frozen=True, slots=True)
class LearningEntry:
    """One thing worth knowing, without its outcomes, which are counted from the log.

    ``advice`` is the part of the text that says what to do, and ``content`` what a work shows that follows it.
    ``subject`` is what it is about, whatever it says: entries with the same one are alternatives. ``when`` are the
    tasks in which it was seen, ``unless`` is where it does not apply. ``base`` is its worth before any outcome.
    ``proved``: held-out runs show that it helps. ``withdrawn``: its trust was reset because the user dismissed it
    after an approval. Pinned entries are neither held out nor archived.
    """

    id: str
    kind: str
    text: str
    _: KW_ONLY
    advice: str = ""
    content: tuple[str, ...] = ()
    subject: str = ""
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
    withdrawn: bool = False
    reason: str = field(default="", compare=False)

    @property
    def is_untrusted(self) -> bool:
        """Whether it is shown as data: it is neither approved nor pinned, and is unproved or comes from a source."""
        confirmed = self.pinned or self.trust is Trust.PERSON
        return self.is_past_tasks or (not confirmed and not (self.proved and not self.is_from_source))

    @property
    def is_past_tasks(self) -> bool:
        """Whether it represents the past tasks of a project, which are shown instead of it, and do not fade."""
        return self.origin == PAST_TASKS

    @property
    def is_from_source(self) -> bool:
        """Whether it was read from a page, a tool, a file or a message: no proof makes it an instruction."""
        return self.trust < Trust.MODEL

    @property
    def is_opinion(self) -> bool:
        """Whether it was never confirmed, neither by a check nor by the user."""
        return self.trust < Trust.CHECK

    @property
    def has_no_advice(self) -> bool:
        """Whether it only states what happened often, without advice."""
        return self.origin == "pattern"

    @property
    def is_live(self) -> bool:
        """Whether it may be shown at all."""
        return self.standing in LIVE and not self.until and not self.superseded_by

    @property
    def stance(self) -> str:
        """The advice in it; another number, name or negation there makes it a different opinion."""
        return self.advice or self.text

    @property
    def fixing_line(self) -> str:
        """Its advice if that is only a line that fixed something; empty if it is in words, or the line was cut."""
        return self.advice if self.advice.startswith(FIXED_BY) and "…" not in self.advice else ""

    @property
    def tokens(self) -> int:
        """The size of its line in a prompt."""
        return -(-len(self.text) // CHARACTERS_PER_TOKEN) + OVERHEAD_TOKENS

    @property
    def visible_content(self) -> tuple[str, ...]:
        """What work contains that follows it; nothing if it advises against something."""
        if self.kind == "anti_pattern" or self.has_no_advice:
            return ()
        return self.content or find_content(self.stance)

    @property
    def forbidden_content(self) -> tuple[str, ...]:
        """What a work shows that does what this warns of."""
        if self.kind != "anti_pattern" or self.has_no_advice:
            return ()
        return self.content or find_content(self.stance.partition(": ")[2])

    @property
    def stated_words(self) -> frozenset[str]:
        """The words that it shares with all tasks that taught it, which are the conditions that it states."""
        return terms_of(self.text).intersection(*map(terms_of, self.when)) if self.when else frozenset()

    @property
    def check(self) -> str:
        """The check that it is about; empty if that is not known."""
        return self.subject.removeprefix(CHECK).partition("\n")[0] if self.subject.startswith(CHECK) else ""

    @property
    def topic(self) -> str:
        """Its subject, or else its own id."""
        return self.subject or self.id


def entry_id(kind: str, text: str, project: str) -> str:
    """Return the id of an entry; it is the same if the same is learned again in the project."""
    return blake2b(f"{kind}\0{project}\0{text}".encode("utf-8", "replace"), digest_size=6).hexdigest()


def check_subject(check: str, place: str = "") -> str:
    """Return a check as a subject, or else the file or symbol that it reports."""
    return f"{CHECK}{check}\n{place}" if place else f"{CHECK}{check}"


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
