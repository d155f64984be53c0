"""Learn at the end of a run: collect its lessons and log them; memory reads them from the log."""

from openkoi_hookspecs import Result, events, hooks

from ..run import TaskRun


async def learn(result: Result, run: TaskRun) -> int:
    """Ask plugins what was learned and log it; return how many learnings there are."""
    given = await run.collect(hooks.before_learn, result=result, run=run)
    learnings = [learning for _, some in given for learning in some]
    for learning in learnings:
        final = await run.fold(hooks.on_learning, learning, run=run)
        await run.emit(events.LearningSaved(final))
    await run.emit(events.HooksCalled(run.hooks.end_run()))
    await run.services.memory.update(run.task.session)
    return len(learnings)
