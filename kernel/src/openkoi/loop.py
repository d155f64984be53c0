"""Run the outer loop: Task -> Recall -> Plan -> [Execute -> Evaluate -> Decide -> Refine]* -> Learn -> Result."""

from openkoi_base.decision.best import best_of, choose_returned
from openkoi_base.decision.decide import decide
from openkoi_base.decision.facts import failed_before, limit_work, observe, policy_of
from openkoi_base.decision.refine import refine
from openkoi_hookspecs import (
    Decision,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Facts,
    Iteration,
    NextAction,
    Plan,
    Question,
    Result,
    StopReason,
)
from openkoi_hookspecs.events import DecisionMade, IterationFinished, RunCompleted

from .phases.classify_request import classify_request
from .phases.evaluate import evaluate
from .phases.execute import execute
from .phases.learn import learn
from .phases.plan import make_plan
from .phases.recall import recall
from .run import TaskRun

AS_BEFORE = "as answered before"


async def run_outer_loop(run: TaskRun) -> Result:
    """Iterate until the work is accepted, a limit is reached, or the user is needed."""
    plan = await make_plan(await recall(run), run)
    run.evaluators = run.evaluators if plan.evaluate else {}  # whose baselines would be taken
    while True:
        work = await execute(plan, run)
        plan = await classify_request(plan, work, run)
        evaluation = await evaluate(plan, work, run)
        await record_iteration(plan, work, evaluation, run)
        decision = await decide_next(run)
        advice = await ask_user(decision, run)
        if decision.final and not advice:
            break
        await restore_best(decision, run)
        plan = refine(plan, best_of(run.iterations) if decision.restart_from_best else run.iterations[-1], advice)
    result = await finish(decision, run)
    run.learning = run.services.background.start(learn(result, run))
    return result


async def record_iteration(plan: Plan, work: ExecutionResult, evaluation: Evaluation | None, run: TaskRun) -> None:
    """Record an iteration and its own cost."""
    work = limit_work(work, run.reached_limit)
    known = run.replay.next_decision
    facts = known.facts if known else facts_of(plan, work, evaluation, run)
    spent = known.cost if known else run.cost
    run.iterations += (Iteration(plan=plan, work=work, evaluation=evaluation, cost=spent, facts=facts),)
    score, mode = (evaluation.score, evaluation.mode) if evaluation else (None, EvaluationMode.SKIPPED)
    await run.emit(IterationFinished(len(run.iterations) - 1, score, run.take_iteration_cost(), mode))


def facts_of(plan: Plan, work: ExecutionResult, evaluation: Evaluation | None, run: TaskRun) -> Facts:
    """Return what the decision about an iteration is based on."""
    policy = policy_of(run.task, plan, run.evaluators)
    return observe(plan, work, evaluation, policy=policy, failed=failed_before(run.baseline.by_evaluator.values()))


async def decide_next(run: TaskRun) -> Decision:
    """Decide what happens next; a replayed decision is kept."""
    if known := run.replay.pop_event(DecisionMade):
        return known.decision
    decision = decide(run.iterations, run.limits, run.cost)
    await run.emit(DecisionMade(len(run.iterations) - 1, decision, run.cost, run.iterations[-1].facts))
    return decision


async def ask_user(decision: Decision, run: TaskRun) -> str:
    """Ask the user if the decision needs it; return their advice, or an empty text."""
    if decision.action is not NextAction.ESCALATE or run.iterations[-1].work.ended is StopReason.PERSON:
        return ""
    if run.replay.is_active:
        return run.replay.advice.get(len(run.iterations) - 1, AS_BEFORE)
    return await run.ask(Question(f"{decision.reason}. What should be done?"), stays=True) or ""


async def restore_best(decision: Decision, run: TaskRun) -> None:
    """Restore the files of the best iteration and start a new conversation, if the decision says so."""
    if decision.restart_from_best:
        if not run.replay.is_active:
            await run.go_back_to(best_of(run.iterations).work)
        run.astray = True


async def finish(decision: Decision, run: TaskRun) -> Result:
    """Restore the files of the best iteration, and return the result."""
    best = choose_returned(run.iterations, decision.action)
    if best is not run.iterations[-1]:
        await run.go_back_to(best.work)
    index = run.iterations.index(best)
    await run.emit(RunCompleted(decision, run.cost, best=index, iterations=len(run.iterations)))
    return Result(run.task, decision, best=best, iterations=run.iterations, cost=run.cost, run=run.id)
