"""Declare the hooks (hookspecs) that a plugin may implement.

To implement one, write a function of its name, marked ``@hookimpl``, with any of its parameters: ``def`` if it is
quick, ``async def`` if it waits. None always means: nothing to add. The return type determines how results combine:

    the type of the first parameter    replacement: each implementation receives what the previous one returned
    sections, learnings                collection: all are used, in order
    a permission                       the strictest applies
    None                               notification: the result is not used

The order is ``tryfirst``, then by name, then ``trylast``; the configuration may set another. Facts are frozen and may
be kept. An implementation that raises, times out or returns the wrong type is reported by name and skipped.
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
    """Called when no model is configured, or its key is missing. Return the providers that you found, best first.

    Do not ask the user or save anything here: for a key of another program, set the ``consent`` that it needs.
    """
    return None


@hookspec
def after_recall(recall: Recall, task: Task, run: Run) -> HookReturn[Recall]:
    """Called once, after memory was searched. Return the hits to show: fewer of them, or in another order."""
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
    """Called before each execution. Return sections for this iteration only; they follow the cached prompt."""
    return None


@hookspec
def before_tool(call: ToolCall, tool: Tool, run: Run) -> HookReturn[Permission]:
    """Called before each tool call, including parallel ones. Return Allow, Ask or Deny."""
    return None


@hookspec
def after_tool(result: ToolResult, call: ToolCall, run: Run) -> HookReturn[ToolResult]:
    """Called with each result, before the model sees it. Return another result to replace it."""
    return None


@hookspec
def after_execute(work: ExecutionResult, run: Run) -> HookReturn[ExecutionResult]:
    """Called after each execution. Return work with a different text to replace the answer; the rest is ignored."""
    return None


@hookspec
def before_evaluate(work: ExecutionResult, run: Run) -> HookReturn[Sequence[Section]]:
    """Called before each evaluation. Return criteria for the judges; they arrive as ``work.criteria``."""
    return None


@hookspec
def after_evaluate(evaluation: Evaluation, work: ExecutionResult, run: Run) -> HookReturn[Evaluation]:
    """Called with the merged evaluation. Return a stricter one to replace it: lower scores, more findings.

    A more lenient one is ignored with a warning: no failing check, blocker or score can be removed or raised.
    """
    return None


@hookspec
def before_learn(result: Result, run: Run) -> HookReturn[Sequence[Learning]]:
    """Called once, after the result was returned. Return what to learn from the run; the user does not wait for it."""
    return None


@hookspec
def on_learning(learning: Learning, run: Run) -> HookReturn[Learning]:
    """Called for each learning before it is saved. Return a changed copy, archived to keep it from being used."""
    return None


@hookspec
def on_pattern(pattern: Pattern, koi: Koi) -> HookReturn[Pattern]:
    """Called by ``koi.propose``, for each pattern that a plugin found. Return a changed or dropped copy."""
    return None


@hookspec
def message_received(message: Post, koi: Koi) -> HookReturn[Post]:
    """Called by ``koi.receive``, for each post from an app before it is acted on. Return a changed or dropped copy."""
    return None


@hookspec
def message_sending(message: Post, koi: Koi) -> HookReturn[Post]:
    """Called by ``koi.send``, for each post to an app and each edit of one. Return a changed or dropped copy."""
    return None


@hookspec
def on_event(event: Event, run: Run) -> None:
    """Called for every event after it is logged. Be quick: the run waits.

    An implementation whose ``event`` is annotated with some kinds, as in ``event: TaskStarted | RunCompleted``, is only
    called for those.
    """
