"""What the run taught. Knows learnings and who may change them; knows no memory: the log is the only way to write."""

from openkoi_hookspecs import Result, events, hooks

from ..run import TaskRun


async def learn(result: Result, run: TaskRun) -> int:
    """Ask what was learned and write it down; return how many there are."""
    given = await run.collect(hooks.before_learn, result=result, run=run)
    learnings = [learning for _, some in given for learning in some]
    for learning in learnings:
        final = await run.fold(hooks.on_learning, learning, run=run)
        await run.emit(events.LearningSaved(final))
    await run.services.update_memory()
    return len(learnings)
