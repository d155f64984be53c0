"""Execute a turn's tool calls in parallel: each needs permission or approval, and is logged before it takes effect.

A tool call is never retried.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from time import monotonic

from openkoi_base.decision.effects import effects_of
from openkoi_base.isolation import contain_exit, copy_call, format_error, type_error_of
from openkoi_base.schema.call_texts import approval_question, format_progress, unknown_tool
from openkoi_base.schema.coerce import coerce_arguments
from openkoi_base.schema.deferred_tools import resolve_call
from openkoi_hookspecs import (
    Allow,
    Ask,
    Deny,
    Effect,
    KoiError,
    LimitExceededError,
    Permission,
    PluginError,
    Tool,
    ToolCall,
    ToolResult,
    events,
    hooks,
    is_no,
    is_yes,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_models import check_result
from openkoi_runlog import RESULT_UNKNOWN, UNAPPROVED, plugin_call_id

from .baselines import capture_baseline
from .require_checkpoint import REFUSED, may_change_files
from .run import TaskRun
from .sandbox_runner import CALL_PATHS

MAX_CALLS = 64
TOO_MANY = f"More than {MAX_CALLS} calls in one turn: this one was not run. Repeat it in the next turn if needed."
APPROVED = "the user allowed it"
UNANSWERED = "Not run: this needs the user's approval, and no answer was given."
MAX_DEPTH = 8
PLUGIN_CALLS: ContextVar[int] = ContextVar("nested calls by plugins", default=0)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A call with its result, and its tool if there is one. ``needs_user``: only the user's permission is missing."""

    call: ToolCall
    result: ToolResult
    tool: Tool | None = None
    needs_user: bool = False


async def execute_tool_calls(calls: Sequence[ToolCall], run: TaskRun) -> list[ToolOutcome]:
    """Run a turn's calls in parallel, those about a changed path in turn; return all results, in the calls' order."""
    if len(calls) == 1:
        return [await execute_tool_call(calls[0], run)]
    from openkoi_base.schema.call_order import run_in_order

    taken = [
        *calls[:MAX_CALLS],
        *(replace(call, parse_error=call.parse_error or TOO_MANY) for call in calls[MAX_CALLS:]),
    ]
    reading = {tool.name for tool in run.tools.all if tool.effect is Effect.READS}
    return await run_in_order(taken, reading, lambda call: execute_tool_call(call, run))


async def call_tool(call: ToolCall, run: TaskRun) -> ToolResult:
    """Call a tool for a plugin; raise LimitExceededError if such calls are nested too deep.

    If it needs the user's approval and gets no answer, an agent runner's work ends, to be resumed; for any other plugin
    the call has failed.
    """
    if PLUGIN_CALLS.get() >= MAX_DEPTH:
        raise LimitExceededError("nested tool calls")
    await run.list_tools()
    before = PLUGIN_CALLS.set(PLUGIN_CALLS.get() + 1)
    try:
        known = replace(call, id=plugin_call_id(call, run.activity.plugin_calls))
        outcome = await execute_tool_call(known, run, by_plugin=True)
    finally:
        PLUGIN_CALLS.reset(before)
    run.activity.needs_user = run.activity.needs_user or outcome.needs_user
    return outcome.result


async def execute_tool_call(call: ToolCall, run: TaskRun, *, by_plugin: bool = False) -> ToolOutcome:
    """Run a call once, if it may be run; log it with its result."""
    call = resolve_call(call, run.tools.all)
    tool = next((tool for tool in run.tools.all if tool.name == call.tool), None)
    known = replayed_result(call, tool, run)
    if known and known.text != RESULT_UNKNOWN:
        return ToolOutcome(call, known, tool)
    outcome = ToolOutcome(call, known, tool) if known else await execute_permitted(call, tool, run, by_plugin=by_plugin)
    await run.emit(events.ToolCallFinished(outcome.result, by_plugin))
    return outcome


