"""Questions to the user, and their answers."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Protocol

from .lazy_dataclass import dataclass

YES, NO = YES_OR_NO = ("yes", "no")  # the choices of a question, and the answers to it
YES_WORDS = frozenset({"y", YES, "allow", "approve"})
NO_WORDS = frozenset({"n", NO, "deny", "reject"})


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the user must answer.

    The same ``digest`` means the same question: use a hash of the content that the user decides about. With ``keep``
    the answer is consent: it is kept for all later runs and processes, and the user is not asked again while the digest
    stays the same. Changed content has a different digest, so the user is asked again. ``by_flag``: the option
    ``--yes`` may answer for the user.
    """

    text: str
    _: KW_ONLY
    choices: tuple[str, ...] = ()
    secret: bool = False
    digest: str = ""
    keep: bool = False
    by_flag: bool = False

    @property
    def identity(self) -> str:
        """Identify what is asked: the same for the same question."""
        return self.digest or self.text

    def is_decided_by(self, answer: str) -> bool:
        """Whether an answer is one of those that the question wants."""
        words = {choice.strip().lower() for choice in self.choices}
        return not words or is_yes(answer) or is_no(answer) or answer.strip().lower() in words


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question without an answer. ``at`` is the time in UTC (ISO 8601).

    ``run`` is the run that asks, ``outermost`` the task's run that it is a part of, ``session`` the session of its log;
    all are empty when a program asks outside runs. ``alive``: an answer arrives at once, because the run is active in
    this process or another one; an answer to any other question is used when its run is resumed.
    """

    id: str
    run: str
    at: str
    question: Question
    _: KW_ONLY
    outermost: str = ""
    session: str = ""
    alive: bool = False


@dataclass(frozen=True, slots=True)
class Consent:
    """A stored answer to the question ``text`` about the content that ``digest`` identifies.

    ``at`` is UTC in ISO 8601.
    """

    id: str
    text: str
    answer: str
    at: str
    digest: str


def is_yes(answer: str | None) -> bool:
    """Whether an answer allows what was asked about."""
    return (answer or "").strip().lower() in YES_WORDS


def is_no(answer: str | None) -> bool:
    """Whether an answer refuses what was asked about, with a reason after a colon or without one."""
    return (answer or "").strip().lower().partition(":")[0] in NO_WORDS


class Questions(Protocol):
    """Stores questions until they are answered, by any process. Group ``openkoi.questions``; one is chosen.

    The kernel calls ``put``, then ``wait``, and ``remove`` once it has the answer or no longer needs one.
    """

    async def put(self, question: PendingQuestion) -> str | None:
        """Store a question, unless one with its id is stored; return its answer if it has one already."""

    async def wait(self, id: str) -> str:
        """Wait until the question is answered; return the answer. If this is cancelled, the question stays."""

    async def pending(self) -> Sequence[PendingQuestion]:
        """Return the questions without an answer, oldest first; ``alive`` is left to the kernel."""

    async def answer(self, id: str, answer: str) -> None:
        """Store the answer to a question, and let ``wait`` return; the first answer wins.

        Raises PluginNotFoundError if no unanswered question has this id.
        """

    async def remove(self, id: str) -> None:
        """Delete a question and its answer; ignore an unknown id."""
