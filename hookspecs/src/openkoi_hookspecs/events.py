"""Events of a run, as they are logged and passed to listeners.

Each event holds only what is its own; the ids, the time and the run are those of the record it is written in.
A plugin may add events: a subclass whose name begins with the plugin's own and a dot.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from .evaluation import Baseline, Evaluation, EvaluationMode, ExecutionResult
from .events_base import Event as Event
from .events_base import Record as Record
from .events_base import UnknownEvent as UnknownEvent
from .events_model import ModelDelta as ModelDelta
from .events_model import ModelFallback as ModelFallback
from .events_model import ModelRequest as ModelRequest
from .events_model import ModelResponse as ModelResponse
from .events_model import ModelResponseBroken as ModelResponseBroken
from .events_model import Paid as Paid
from .events_plugins import ControlOutcome as ControlOutcome
from .events_plugins import GitRefChanged as GitRefChanged
from .events_plugins import JudgeVoted as JudgeVoted
from .events_plugins import OutsideFileWritten as OutsideFileWritten
from .events_plugins import SkippedFolderChanged as SkippedFolderChanged
from .events_tool import ToolCallFinished as ToolCallFinished
from .events_tool import ToolCallStarted as ToolCallStarted
from .events_tool import ToolResultsReady as ToolResultsReady
from .iteration import Decision, Facts, Plan
from .lazy_dataclass import dataclass
from .memory import Learning, Recall
from .model import Message
from .patterns import PatternProposed as PatternProposed
from .patterns import UsageRecorded as UsageRecorded
from .plugin_entry import HookActivity
from .run_summary import RunState
from .task import Cost, Task
from .workspace import BaselineSaved as BaselineSaved
from .workspace import ConversationRewound as ConversationRewound
from .workspace import RunForked as RunForked
from .workspace import WorkspaceRestored as WorkspaceRestored

WORDS = "words"
INTERRUPTED = RunState.INTERRUPTED.value


@dataclass(frozen=True, slots=True)
class TaskStarted(Event):
    """The first record of a run. ``model`` is the executor's, as ``provider/model``.

    ``models`` are the models from the command line, by setting: resume and fork use them again. ``origin`` says where
    the executor's model was found, if it was not configured; ``first``: it was found for the first task ever run.
    """

    name = "task.start"
    task: Task
    model: str = ""
    workspace: str = ""
    origin: str = ""
    first: bool = False
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecallFinished(Event):
    """The search results from memory that the model sees."""

    name = "recall"
    batched = True
    recall: Recall


@dataclass(frozen=True, slots=True)
class PlanReady(Event):
    """The plan, with every section and its source."""

    name = "plan"
    batched = True
    plan: Plan


@dataclass(frozen=True, slots=True)
class MessageAdded(Event):
    """A message that the run, not the model, added to the conversation.

    ``new_conversation``: the message begins a new conversation. ``from_user``: the user wrote it during the run.
    """

    name = "message"
    batched = True
    message: Message
    new_conversation: bool = False
    from_user: bool = False


@dataclass(frozen=True, slots=True)
class CycleStarted(Event):
    """A cycle of the inner loop starts: one model call and the tools it requests. Cycles are counted from zero."""

    name = "cycle.start"
    durable = False
    cycle: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class QuestionAsked(Event):
    """The user is asked a question, which an attached frontend shows, or which can be answered by its id."""

    name = "question"
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class QuestionAnswered(Event):
    """The user's answer; None if the user gave none, and the run continues without it."""

    name = "question.answer"
    id: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class PathsApproved(Event):
    """The user allowed a call that changes these absolute paths, so commands of the run may change them as well."""

    name = "paths.approved"
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryCompacted(Event):
    """The oldest turns were removed from the conversation: how many, and how many calls of each tool they contained.

    ``media`` counts the images and files that were removed, also from turns that are still there. ``before`` and
    ``after`` are the estimated tokens of the conversation. The tool ``read_history`` reads what was removed.
    """

    name = "history.compressed"
    turns: int = 0
    tools: Mapping[str, int] = field(default_factory=dict)
    before: int = 0
    after: int = 0
    media: int = 0


@dataclass(frozen=True, slots=True)
class ChecksBaseline(Event):
    """The results of an evaluator's checks before the run changed anything."""

    name = "checks.baseline"
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class InnerLoopEnded(Event):
    """Why the inner loop ended."""

    name = "run.terminated_by"
    batched = True
    reason: str


@dataclass(frozen=True, slots=True)
class ExecutionFinished(Event):
    """The outcome of an execution."""

    name = "work"
    batched = True
    work: ExecutionResult


@dataclass(frozen=True, slots=True)
class RequestClassified(Event):
    """Whether the task asks for nothing to be made or changed; decided after work that changed nothing.

    ``by`` is what decided it: the task's words, or a model in this role; ``reason`` is its answer, or why it has none.
    """

    name = "request.classified"
    question: bool
    by: str = WORDS
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationFinished(Event):
    """The merged evaluation of all evaluators.

    If no judge gave a score, ``checkpoint`` is the workspace as the evaluators left it, for a later verdict.
    """

    name = "evaluation"
    batched = True
    evaluation: Evaluation
    evaluators: tuple[str, ...] = ()
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class IterationFinished(Event):
    """An iteration is complete: its score and its own cost. Iterations are counted from zero."""

    name = "iteration"
    batched = True
    iteration: int
    score: float | None
    cost: Cost
    mode: EvaluationMode = EvaluationMode.FULL


@dataclass(frozen=True, slots=True)
class DecisionMade(Event):
    """What happens after an iteration, what was spent until then, and the facts that the decision is based on."""

    name = "decision"
    iteration: int
    decision: Decision
    cost: Cost
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True)
class RunCompleted(Event):
    """The run has a result. ``best`` is the index of the iteration whose files are in the workspace."""

    name = "run.completed"
    decision: Decision
    cost: Cost
    best: int = 0
    iterations: int = 1


@dataclass(frozen=True, slots=True)
class RunResumed(Event):
    """An unfinished run is resumed; work that stopped because the user could not be asked is repeated.

    ``models`` are the models set on the command lines, by setting. Another resume or fork uses them again.
    """

    name = "run.continued"
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunFailed(Event):
    """The run ended without a result: interrupted, or no model answered. ``files`` are the files that it changed."""

    name = "run.failed"
    reason: str
    files: tuple[str, ...] = ()

    @property
    def interrupted(self) -> bool:
        """Whether the user, or the program that started the run, ended it."""
        return self.reason == INTERRUPTED

    @property
    def state(self) -> RunState:
        """The state of the run: interrupted or failed."""
        return RunState.INTERRUPTED if self.interrupted else RunState.FAILED


@dataclass(frozen=True, slots=True)
class LearningSaved(Event):
    """A learning in its current state; memory keeps the latest state of each learning."""

    name = "learning.saved"
    learning: Learning


@dataclass(frozen=True, slots=True)
class HookReturned(Event):
    """What a plugin returned from a hook, unless None; ``kind`` is its type, such as Deny, or empty for a sequence."""

    name = "hook.answered"
    durable = False
    hook: str
    plugin: str
    microseconds: int
    answer: Any
    kind: str = ""


@dataclass(frozen=True, slots=True)
class HooksCalled(Event):
    """How each implementation of a hook was called in this run; those that were not called are omitted."""

    name = "hooks.called"
    durable = False
    activity: tuple[HookActivity, ...]


@dataclass(frozen=True, slots=True)
class WarningIssued(Event):
    """Something works only partly: what happened, where, and what to do."""

    name = "warning"
    text: str
