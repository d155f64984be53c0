"""Start runs of tasks, and log how each one ends."""

import os
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from openkoi_base.files import lock_run, project_id
from openkoi_base.isolation import sanitize_text
from openkoi_base.redact import use_redactor
from openkoi_hookspecs import KoiError, Result, Task, ToolCall, ToolResult, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.workspace_plugins import Root
from openkoi_models import check_content, check_models, require_size
from openkoi_settings import plugin_keys

from .run_origin import ALONE, RunOrigin
from .services import Services

if TYPE_CHECKING:
    from .run import TaskRun


@dataclass(frozen=True, slots=True)
class RunStarter:
    """Runs tasks. What a run needs is imported when one starts, so that searching memory alone does not wait for it."""

    services: Services

    async def run(self, task: Task, origin: RunOrigin = ALONE) -> Result:
        """Run a task, unless another process is running it; an error that ends it is logged, then raised."""
        if origin.depth:
            return await self.run_in_workspace(task, origin)
        origin = replace(origin, id=origin.id or token_hex(10))
        with use_redactor(self.services.redactor), lock_run(self.services.running, origin.id):
            return await self.run_in_workspace(task, origin)

    async def run_in_workspace(self, task: Task, origin: RunOrigin) -> Result:
        """Run a task with the plugins of its workspace."""
        await self.services.start()
        async with self.services.workspaces.in_use(self.workspace_of(task), again=not origin.depth) as root:
            return await self.run_with_plugins(root, task, origin)

    async def run_with_plugins(self, root: Root, task: Task, origin: RunOrigin) -> Result:
        """Run a task and log it in its session, until learning is done."""
        with ExitStack() as writing:
            log = writing.enter_context(self.services.logs.open_for_writing(task.session or self.services.session))
            run = await RunStarter(self.services.writing_to(log)).make_run(task, origin, root)
            log_beginning(run)
            result = await run_logged(run)
            if run.learning:
                run.learning.add_done_callback(partial(close, writing.pop_all()))
            return result

    async def solve_subtask(self, task: Task, run: "TaskRun") -> Result:
        """Run a sub-task of a run."""
        from .subtasks import solve_subtask

        return await solve_subtask(task, run, self.run)

    async def call_tool(self, call: ToolCall, run: "TaskRun") -> ToolResult:
        """Call a tool for a plugin of a run."""
        from .tool_dispatch import call_tool

        return await call_tool(call, run)

    async def make_run(self, task: Task, origin: RunOrigin = ALONE, root: Root = None) -> "TaskRun":
        """Make a run of the task, not yet started. Raises any error that prevents it before anything is logged."""
        from openkoi_base.decision.facts import is_judge, may_be_evaluated

        from .baselines import resume_baselines
        from .run import TaskRun

        services, workspace = self.services, self.workspace_of(task)
        await services.start()
        known = self.complete_task(task)
        evaluators = await services.components.evaluators(root) if may_be_evaluated(known) else {}
        await check_models(task.agent, services.router, services.warn_once)
        if not os.access(workspace, os.W_OK):
            services.warn_once(f"{workspace} is not writable, so no file in it can be changed.")
        if not known.judge:
            evaluators = {name: one for name, one in evaluators.items() if not is_judge(one)}
        run = TaskRun(
            services,
            known,
            workspace,
            origin,
            solve_subtask=self.solve_subtask,
            call_tool=self.call_tool,
            hooks=services.workspaces.hooks[root],
            root=root,
            evaluators=evaluators,
        )
        resume_baselines(run)
        return run

    async def make_dry_run(self, task: Task) -> "TaskRun":
        """Make a run of the task without effects."""
        from .dry_run import DryRun

        services, folder = self.services, self.workspace_of(task)
        await services.start()
        hooks = services.workspaces.hooks[None]
        task = self.complete_task(task)
        return DryRun(services, task, folder, solve_subtask=self.solve_subtask, call_tool=self.call_tool, hooks=hooks)

    def workspace_of(self, task: Task) -> Path:
        """Return the folder that a task is done in; raises KoiError if it is missing."""
        folder = Path(task.workspace) if task.workspace else self.services.config.workspace
        if not folder.is_dir():
            raise KoiError(f"{folder} is not a folder, so no task can run in it.")
        return folder

    def complete_task(self, task: Task) -> Task:
        """Return the task with defaults for everything it leaves open."""
        from openkoi_prompt import infer_category

        services = self.services
        return replace(
            check_content(require_size(task, task.limits or services.config.limits)),
            text=sanitize_text(task.text),
            context=sanitize_text(task.context),
            category=task.category or infer_category(task.text),
            session=task.session or services.session,
            limits=task.limits or services.config.limits,
            project=task.project or project_id(self.workspace_of(task)),
            judge=task.judge and not services.config[plugin_keys.CHECKS_ONLY],
        )


def log_beginning(run: "TaskRun") -> None:
    """Log that a run is resumed, and which of its data was lost."""
    nested, publish = run.origin.depth > 0, run.services.publish
    for id, lost in () if nested else run.replay.lost:
        publish(id, [lost])
    if run.replay.is_active or (run.origin.records and not nested):
        publish(run.id, [events.RunResumed(run.services.config.models_from_flags)])


def close(stack: ExitStack, _: object) -> None:
    """Close a stack of context managers."""
    stack.close()


async def run_logged(run: "TaskRun") -> Result:
    """Run a task and log its end; an error that ends it is logged, then raised."""
    from .loop import run_outer_loop
    from .run_failure import log_failure

    try:
        result = await run_outer_loop(run)
    except BaseException as error:  # the log must say how the run ended, whatever ended it
        await log_failure(run, error)
        raise
    score, task = result.best.evaluation.score if result.best.evaluation else None, run.task
    used = events.UsageRecorded("Task", task.text, category=task.category, channel=task.channel, score=score)
    with suppress(KoiError):
        await run.emit(used, *run.services.warnings.take())
    return result
