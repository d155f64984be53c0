"""Run the inner loop (the agent loop): call the model and run the tools it asks for, until it asks for none."""

from collections.abc import Sequence

from openkoi.progress import Gain, Step, StuckDetector
from openkoi_base.decision.termination import EXHAUSTED, build_reminder, met_condition
from openkoi_base.isolation import sanitize_text
from openkoi_hookspecs import (
    YES_OR_NO,
    BudgetExhausted,
    Condition,
    Effect,
    FinishReason,
    LimitExceededError,
    Message,
    Question,
    Request,
    RequestRejectedError,
    Response,
    Role,
    StopReason,
    ToolResult,
    events,
    is_yes,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_models import EXECUTOR, executor_of
from openkoi_prompt.conversation import Conversation

from .compact import compact, compact_if_full
from .run import TaskRun
from .tool_dispatch import ToolOutcome, execute_tool_calls

CONTINUE_TRUNCATED = (
    "Your answer was cut off at its length limit: nothing after that arrived, and no tool call in it was run. Continue "
    "from where it stopped; split long content into several smaller calls."
)
NO_PROGRESS = "{count} rounds of tool calls in a row changed no file and returned nothing new."
ANSWER_LENGTH = "answer length"
MAX_REMINDERS = 2
MAX_COMPACTIONS = 2
REASONS = {
    StopReason.DONE: "answered",
    StopReason.CYCLES: "maxCycles",
    StopReason.BUDGET: "budget-exhausted",
    StopReason.TIME: "timeout",
    StopReason.LOOP: "loop",
    StopReason.REFUSED: "refused",
    StopReason.UNMET: "answered",
    StopReason.PERSON: "needs-person",
}


@dataclass(frozen=True, slots=True)
class InnerLoopResult:
    """How the inner loop ended: the model's last message, the reason, and the limit or condition that was met."""

    text: str
    why: StopReason
    limit: str = ""
    condition: str = ""


async def run_inner_loop(run: TaskRun) -> InnerLoopResult:
    """Run cycles until the model answers, or something stops it."""
    ending = await run_cycles(run)
    await run.emit(events.InnerLoopEnded(ending.condition or REASONS[ending.why]))
    return ending


async def run_cycles(run: TaskRun) -> InnerLoopResult:
    text, quiet, conditions = "", 0, run.agent.conditions
    for cycle in range(run.limits.cycles):
        await run.emit(events.CycleStarted(cycle, run.limits.cycles))
        if (
            run.reached_limit and not run.replay.is_active
        ):  # by a hook, a tool or the planner: the next model call ends the run
            return ended_by_limit(LimitExceededError(run.reached_limit), text, run)
        await take_messages(run)
        try:
            reply = await ask_model(run)
        except LimitExceededError as reached:
            return ended_by_limit(reached, text, run)
        run.conversation.say(Message(Role.ASSISTANT, reply.parts))
        text = reply.text or text
        settled = await execute_tool_calls(reply.calls, run) if reply.calls else []
        stop = await after_tools(settled, cycle, run) if settled else None
        results = [(one.tool.name, one.result) for one in settled if one.tool]
        if condition := met_condition(conditions, reply.text, results, run.budget.usd_left + run.replay.remaining_usd):
            return InnerLoopResult(text, StopReason.DONE, condition=condition)
        quiet = 0 if settled else quiet + 1
        over = settled or quiet > MAX_REMINDERS or is_refusal(reply)
        words = "" if over else CONTINUE_TRUNCATED if is_truncated(reply) else build_reminder(conditions)
        if stop:
            return InnerLoopResult(text, stop)
        if not (settled or words or run.inbox):
            return end_with_reply(reply, conditions)
        try:
            await compact_if_full(reply, run)
        except LimitExceededError as reached:
            return ended_by_limit(reached, text, run)
        if words:
            await add_message(run, words)
    return InnerLoopResult(text, await stop_at_last_cycle(run))


async def stop_at_last_cycle(run: TaskRun) -> StopReason:
    """Return why a run ends at its limit of cycles: it was stuck if many of the last brought no progress."""
    if not run.stuck_detector.long_without_progress:
        return StopReason.CYCLES
    await warn_of_stop(run)
    return StopReason.LOOP


async def warn_of_stop(run: TaskRun) -> None:
    """Warn that the run is stopped because it is stuck."""
    state = run.stuck_detector
    count = max(state.without_news, state.without_progress)
    await run.emit(events.WarningIssued(f"Stopped: {state.detector}, {NO_PROGRESS.format(count=count)}"))


async def add_message(run: TaskRun, text: str, *, fresh: bool = False) -> None:
    """Add a message to the conversation, or start a new one with it and the task's history and parts."""
    known = run.replay.pop_event(events.MessageAdded, lambda one: not one.from_user)
    given = Message.user(text, *(run.task.parts if fresh else ()))
    message, fresh = (known.message, known.new_conversation) if known else (given, fresh)
    if fresh:
        run.conversation = Conversation(run.conversation.system, [*run.task.history])
        run.stuck_detector = StuckDetector(run.stuck_detector.limits)
    run.conversation.say(message)
    if known is None:
        await run.emit(events.MessageAdded(message, fresh))


async def take_messages(run: TaskRun) -> None:
    """Add the user's messages to the conversation; in a resumed run, those that were logged at this point."""
    for known in run.replay.pop_messages(executor_of(run.task.agent) or EXECUTOR):
        run.conversation.say(known.message)
    while run.inbox:
        message = Message.user(sanitize_text(run.inbox.pop(0)))
        run.conversation.say(message)
        await run.emit(events.MessageAdded(message, from_user=True))


def end_with_reply(reply: Response, conditions: Sequence[Condition]) -> InnerLoopResult:
    """End with a reply that asks for no tool. Text that came earlier, beside a call, is not its answer."""
    if is_refusal(reply):
        return InnerLoopResult(reply.text, StopReason.REFUSED)
    if is_truncated(reply):
        return InnerLoopResult(reply.text, StopReason.CYCLES, ANSWER_LENGTH)
    declared = any(not isinstance(condition, BudgetExhausted) for condition in conditions)
    return InnerLoopResult(reply.text, StopReason.UNMET if declared else StopReason.DONE)


def ended_by_limit(reached: LimitExceededError, text: str, run: TaskRun) -> InnerLoopResult:
    """Return how the loop ends at a limit: done, if the agent's work is to end when its budget is used up."""
    if reached.limit == "dollars" and any(isinstance(one, BudgetExhausted) for one in run.agent.conditions):
        run.budget.refused = ""
        return InnerLoopResult(text, StopReason.DONE, condition=EXHAUSTED)
    return InnerLoopResult(text, StopReason.TIME if reached.limit == "seconds" else StopReason.BUDGET, reached.limit)


async def ask_model(run: TaskRun) -> Response:
    """Return the model's answer; shorten a conversation that is too long for the model, up to twice."""
    for _ in range(MAX_COMPACTIONS):
        try:
            return await run.chat(request_of(run))
        except RequestRejectedError as error:
            if not error.context_overflow or not (compacted := await compact(run)):
                raise
            await run.emit(compacted, events.WarningIssued(f"{error} Omitting the oldest turns."))
    return await run.chat(request_of(run))


def request_of(run: TaskRun) -> Request:
    model = run.agent.model or "executor"
    return Request(
        tuple(run.conversation.messages), model=model, system=run.conversation.system, tools=run.tools.offered
    )


def is_refusal(reply: Response) -> bool:
    return reply.done.stop is FinishReason.REFUSED


def is_truncated(reply: Response) -> bool:
    return reply.done.stop is FinishReason.LENGTH


async def after_tools(settled: Sequence[ToolOutcome], cycle: int, run: TaskRun) -> StopReason | None:
    """Add the results to the conversation; return why the loop ends, or None if it continues."""
    results: tuple[ToolResult, ...] = tuple(one.result for one in settled)
    run.conversation.say(Message(Role.USER, results))
    await run.emit(events.ToolResultsReady(cycle))
    run.stuck_detector.record_cycle(map(to_step, settled), changed=measure_workspace_gain(settled, run))
    if any(one.needs_user for one in settled):
        return StopReason.PERSON
    return StopReason.LOOP if await warn_or_stop_if_stuck(run) else None


def to_step(one: ToolOutcome) -> Step:
    tool = one.tool
    reads, polls = (tool.effect is Effect.READS, tool.allow_repeats) if tool else (False, False)
    return Step(one.call, one.result, reads=reads, polls=polls)


def measure_workspace_gain(settled: Sequence[ToolOutcome], run: TaskRun) -> Gain:
    """Return what these calls changed in the workspace; compare it only if one of them may have changed it."""
    writers = [one for one in settled if one.tool and one.tool.effect > Effect.READS]
    if not writers:
        return Gain.NOTHING
    programs = all(one.result.exit_code is not None for one in writers)
    return run.seen_states.measure_change(run.workspace, by_program=programs)


async def warn_or_stop_if_stuck(run: TaskRun) -> bool:
    """Return whether a stuck run stops. The user is first warned, then asked; at the last limit the run stops."""
    state = run.stuck_detector
    if state.is_stuck:
        await warn_of_stop(run)
        return True
    if state.without_progress == state.limits.warning:
        await run.emit(events.WarningIssued(NO_PROGRESS.format(count=state.without_progress)))
    if state.without_progress == state.limits.critical:
        text = f"{NO_PROGRESS.format(count=state.without_progress)} Continue?"
        answer = await run.ask(Question(text, choices=YES_OR_NO))
        return answer is not None and not is_yes(answer)
    return False
