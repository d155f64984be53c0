"""Run the tools that a model asks for: permitted one by one, written down before the effect, settled all together.

Knows tools and verdicts; knows no model, plan or prompt.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256
from time import monotonic

from openkoi_hookspecs import (
    Allow,
    Ask,
    Deny,
    Effect,
    KoiError,
    Permission,
    PluginError,
    Question,
    Tool,
    ToolCall,
    ToolResult,
    events,
    hooks,
    is_no,
    is_yes,
)
from openkoi_isolation import confined, copy_call, type_error_of
from openkoi_log import NOBODY, UNKNOWN
from openkoi_schema import fitted, meant

from .baselines import capture_baseline
from .effects import effects_of
from .require_checkpoint import REFUSED, may_change_files
from .run import TaskRun

MAX_CALLS = 64
TOO_MANY = (
    f"More than {MAX_CALLS} calls in one turn: this one was not run. Ask for what is still needed in the next turn."
)
APPROVED = "the user allowed it"


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A call with its result, and its tool if there is one. ``waits`` says that only a person's word is missing."""

    call: ToolCall
    result: ToolResult
    tool: Tool | None = None
    needs_user: bool = False


async def run_calls(calls: Sequence[ToolCall], run: TaskRun) -> list[ToolOutcome]:
    """Run all calls at the same time; return when every one has its result, in their order."""
    if len(calls) == 1:
        return [await run_call(calls[0], run)]
    taken = [
        *calls[:MAX_CALLS],
        *(replace(call, parse_error=call.parse_error or TOO_MANY) for call in calls[MAX_CALLS:]),
    ]
    return list(await asyncio.gather(*(run_call(call, run) for call in taken)))


async def run_call(call: ToolCall, run: TaskRun) -> ToolOutcome:
    call = meant(call, run.tools)
    tool, private = next((tool for tool in run.tools if tool.name == call.tool), None), copy_call(call)
    if known := replayed_result(call, tool, run):
        return ToolOutcome(call, known if known.text != UNKNOWN else await log_result(known, run), tool)
    if call.parse_error:
        return ToolOutcome(call, await log_result(failed(call, call.parse_error), run))
    if tool is None:
        return ToolOutcome(call, await log_result(failed(call, unknown(call, run)), run))
    verdict = await check_permission(call, tool, run)
    if not isinstance(verdict, Allow):
        said = verdict.reason or "it is not allowed"
        text = NOBODY if isinstance(verdict, Ask) else f"Rejected: {said}"
        return ToolOutcome(call, await log_result(failed(call, text), run), tool, needs_user=isinstance(verdict, Ask))
    if tool.effect > Effect.READS:
        await capture_baseline(run)
        if not (allowed := await may_change_files(run)):
            text = NOBODY if allowed is None else REFUSED
            return ToolOutcome(call, await log_result(failed(call, text), run), tool, needs_user=allowed is None)
        run.touched = True
    await run.emit(events.ToolCallStarted(call, format_progress(tool, call)))
    began = monotonic()
    brought = await invoke(private, tool, run)
    took = round((monotonic() - began) * 1000)
    result = await run.fold(hooks.after_tool, brought, call=call, run=run)
    effects = effects_of(tool, result, approved=verdict.reason == APPROVED)
    result = replace(result, call=call.id, effects=effects, milliseconds=took)
    run.effects.note(call, tool, result)
    return ToolOutcome(call, await log_result(result, run), tool)


def replayed_result(call: ToolCall, tool: Tool | None, run: TaskRun) -> ToolResult | None:
    """What the call brought before the run was interrupted, if it was made then."""
    changes = tool is not None and tool.effect > Effect.READS
    known = run.replay.result(call, repeatable=not changes)
    run.touched = run.touched or (known is not None and changes)
    if known is not None and tool is not None:
        run.effects.note(call, tool, known)
    return known


async def log_result(result: ToolResult, run: TaskRun) -> ToolResult:
    await run.emit(events.ToolCallFinished(result))
    return result


async def invoke(call: ToolCall, tool: Tool, run: TaskRun) -> ToolResult:
    """The tool's result; whatever goes wrong in it is one too, for the model to read."""
    try:
        with confined():
            result = await run.with_deadline(tool.call(fitted(call.arguments, tool.parameters)))
    except KoiError as error:
        return failed(call, str(error))
    except Exception as error:  # a tool is a plugin: nothing of its may end the run
        return failed(call, f"{type(error).__name__}: {error}")
    wrong = type_error_of(result, ToolResult)
    return failed(call, str(PluginError(tool.name, "call", f"its result is none: {wrong}"))) if wrong else result


def failed(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(text, failed=True, call=call.id)


def unknown(call: ToolCall, run: TaskRun) -> str:
    names = [tool.name for tool in run.tools]
    near = get_close_matches(call.tool, names, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool {call.tool!r}. There are: {', '.join(names) or 'none'}.{hint}"


async def check_permission(call: ToolCall, tool: Tool, run: TaskRun) -> Permission:
    """Allow, Deny, or Ask when a person is needed and nobody is there. The strictest of all verdicts holds."""
    said = [verdict for _, verdict in await run.collect(hooks.before_tool, call=call, tool=tool, run=run)]
    strictest = max(said, key=lambda verdict: verdict.strictness, default=default_verdict(tool))
    if isinstance(strictest, Allow):
        await run.approve(strictest.paths)
    if not isinstance(strictest, Ask):
        return strictest
    answer = await run.ask(question(call, tool, strictest, run.services.redactor))
    if answer is None:
        return strictest
    if is_yes(answer):
        await run.approve(strictest.paths)
        return Allow(APPROVED)
    why = answer.strip().removeprefix("no:").strip()
    return Deny("the person said no" if not why or (is_no(why) and ":" not in why) else why)


def default_verdict(tool: Tool) -> Permission:
    """What holds when nobody has a say: what cannot be taken back is asked about."""
    return Ask("This cannot be taken back.") if tool.effect is Effect.IRREVERSIBLE else Allow()


def question(call: ToolCall, tool: Tool, verdict: Ask, redact: Callable[[str], str]) -> Question:
    """Ask about a call, without its secrets: a run that is resumed knows the call only as the log has it."""
    arguments = redact(json.dumps(call.arguments, ensure_ascii=False, default=str, sort_keys=True))
    text = f"{verdict.reason}\nAllow {tool.name} {arguments}?".lstrip()
    digest = sha256(f"{call.id} {tool.name} {arguments}".encode("utf-8", "surrogatepass")).hexdigest()
    return Question(text, choices=("yes", "no"), digest=digest)


def defaults(tool: Tool) -> dict[str, object]:
    """What a tool takes for arguments that are left out."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {name: one["default"] for name, one in known.items() if isinstance(one, dict) and "default" in one}


def format_progress(tool: Tool, call: ToolCall) -> str:
    """What a person reads while the tool runs."""
    text = tool.progress_text
    for name, value in {**defaults(tool), **call.arguments}.items():
        text = text.replace("{" + name + "}", " ".join(str(value).split()))
    return text if "{" not in text else tool.name
