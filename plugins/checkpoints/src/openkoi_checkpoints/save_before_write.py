"""Save files that a checkpoint does not contain before a tool writes them, and log what no checkpoint can restore."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_base.files.diffs import format_names
from openkoi_base.schema.path_parameters import PATH_PARAMETERS, written_paths
from openkoi_hookspecs import Effect, Inject, KoiError, Run, Tool, ToolCall, ToolResult, events, hookimpl

from .checkpoint_store import CheckpointStore
from .errors import CheckpointStoreError
from .side_effects import SideEffects, describe_effect, paths_outside

WORKER = "worker"
AT_ONCE = (
    "Another task ran a command in this folder at the same time, so each of these changes may be that task's: {names}."
)
Followed = (
    events.ToolCallStarted | events.ToolCallFinished | events.TaskStarted | events.PlanReady | events.ExecutionFinished
)


class SaveBeforeWrite:
    """Save ignored and large files that a tool names, so that undo restores them.

    Configured by ``[hooks.checkpoints]``. What a command writes is not known in advance; it is reported when it cannot
    be restored. What a call does to the repository, or outside the workspace, is written to the log, because no
    checkpoint contains it.
    """

    def __init__(
        self,
        *,
        store: Annotated[CheckpointStore, Inject("checkpoints", default="store")],
        path_arguments: Sequence[str] = PATH_PARAMETERS,
    ) -> None:
        self.store = store
        self.path_arguments = tuple(path_arguments)
        self.notes = SideEffects(store.skip)
        self.open_calls: set[tuple[str, str]] = set()
        store.watched = True

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Awaitable[None] | None:
        """Save what a call may write; never decide about the call."""
        return None if tool.effect is Effect.READS else self.save_before(call, tool, run)

    async def save_before(self, call: ToolCall, tool: Tool, run: Run) -> None:
        """Save each file that the call names and record the state before it."""
        names = [name for name in written_paths(call, tool, self.path_arguments) if name and "\0" not in name]
        for name in names:
            await self.save(run.workspace, Path(name))
        writes = list(map(Path, names)) if tool.written_paths else []
        self.notes.record_before(call, run, paths_outside(names, run.workspace), writes)

    async def save(self, root: Path, path: Path) -> None:
        """Save a file; when nothing can be saved at all, the kernel asks whether to continue without a checkpoint."""
        try:
            await self.store.save(root, path)
        except CheckpointStoreError:
            if await self.store.is_writable():
                raise

    @hookimpl
    def on_event(self, event: Followed, run: Run) -> Awaitable[None] | None:
        """Record when calls and workers begin and end."""
        match event:
            case events.ToolCallStarted(call=call) if (run.id, call.id) not in self.notes.calls:
                return None
            case events.ToolCallFinished() if not self.open_calls:
                return None
        return self.follow_event(event, run, asyncio.current_task())

    async def follow_event(self, event: Followed, run: Run, task: "asyncio.Task[object] | None") -> None:
        """Record when a call that may write begins and ends; changes at other times are made by others.

        What a worker does itself counts as such a call, until it starts a sub-task.
        """
        match event:
            case events.ToolCallStarted(call=call) if (run.id, call.id) in self.notes.calls:
                await self.start_call(run, call.id, task)
            case events.ToolCallFinished(result=result):
                await self.finish_call(run, run.id, result.call)
            case events.TaskStarted() if run.task.parent:
                await self.finish_call(run, run.task.parent, WORKER)
            case events.PlanReady() if run.task.agent and run.task.agent.worker:
                await self.start_call(run, WORKER, task)
            case events.ExecutionFinished():
                await self.finish_call(run, run.id, WORKER)

    async def start_call(self, run: Run, call: str, task: "asyncio.Task[object] | None") -> None:
        """Record that a call begins; no event reports its end if its task ends first."""
        self.open_calls.add((run.id, call))
        if task:
            task.add_done_callback(lambda _: self.interrupt_call(run, call))
        before = self.notes.calls.get((run.id, call))
        await self.store.start_call(run.workspace, call_key(run, run.id, call), before.writes if before else ())

    def interrupt_call(self, run: Run, call: str) -> None:
        """Record that a call was cut off, if it is open."""
        if (run.id, call) in self.open_calls:
            self.open_calls.discard((run.id, call))
            with suppress(KoiError, OSError):
                self.store.interrupt_call(run.workspace, call_key(run, run.id, call))

    async def finish_call(self, run: Run, caller: str, call: str) -> None:
        """Record that an open call of this run or its parent has ended."""
        if (caller, call) not in self.open_calls:
            return
        self.open_calls.discard((caller, call))
        changes = await self.store.finish_call(run.workspace, call_key(run, caller, call))
        for path in changes.skipped:
            await run.emit(events.SkippedFolderChanged(path))
        if changes.in_doubt:
            await run.emit(events.WarningIssued(AT_ONCE.format(names=format_names(changes.in_doubt))))

    @hookimpl
    def after_tool(self, result: ToolResult, call: ToolCall, run: Run) -> Awaitable[ToolResult | None] | None:
        """After a call that may write, log its effects that no checkpoint contains."""
        return self.log_side_effects(result, call, run) if (run.id, call.id) in self.notes.calls else None

    async def log_side_effects(self, result: ToolResult, call: ToolCall, run: Run) -> ToolResult | None:
        """Log the effects of a call that no checkpoint contains, and add them to the result's effects."""
        happened = list(self.notes.side_effects_of(call, run, failed=result.failed))
        for event in happened:
            await run.emit(event)
        return replace(result, effects=(*result.effects, *map(describe_effect, happened))) if happened else None


def call_key(run: Run, caller: str, call: str) -> str:
    """Return the key of a call, which begins with the run of its task: changes of a sub-task belong to its task."""
    return f"{run.outermost} {caller}.{call}"