async def execute_permitted(call: ToolCall, tool: Tool | None, run: TaskRun, *, by_plugin: bool) -> ToolOutcome:
    """Run a call if it is valid and permitted; otherwise the result says why it was not run."""
    if call.parse_error or tool is None:
        return ToolOutcome(call, failed_result(call, call.parse_error or unknown_tool(call, run.tools.all)))
    ends_run = run.activity.runner_working or not by_plugin
    verdict = await check_permission(call, tool, run, stays=ends_run)
    if isinstance(verdict, Ask):
        return waiting_result(call, tool, ends_run=ends_run)
    if not isinstance(verdict, Allow):
        return ToolOutcome(call, failed_result(call, verdict.reason), tool)
    if tool.effect > Effect.READS:
        await capture_baseline(run)
        if (allowed := await may_change_files(run, stays=ends_run)) is None:
            return waiting_result(call, tool, ends_run=ends_run)
        if not allowed:
            return ToolOutcome(call, failed_result(call, REFUSED), tool)
        run.touched = True
    await run.emit(events.ToolCallStarted(call, format_progress(tool, call), by_plugin))
    began = monotonic()
    before = CALL_PATHS.set(frozenset(verdict.paths if verdict.only_this_call else ()))
    brought = await invoke_tool(copy_call(call), tool, run)
    CALL_PATHS.reset(before)
    took = round((monotonic() - began) * 1000)
    result = check_result(await run.fold(hooks.after_tool, brought, call=call, run=run))
    effects = effects_of(tool, result, approved=verdict.reason == APPROVED)
    result = replace(result, call=call.id, effects=effects, milliseconds=took)
    run.effects.note(call, tool, result)
    return ToolOutcome(call, result, tool)


def waiting_result(call: ToolCall, tool: Tool, *, ends_run: bool) -> ToolOutcome:
    """Return the result of a call that waits for the user's permission; a resumed run makes the call."""
    return ToolOutcome(call, failed_result(call, UNAPPROVED if ends_run else UNANSWERED), tool, needs_user=ends_run)


def replayed_result(call: ToolCall, tool: Tool | None, run: TaskRun) -> ToolResult | None:
    """Return the call's logged result, if it was made before the run was interrupted."""
    changes = tool is not None and tool.effect > Effect.READS
    known = run.replay.pop_result(call, repeatable=not changes)
    run.touched = run.touched or (known is not None and changes)
    if known is not None and tool is not None:
        run.effects.note(call, tool, known)
    return known


async def invoke_tool(call: ToolCall, tool: Tool, run: TaskRun) -> ToolResult:
    """Return the tool's result; an error is a failed result, for the model to read."""
    try:
        with contain_exit():
            result = await run.with_deadline(tool.call(coerce_arguments(call.arguments, tool.parameters)))
    except KoiError as error:
        return failed_result(call, str(error))
    except Exception as error:  # a tool is a plugin: nothing of its may end the run
        return failed_result(call, format_error(error))
    wrong = type_error_of(result, ToolResult)
    return (
        failed_result(call, str(PluginError(tool.name, "call", f"its result is invalid: {wrong}"))) if wrong else result
    )


def failed_result(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(text, failed=True, call=call.id)


async def check_permission(call: ToolCall, tool: Tool, run: TaskRun, *, stays: bool) -> Permission:
    """Return the strictest permission of all plugins: Allow, Deny, or Ask if the user must decide and does not."""
    given = await run.collect(hooks.before_tool, call=call, tool=tool, run=run)
    plugin, strictest = max(given, key=lambda one: one[1].strictness, default=("", default_verdict(tool)))
    if isinstance(strictest, Deny):
        return Deny(f"Rejected by {plugin}: {strictest.reason or 'it is not allowed'}")
    if not isinstance(strictest, Ask):
        await run.approve(strictest.paths if isinstance(strictest, Allow) and not strictest.only_this_call else ())
        return strictest
    reason = f"{plugin}: {strictest.reason}".removeprefix(": ")
    question = approval_question(call, tool, reason, run.services.redactor, by_flag=strictest.by_flag)
    if (answer := await run.ask(question, stays=stays)) is None:
        return strictest
    if is_yes(answer):
        await run.approve(strictest.paths)
        return Allow(APPROVED)
    why = answer.strip().removeprefix("no:").strip()
    return Deny(f"Rejected: {'the user refused' if not why or (is_no(why) and ':' not in why) else why}")


def default_verdict(tool: Tool) -> Permission:
    """Return the permission without plugins: irreversible calls need the user's."""
    return Ask("This cannot be undone.") if tool.effect is Effect.IRREVERSIBLE else Allow()
