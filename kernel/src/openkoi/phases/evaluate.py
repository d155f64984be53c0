"""Ask all evaluators, checks first and judges last, and merge their results into one evaluation.

``openkoi_base.decision.merge`` decides what is merged, and which scores are refused.
"""

from collections.abc import Mapping
from dataclasses import replace

from openkoi_base.decision.facts import is_judge, is_question, policy_of
from openkoi_base.decision.merge import NOT_A_JUDGE, merge, only_stricter, validate_evaluation, without_scores
from openkoi_base.isolation import contain_exit, format_error
from openkoi_hookspecs import (
    Evaluation,
    EvaluationMode,
    Evaluator,
    ExecutionResult,
    LimitExceededError,
    Plan,
    PluginError,
    Policy,
    StopReason,
    events,
    hooks,
)
from openkoi_settings import plugin_keys

from ..admit_sections import admit
from ..baselines import capture_baseline
from ..run import TaskRun


async def evaluate(plan: Plan, work: ExecutionResult, run: TaskRun) -> Evaluation | None:
    """Return the merged evaluation; None if there is nothing to evaluate, or no evaluator has an opinion."""
    run.budget.keep_back(0, 0)
    if not needs_evaluation(plan, work, run):
        return None
    if run.replay.skips_evaluation():
        return None
    if known := run.replay.pop_event(events.EvaluationFinished):
        return known.evaluation
    if last := reusable_evaluation(work, run):
        await run.emit(events.EvaluationFinished(replace(last, mode=EvaluationMode.CACHED)))
        return replace(last, mode=EvaluationMode.CACHED)
    opinions_by_name = await ask_evaluators(work, run)
    required = run.services.config[plugin_keys.REQUIRED_EVALUATORS]
    silent = tuple(reason for name in required if (reason := explain_silence(name, opinions_by_name)))
    if not opinions_by_name and not silent:
        return None
    whole = await fold_after_evaluate(merge(opinions_by_name, judges_of(run), silent), work, run)
    checkpoint = await run.workspace_state.checkpoint() if whole.unavailable_reason and work.checkpoint else ""
    await run.emit(events.EvaluationFinished(whole, tuple(opinions_by_name), checkpoint))
    return whole


async def fold_after_evaluate(whole: Evaluation, work: ExecutionResult, run: TaskRun) -> Evaluation:
    """Return the evaluation as plugins replace it; ignore a replacement that would be easier to accept."""
    other = await run.fold(hooks.after_evaluate, whole, work=work, run=run)
    try:
        return only_stricter(validate_evaluation(other), whole)
    except ValueError as error:
        names = ", ".join(one.plugin for one in run.hooks.implementations(hooks.after_evaluate))
        await run.emit(events.WarningIssued(f"Ignored the result of after_evaluate from {names}: {error}."))
        return whole


def explain_silence(name: str, opinions_by_name: Mapping[str, Evaluation]) -> str:
    """Return why a required evaluator has no opinion; empty if it has one."""
    return (
        opinions_by_name[name].unavailable_reason
        if name in opinions_by_name
        else f"{name} is required, but returned no evaluation"
    )


def needs_evaluation(plan: Plan, work: ExecutionResult, run: TaskRun) -> bool:
    """Whether an evaluation could matter: not for a question, nor if nothing was done."""
    if policy_of(run.task, plan, run.evaluators) is Policy.NONE or work.ended is StopReason.PERSON:
        return False
    return work.changed or (work.ended is StopReason.DONE and work.answered and not is_question(plan, work))


def reusable_evaluation(work: ExecutionResult, run: TaskRun) -> Evaluation | None:
    """Return the last evaluation if the work has not changed since; None if it must be evaluated."""
    if not run.iterations or run.touched:
        return None
    last = run.iterations[-1]
    if last.evaluation is None or last.evaluation.unavailable_reason or last.evaluation.missing or not work.checkpoint:
        return None
    return last.evaluation if (last.work.text, last.work.diff) == (work.text, work.diff) else None


def judges_of(run: TaskRun) -> frozenset[str]:
    return frozenset(name for name, evaluator in run.evaluators.items() if is_judge(evaluator))


async def ask_evaluators(work: ExecutionResult, run: TaskRun) -> dict[str, Evaluation]:
    """Ask each evaluator; return the opinions by name. Each sees what those before it found."""
    opinions_by_name: dict[str, Evaluation] = {}
    if not run.evaluators:
        return opinions_by_name
    await capture_baseline(run)
    given = await run.collect(hooks.before_evaluate, work=work, run=run)
    judged = replace(work, criteria=tuple(await admit(given, hooks.before_evaluate, run)))
    judges = judges_of(run)
    for name, evaluator in run.evaluators.items():
        known = merge(opinions_by_name, judges) if opinions_by_name else None
        opinion = await ask_evaluator(
            name, evaluator, replace(judged, known=known, baseline=run.baseline.by_evaluator.get(name)), run
        )
        if opinion is None:
            continue
        if opinion.scores and name not in judges:
            run.services.warn_once(NOT_A_JUDGE.format(name=name))
            opinion = without_scores(opinion)
        opinions_by_name[name] = opinion
        if opinion.unavailable_reason:
            run.services.warn_once(f"{name} could not evaluate: {opinion.unavailable_reason}")
    await run.warn()
    return opinions_by_name


async def ask_evaluator(name: str, evaluator: Evaluator, work: ExecutionResult, run: TaskRun) -> Evaluation | None:
    """Ask one evaluator; one that fails has no opinion, and a judge that fails is asked once more.

    If a judge was refused budget for a vote but still gives a score from fewer votes, this limit does not end the run.
    """
    refused = run.budget.refused
    for last in (not is_judge(evaluator), True):
        try:
            with contain_exit():
                opinion = await run.with_deadline(evaluator.evaluate(work, run))
            if opinion is not None and validate_evaluation(opinion).scores:
                run.budget.refused = refused
            return opinion
        except LimitExceededError as reached:
            run.note_limit(reached.limit)
            return Evaluation(unavailable_reason=str(reached))
        except Exception as error:  # an evaluator is a plugin: its fault is an unknown, never a number
            fault = str(PluginError(name, "evaluate", format_error(error)))
        if last:
            break
    return Evaluation(unavailable_reason=fault)
