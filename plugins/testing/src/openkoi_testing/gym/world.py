"""Define a world to learn in: tasks, a model, an evaluator, and the truth that only the scorer may read.

A world is a sequence of tasks in one or more projects. Each task needs a few *subjects* to be handled right, such as
the date format of an invoice, and for each subject one *value* is right in that project at that time. The model does
not know most of them. The evaluator reports what is wrong, in words. A learner sees what OpenKoi sees: the task's
text, the work of each attempt, and its evaluation. It helps by putting lines of text beside the task before the first
attempt.

To write a generator of worlds, implement ``World`` and ``Truth`` in a class and give ``run_world`` an instance. Nothing
else is needed. The rules that make results comparable:

* ``next_task`` yields the tasks in order and changes the truth by itself when the world drifts.
* ``attempt`` is the model. It may use the prompt, its own fixed knowledge, and chance; never the current truth.
* ``evaluate`` is the evaluator: checks, scores and findings, right or mistaken, in whatever words.
* A drawn world is determined by its seed. Model and evaluator have random streams of their own, so that two learners
  that show the same lines get the same run.
* Words, templates and values are drawn by the generator; the learner has never seen them.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from openkoi_hookspecs import Evaluation, Finding
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class GymTask:
    """A task: its project, its words, and its kind, which becomes ``Task.category``."""

    project: str
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Everything that the model sees at an attempt.

    ``shown`` are the lines beside the task that memory and learning added. After the first attempt ``feedback`` are the
    lines of the last evaluation, and ``tried`` the earlier works of this task, oldest first.
    """

    task: GymTask
    shown: Sequence[str] = ()
    feedback: Sequence[str] = ()
    tried: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """What a line of text says about a subject: use this value, or do not (``denied``)."""

    subject: str
    value: str
    denied: bool = False


class Truth(Protocol):
    """The truth of a world. Only the scorer and the reference learners may read it, each within its limits."""

    @property
    def wrong_advice(self) -> float:
        """The share of the evaluator's findings that advise a wrong value."""

    @property
    def noise(self) -> float:
        """The share of right values that the evaluator calls wrong at a first attempt."""

    def needs(self, task: GymTask) -> Sequence[str]:
        """Return the subjects that a task needs. A subject that has an exception is two: with and without it."""

    def claims(self, text: str, task: GymTask | None = None) -> Collection[Claim]:
        """Return the claim in a text by any writer; None for a platitude.

        With a task the subjects are those of the task: with the exception where it applies.
        """

    def subject_of(self, finding: Finding, task: GymTask) -> str:
        """Return the subject of this task that a finding is about; empty if the finding is a platitude."""

    def right(self, project: str, subject: str) -> str:
        """Return the value that is right in a project now."""

    def wrong(self, project: str, subject: str) -> str:
        """Return a value of a subject that is not right in a project now, under any condition."""

    def set_right(self, project: str, subject: str, value: str) -> None:
        """Let another value be right in a project from now on."""

    def passes(self, task: GymTask, work: str) -> bool:
        """Return whether a work handles every subject of its task right, whatever the evaluator says."""

    def misleads(self, task: GymTask, line: str) -> bool:
        """Return whether a model that follows a line in this task does something wrong."""

    def advise(self, subject: str, value: str) -> str:
        """Return a line that advises a value for a subject, in words that the model understands."""


class World(Protocol):
    """A world. ``family`` groups worlds in reports, ``drifts_at`` is the number of the first task after a drift."""

    @property
    def name(self) -> str:
        """A short name, with the seed."""

    @property
    def family(self) -> str:
        """The group of similar worlds, such as ``"judge only, free text"``."""

    @property
    def drifts_at(self) -> int:
        """The number of the task before which the truth changes, or -1."""

    @property
    def path(self) -> str:
        """The file that the work is written to; empty if the work is the answer's text."""

    @property
    def truth(self) -> Truth:
        """What is right."""

    def next_task(self) -> GymTask:
        """Return the next task."""

    def attempt(self, prompt: Prompt) -> str:
        """Return the model's work."""

    def evaluate(self, task: GymTask, work: str, *, first: bool) -> Evaluation:
        """Return the evaluation of a work; ``first`` is the task's first attempt."""
