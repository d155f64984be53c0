"""The hooks that a plugin may implement.

Implement one by writing a function of its name, marked ``@hookimpl``, with any of its parameters: ``def`` if it is
quick, ``async def`` if it waits. None is always an answer: nothing to add. The signature says how answers combine:

    the type of the first parameter    a replacement: each implementation sees what the one before it made
    sections, learnings                contributions: all are taken, in order
    a verdict                          the strictest holds
    None                               a notification: no answer is used

The order is ``tryfirst``, then by name, then ``trylast``; the configuration may name another. Facts are frozen and may
be kept. An implementation that raises, is late or answers something else is reported by name and skipped.
"""

from collections.abc import Sequence

from pluggy import HookimplMarker, HookspecMarker

from .evaluation import Evaluation, ExecutionResult
from .events_base import Event
from .iteration import Plan, Result
from .memory import Learning, Recall
from .model import DiscoveredProvider
from .patterns import Pattern
from .posts import Post
from .prompt import Section
from .run import HookReturn, Koi, Run
from .task import Task
from .tool import Permission, Tool, ToolCall, ToolResult

hookspec = HookspecMarker("openkoi")
hookimpl = HookimplMarker("openkoi")


@hookspec
def find_models(koi: Koi) -> HookReturn[Sequence[DiscoveredProvider]]:
    """Called when no model is configured, or the key of one is missing. Return ways to a model, the best first.

    The user is not asked here, and nothing is saved: a key of another program is shown with the ``consent`` it needs.
    """
    return None


@hookspec
def after_recall(recall: Recall, task: Task, run: Run) -> HookReturn[Recall]:
    """Called once, when memory has answered. Return what of it to show: fewer hits, or in another order."""
    return None


@hookspec
def before_plan(task: Task, recall: Recall, run: Run) -> HookReturn[Sequence[Section]]:
    """Called once, before the plan is made. Return sections for the prompt of the whole run."""
    return None


@hookspec
def after_plan(plan: Plan, task: Task, run: Run) -> HookReturn[Plan]:
    """Called once, with the plan and every section in it. Return another plan to replace it."""
    return None


@hookspec
def before_execute(plan: Plan, run: Run) -> HookReturn[Sequence[Section]]:
    """Called before each execution. Return sections for this iteration only; they stand after all that is cached."""
    return None


@hookspec
def before_tool(call: ToolCall, tool: Tool, run: Run) -> HookReturn[Permission]:
    """Called before each tool call, also parallel ones. Return Allow, Ask or Deny."""
    return None


@hookspec
def after_tool(result: ToolResult, call: ToolCall, run: Run) -> HookReturn[ToolResult]:
    """Called with each result, before the model sees it. Return another to replace it."""
    return None


@hookspec
def after_execute(work: ExecutionResult, run: Run) -> HookReturn[ExecutionResult]:
    """Called after each execution. Return work with another text to replace the last words; the rest is ignored."""
    return None


@hookspec
def before_evaluate(work: ExecutionResult, run: Run) -> HookReturn[Sequence[Section]]:
    """Called before each evaluation. Return criteria for the judges; they arrive as ``work.criteria``."""
    return None


@hookspec
def after_evaluate(evaluation: Evaluation, work: ExecutionResult, run: Run) -> HookReturn[Evaluation]:
    """Called with the merged evaluation. Return a stricter one to replace it: with lower scores, more findings.

    One that would be easier to accept is ignored with a warning: no failing check, blocker or score can be removed or
    raised.
    """
    return None


@hookspec
def before_learn(result: Result, run: Run) -> HookReturn[Sequence[Learning]]:
    """Called once, when the result is out. Return what the run taught; the user does not wait for it."""
    return None


@hookspec
def on_learning(learning: Learning, run: Run) -> HookReturn[Learning]:
    """Called for each learning before it is saved. Return it changed, or archived to keep it from being used."""
    return None


@hookspec
def on_pattern(pattern: Pattern, koi: Koi) -> HookReturn[Pattern]:
    """Called by ``koi.propose``, for each pattern that a plugin found. Return it changed, or dropped."""
    return None


@hookspec
def message_received(message: Post, koi: Koi) -> HookReturn[Post]:
    """Called by ``koi.receive``, for each post from an app before it is acted upon. Return it changed, or dropped."""
    return None


@hookspec
def message_sending(message: Post, koi: Koi) -> HookReturn[Post]:
    """Called by ``koi.send``, for each post to an app and each edit of one. Return it changed, or dropped."""
    return None


@hookspec
def on_event(event: Event, run: Run) -> None:
    """Called for every event after it is logged. Be quick: the run waits.

    An implementation whose ``event`` is annotated with some kinds, as in ``event: TaskStarted | RunCompleted``, is only
    called for those.
    """
