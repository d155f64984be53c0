"""Task -> Recall -> Plan -> [Execute -> Evaluate -> Decide -> Refine]* -> Learn -> Result.

Knows the order of the phases; knows no models, prompts, plugins or clocks.
"""

from openkoi_hookspecs import Decision, Iteration, Question, Result, Ruling
from openkoi_hookspecs.events import Decided

from .kernel import Kernel
from .phases.decide import best_of, decide
from .phases.evaluate import evaluate
from .phases.execute import execute
from .phases.learn import learn
from .phases.plan import make_plan
from .phases.recall import recall
from .phases.refine import refine


async def solve(run: Kernel) -> Result:
    """Do the task until it is good enough, a limit is met, or a person is needed."""
    plan = await make_plan(await recall(run), run)
    while True:
        work = await execute(plan, run)
        evaluation = await evaluate(plan, work, run)
        run.iterations += (Iteration(plan=plan, work=work, evaluation=evaluation, spent=run.spent),)
        ruling = decide(run.iterations, run.task.limits, run.spent)
        await run.emit(Decided(len(run.iterations), ruling, run.spent))
        advice = await person(ruling, run)
        if ruling.final and not advice:
            break
        plan = refine(plan, evaluation, advice)
    result = await finish(ruling, run)
    run.later(learn(result, run))
    return result


async def person(ruling: Ruling, run: Kernel) -> str:
    """Ask the person when the ruling needs one; an empty answer leaves the ruling as it is."""
    if ruling.decision is not Decision.ESCALATE:
        return ""
    return await run.ask(Question(ruling.reason)) or ""


async def finish(ruling: Ruling, run: Kernel) -> Result:
    """Put the best iteration's files in place and say how it went."""
    best = best_of(run.iterations)
    if best is not run.iterations[-1]:
        await run.restore(best.work.checkpoint)
    return Result(run.task, ruling, best=best, iterations=run.iterations, spent=run.spent)
