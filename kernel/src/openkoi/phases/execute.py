"""Run the executor, a model or an agent runner, to do the work, and collect what it changed."""

from dataclasses import replace

from openkoi_base.decision.best import best_of
from openkoi_base.decision.facts import policy_of
from openkoi_base.files.diffs import changed_files
from openkoi_base.isolation import named_errors, sanitize_text, type_error_of
from openkoi_hookspecs import (
    ExecutionResult,
    LimitExceededError,
    Plan,
    PluginError,
    Policy,
    StopReason,
    events,
    hooks,
)
from openkoi_prompt import (
    build_system_prompt,
    feedback_message,
    first_message,
    merge_sections,
    restart_message,
    trailing_sections,
)
from openkoi_prompt.conversation import Conversation

from ..admit_sections import admit
from ..inner_loop import InnerLoopResult, add_message, ended_by_limit, run_inner_loop
from ..run import TaskRun


async def execute(plan: Plan, run: TaskRun) -> ExecutionResult:
    """Execute once: the first time, with the last evaluation's feedback, or again from the best iteration."""
    if policy_of(run.task, plan, run.evaluators) is Policy.JUDGE and not plan.asks:
        run.budget.keep_back(*await run.models.judgement_cost())
    ending = await (run_worker(plan, run) if run.agent.worker else run_model(plan, run))
    if known := run.replay.pop_event(events.ExecutionFinished):
        if run.replay.rejudge and not run.replay.is_active:
            await run.go_back_to(known.work)
        return known.work
    work = await build_result(ending, run)
    folded = await run.fold(hooks.after_execute, work, run=run)
    if work.answered:  # what happened, and whether there is an answer at all, is not a plugin's to say
        work = replace(work, text=folded.text)
    await run.emit(events.ExecutionFinished(work))
    return work


async def run_model(plan: Plan, run: TaskRun) -> InnerLoopResult:
    """Run the inner loop: the model works with tools until it is done."""
    await add_task_message(plan, run)
    return await run_inner_loop(run)


async def run_worker(plan: Plan, run: TaskRun) -> InnerLoopResult:
    """Let an agent runner work in the model's place."""
    worker = await run.services.components.worker(run.agent.worker, run.root)
    run.activity.runner_working = True
    try:
        with named_errors(run.agent.worker, "run"):  # a worker is a plugin: what it may raise is not known
            work = await run.with_deadline(worker.run(plan, run))
    except LimitExceededError as reached:
        return ended_by_limit(reached, "", run)
    finally:
        run.activity.runner_working = False
    if wrong := type_error_of(work, ExecutionResult):
        raise PluginError(run.agent.worker, "run", wrong)
    ended = StopReason.PERSON if run.activity.needs_user else work.ended
    return InnerLoopResult(sanitize_text(work.text), ended, work.limit)


async def add_task_message(plan: Plan, run: TaskRun) -> None:
    """Add the message that says what to do now."""
    given = await run.collect(hooks.before_execute, plan=plan, run=run)
    own = trailing_sections(merge_sections(await admit(given, hooks.before_execute, run, beside=plan.sections)))
    if not run.iterations:
        run.conversation = Conversation(build_system_prompt(plan))
        await run.list_tools()
        words, fresh = first_message(run.task, plan), True
    elif run.astray:
        words, fresh = restart_message(run.task, plan, best_of(run.iterations).work), True
    else:
        words, fresh = feedback_message(plan), False
    run.astray = run.touched = False
    await add_message(run, "\n\n".join(filter(None, (words, own))), fresh=fresh)


async def build_result(ending: InnerLoopResult, run: TaskRun) -> ExecutionResult:
    """Return the execution's result, with a checkpoint of the files."""
    checkpoint = await run.workspace_state.checkpoint() if run.workspace_state.origin else ""
    diff = await run.workspace_state.changes(checkpoint)
    await run.warn()
    if diff is None and run.touched:
        run.effects.note_unseen()
    work = ExecutionResult(ending.text, ended=ending.why, limit=ending.limit, calls=run.effects.recent)
    if diff is None:
        return work
    return replace(work, diff=diff, files=changed_files(diff), checkpoint=checkpoint)
