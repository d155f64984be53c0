"""The hook that saves what a checkpoint only notices, and notes what none can hold. Knows arguments; knows no tool."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Effect, Event, Inject, Run, Tool, ToolCall, ToolResult, events, hookimpl
from openkoi_schema import PATH_ARGUMENTS, written

from .errors import StoreFault
from .notes import Notes, effect_text, outside
from .store import Store

WORKER = "worker"


class Foresight:
    """Save ignored and large files that a tool names, so that they come back, too. Settings: ``[hooks.checkpoints]``.

    What a command writes is not known before; it is named when it cannot come back. What a call does to the
    repository, or outside the workspace, is written to the log: no checkpoint holds it.
    """

    def __init__(
        self,
        *,
        store: Annotated[Store, Inject("checkpoints", default="store")],
        path_arguments: Sequence[str] = PATH_ARGUMENTS,
    ) -> None:
        self.store = store
        self.path_arguments = tuple(path_arguments)
        self.notes = Notes()
        self.under_way: set[tuple[str, str]] = set()
        store.watched = True

    @hookimpl
    async def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> None:
        """Save each file that the call names, and note what it may move; it has no opinion about the call."""
        if tool.effect is Effect.READS:
            return
        names = [name for name in written(call, tool, self.path_arguments) if name and "\0" not in name]
        for name in names:
            await self.save(run.workspace, Path(name))
        self.notes.before(call, run, outside(names, run.workspace))

    async def save(self, root: Path, path: Path) -> None:
        """Save a file; where nothing can be kept at all, the kernel asks whether to go on without a checkpoint."""
        try:
            await self.store.save(root, path)
        except StoreFault:
            if await self.store.is_writable():
                raise

    @hookimpl
    async def on_event(self, event: Event, run: Run) -> None:
        """Note when a call that may write begins and ends: what changes besides was done by others.

        What a worker does itself counts as such a call, until it starts a sub-task.
        """
        match event:
            case events.ToolCallStarted(call=call) if (run.id, call.id) in self.notes.calls:
                await self.opened(run, call.id)
            case events.ToolCallFinished(result=result):
                await self.closed(run, run.id, result.call)
            case events.TaskStarted() if run.task.parent:
                await self.closed(run, run.task.parent, WORKER)
            case events.PlanReady() if run.task.agent and run.task.agent.worker:
                await self.opened(run, WORKER)
            case events.ExecutionFinished():
                await self.closed(run, run.id, WORKER)

    async def opened(self, run: Run, call: str) -> None:
        """Note that a call begins."""
        self.under_way.add((run.id, call))
        await self.store.opened(run.workspace, name_of(run, run.id, call))

    async def closed(self, run: Run, caller: str, call: str) -> None:
        """Note that a call of a run, this one or its parent, is over, where it is under way."""
        if (caller, call) not in self.under_way:
            return
        self.under_way.discard((caller, call))
        for path in await self.store.closed(run.workspace, name_of(run, caller, call)):
            await run.emit(events.SkippedFolderChanged(path))

    @hookimpl
    async def after_tool(self, result: ToolResult, call: ToolCall, run: Run) -> ToolResult | None:
        """Log what the call did that no checkpoint holds, and add it to the result's effects."""
        happened = list(self.notes.after(call, run, failed=result.failed))
        for event in happened:
            await run.emit(event)
        return replace(result, effects=(*result.effects, *map(effect_text, happened))) if happened else None


def name_of(run: Run, caller: str, call: str) -> str:
    """Return the name of a call, which begins with the run of its task: what a sub-task changes, its task changes."""
    return f"{run.outermost} {caller}.{call}"
