"""Start runs of tasks, and log how each one ends."""

import os
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_files import project_id, under_way
from openkoi_hookspecs import KoiError, Result, Task, events
from openkoi_isolation import sanitize_text
from openkoi_models import check_models
from openkoi_settings import keys

from .parent_run import ALONE, ParentRun
from .services import Services

if TYPE_CHECKING:
    from .run import TaskRun


@dataclass(frozen=True, slots=True)
class Runs:
    """Does tasks. What a run imports is imported when one starts: searching memory alone does not wait for it."""

    services: Services

    async def solve(self, task: Task, parent: ParentRun = ALONE) -> Result:
        """Do a task; whatever ends it without a result is logged, then raised."""
        run = await self.make_run(task, parent)
        services, nested = self.services, parent.depth > 0
        with nullcontext() if nested else under_way(services.running, run.id):
            for id, lost in () if nested else run.replay.lost:
                services.publish(id, [lost])
            if run.replay.active or (parent.records and not nested):
                services.publish(run.id, [events.RunResumed(services.config.models_from_flags)])
            return await run_logged(run)

    async def solve_part(self, task: Task, run: "TaskRun") -> Result:
        """Do a sub-task of a run."""
        from .subtasks import solve_subtask

        return await solve_subtask(task, run, self.solve)

    async def make_run(self, task: Task, parent: ParentRun = ALONE) -> "TaskRun":
        """Make a run of the task that has not begun. Raises what prevents it before anything is logged."""
        from openkoi_prompt import infer_category

        from .baselines import resume_baselines
        from .phases.facts import is_judge
        from .run import TaskRun

        services = self.services
        services.start()
        evaluators = await services.components.evaluators()
        await check_models(task.agent, services.router, services.warn_once)
        workspace = Path(task.workspace) if task.workspace else services.config.workspace
        if not os.access(workspace, os.W_OK):
            services.warn_once(f"{workspace} is not writable: nothing can be changed in it.")
        known = replace(
            task,
            text=sanitize_text(task.text),
            context=sanitize_text(task.context),
            category=task.category or infer_category(task.text),
            session=task.session or services.session,
            limits=task.limits or services.config_of(workspace).limits,
            project=task.project or project_id(workspace),
            judge=task.judge and not services.config[keys.CHECKS_ONLY],
        )
        if not known.judge:
            evaluators = {name: one for name, one in evaluators.items() if not is_judge(one)}
        run = TaskRun(services, known, workspace, parent, solve_part=self.solve_part, evaluators=evaluators)
        resume_baselines(run)
        return run


async def run_logged(run: "TaskRun") -> Result:
    """Do a run; whatever ends it without a result is logged, then raised."""
    from .loop import solve
    from .run_failure import log_failure

    try:
        result = await solve(run)
    except BaseException as error:  # the log must say how the run ended, whatever ended it
        await log_failure(run, error)
        raise
    score, task = result.best.evaluation.score if result.best.evaluation else None, run.task
    used = events.UsageRecorded("Task", task.text, category=task.category, channel=task.channel, score=score)
    with suppress(KoiError):
        await run.emit(used, *run.services.warnings.take())
    return result
