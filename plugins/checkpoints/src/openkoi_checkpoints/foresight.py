"""The hook that saves what a checkpoint only notices, and notes what none can hold. Knows arguments; knows no tool."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Effect, Event, Plugin, Run, Tool, ToolCall, ToolResult, events, hookimpl
from openkoi_schema import PATH_ARGUMENTS, written

from .notes import Notes, outside
from .store import Store
from .told import WrotePassed


class Foresight:
    """Save ignored and large files that a tool names, so that they come back, too. Settings: ``[hooks.checkpoints]``.

    What a command writes is not known before; it is named when it cannot come back. What a call does to the
    repository, or outside the workspace, is written to the log: no checkpoint holds it.
    """

    def __init__(
        self,
        *,
        store: Annotated[Store, Plugin("checkpoints", default="store")],
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
            await self.store.save(run.workspace, Path(name))
        self.notes.before(call, run, outside(names, run.workspace))

    @hookimpl
    async def on_event(self, event: Event, run: Run) -> None:
        """Tell the store when a call that may write begins and ends: what changes besides is a person's doing."""
        if isinstance(event, events.ToolCalled) and (run.id, event.call.id) in self.notes.calls:
            self.under_way.add((run.id, event.call.id))
            await self.store.opened(run.workspace, f"{run.id} {event.call.id}")
        elif isinstance(event, events.ToolAnswered) and (run.id, event.result.call) in self.under_way:
            self.under_way.discard((run.id, event.result.call))
            for path in await self.store.closed(run.workspace, f"{run.id} {event.result.call}"):
                await run.emit(WrotePassed(path))

    @hookimpl
    async def after_tool(self, result: ToolResult, call: ToolCall, run: Run) -> ToolResult | None:
        """Log what the call did that no checkpoint holds, and add it to the result's effects."""
        happened = list(self.notes.after(call, run, failed=result.failed))
        for event in happened:
            await run.emit(event)
        return replace(result, effects=(*result.effects, *(one.effect for one in happened))) if happened else None
