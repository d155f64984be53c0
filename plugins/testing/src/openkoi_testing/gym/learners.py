"""Reference learners: no memory, a plain ledger, the informed learner that is the yardstick, and the oracle."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import field
from math import log
from typing import Protocol

from openkoi_hookspecs import Iteration, Result
from openkoi_hookspecs.lazy_dataclass import dataclass

from .world import Claim, GymTask, Truth

FORGETS = 0.9  # weight that older evidence of the informed learner keeps with each newer one, because worlds drift
WRONG_VALUES = 3  # that the informed learner reckons with for each subject
QUARANTINE = 2  # harmful uses in a row after which the plain ledger drops an entry


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item that a learner may show: its text, its project, and whether the learner is sure of it."""

    project: str
    text: str
    active: bool = True
    live: bool = True


@dataclass(frozen=True, slots=True)
class Memory:
    """What a learner knew when it was asked, archived items too, and the texts of those that it held out."""

    items: Collection[KnownItem] = ()
    held_out: Collection[str] = ()


class Learner(Protocol):
    """A learner, which is asked before the first attempt, and sees the run when it is over."""

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return the lines to show beside a task."""

    async def learn(self, task: GymTask, result: Result) -> None:
        """Take in a finished run."""

    def items(self) -> Collection[KnownItem]:
        """Return the items that it may show now."""

    def memory(self) -> Memory:
        """Return its knowledge, for the report of causes."""


class NoMemory:
    """Remember nothing."""

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return nothing."""
        return ()

    async def learn(self, task: GymTask, result: Result) -> None:
        """Take in nothing."""

    def items(self) -> Collection[KnownItem]:
        """Return nothing."""
        return ()

    def memory(self) -> Memory:
        """Return nothing."""
        return Memory()


@dataclass(slots=True)
class Oracle(NoMemory):
    """Know everything that is right."""

    truth: Truth

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return the right values for the task."""
        return [self.truth.advise(one, self.truth.right(task.project, one)) for one in self.truth.needs(task)]


@dataclass(slots=True)
class PlainLedger(NoMemory):
    """Keep the last advice about each subject; drop it when it harms twice in a row. True subjects are its keys."""

    truth: Truth
    advice: dict[tuple[str, str], str] = field(default_factory=dict)
    harm: defaultdict[tuple[str, str, str], int] = field(default_factory=lambda: defaultdict(int))

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return the advice about the subjects of a task."""
        known = [(one, self.advice.get((task.project, one))) for one in self.truth.needs(task)]
        return [self.truth.advise(one, value) for one, value in known if value]

    async def learn(self, task: GymTask, result: Result) -> None:
        """Credit what was shown by the first attempt, then keep the advice that was followed last."""
        blamed = blamed_subjects(self.truth, task, result.iterations[0])
        for subject in self.truth.needs(task):
            key = task.project, subject
            if value := self.advice.get(key):
                self.harm[*key, value] = self.harm[*key, value] + 1 if subject in blamed else 0
                if self.harm[*key, value] >= QUARANTINE:
                    del self.advice[key]
        for one in result.iterations:
            for claim in find_advice(self.truth, task, one):
                if self.harm[task.project, claim.subject, claim.value] < QUARANTINE:
                    self.advice.setdefault((task.project, claim.subject), claim.value)


@dataclass(slots=True)
class InformedLearner(NoMemory):
    """See the same evidence in the same order, and know the true subjects and noise rates, but nothing else.

    Of each subject's values the likeliest is shown, from all advice and every attempt, with Bayes' rule.
    """

    truth: Truth
    weights: defaultdict[tuple[str, str], dict[str, float]] = field(default_factory=lambda: defaultdict(dict))

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return the likeliest value of each subject that the task needs, if it is likelier than an unknown one."""
        lines = []
        for subject in self.truth.needs(task):
            known = self.weights.get((task.project, subject), {})
            value = max(known, key=lambda one: known[one], default="")
            if value and known[value] > 0:
                lines.append(self.truth.advise(subject, value))
        return lines

    async def learn(self, task: GymTask, result: Result) -> None:
        """Weigh the advice, the passed values, and those called wrong."""
        wrong, noise = max(0.01, self.truth.wrong_advice), max(0.01, self.truth.noise)
        for number, one in enumerate(result.iterations):
            for claim in find_advice(self.truth, task, one):
                self.weigh(task, claim.subject, claim.value, log((1 - wrong) * WRONG_VALUES / wrong))
            blamed = blamed_subjects(self.truth, task, one)
            for claim in self.truth.claims(work_of(one), task):
                if claim.subject in blamed:
                    self.weigh(task, claim.subject, claim.value, log(noise if number == 0 else 0.01))
                elif one.evaluation is not None:
                    self.weigh(task, claim.subject, claim.value, log(1 / noise))

    def weigh(self, task: GymTask, subject: str, value: str, more: float) -> None:
        """Add evidence for or against a value; older evidence about its subject fades."""
        known = self.weights[task.project, subject]
        for other in known:
            known[other] *= FORGETS
        known[value] = known.get(value, 0.0) + more


def work_of(one: Iteration) -> str:
    """Return the result of an attempt: its answer, and the lines that it added to files."""
    added = [line[1:] for line in one.work.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    return "\n".join([one.work.text, *added])


def find_advice(truth: Truth, task: GymTask, one: Iteration) -> list[Claim]:
    """Return the values that the findings of an iteration advise."""
    found = one.evaluation.findings if one.evaluation else ()
    texts = (f"{each.title}\n{each.detail}\n{each.fix}" for each in found)
    return [claim for text in texts for claim in truth.claims(text, task) if not claim.denied]


def blamed_subjects(truth: Truth, task: GymTask, one: Iteration) -> frozenset[str]:
    """Return the subjects that the findings of an iteration are about."""
    found = one.evaluation.findings if one.evaluation else ()
    return frozenset(truth.subject_of(each, task) for each in found) - {""}
