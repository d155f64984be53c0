"""List, when a run ends, the files that it created or changed and that other programs run by themselves."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import DataDir, Effect, Event, Run, Tool, ToolCall, events, hookimpl
from openkoi_schema import written

from .events import AutorunFiles
from .underway import Underway
from .watched_run import EVALUATION, WatchedRun

MAX_RUNS = 100
MAX_CALLS = 1_000


class AutorunReport:
    """Lists such files on the screen and in the log. Settings: ``[hooks.autorun]``."""

    def __init__(self, *, folder: Annotated[Path, DataDir("diverted")]) -> None:
        self.folder = folder.expanduser().absolute()
        self.runs: dict[str, WatchedRun] = {}
        self.writes: dict[tuple[str, str], Sequence[str]] = {}

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> None:
        """Note a call that may change files, and which, if no others can be; it has no opinion about the call."""
        if tool.effect > Effect.READS:
            self.writes[run.id, call.id] = tuple(written(call, tool)) if tool.local else ()
            for oldest in [*self.writes][:-MAX_CALLS]:
                del self.writes[oldest]

    @hookimpl
    async def on_event(self, event: Event, run: Run) -> None:
        """Look at the workspace around whatever the run does to it, and list what is new after the last of it."""
        match event:
            case events.BaselineSaved() | events.RunResumed():
                await self.begin(run)
            case events.ToolCallStarted(call=call) if self.writes.get((run.id, call.id)) == ():
                await self.starts(run, call.id)
            case events.ToolCallFinished(result=result) if (run.id, result.call) in self.writes:
                await self.wrote(run, result.call)
            case events.ExecutionFinished(work=work) if run.id in self.runs:
                self.runs[run.id].works.append(work)
                await self.starts(run, EVALUATION)
            case events.DecisionMade():
                await self.ends(run, EVALUATION)
            case events.RunCompleted(best=best):
                await self.end(run, best, ())
            case events.RunFailed(files=files):
                await self.end(run, -1, files)

    def watching(self, run: Run) -> list[WatchedRun]:
        """Return the run itself and the one of its task, where they are watched."""
        return [self.runs[id] for id in dict.fromkeys((run.id, run.outermost)) if id in self.runs]

    async def begin(self, run: Run) -> None:
        """Note how the workspace is, once a run; evaluators look at it first."""
        if run.id not in self.runs:
            self.runs[run.id] = WatchedRun.of(run, self.folder)
            await self.runs[run.id].begin()
            for oldest in [*self.runs][:-MAX_RUNS]:
                self.runs.pop(oldest).close()

    async def starts(self, run: Run, what: str) -> None:
        """Note that what changes from now on is the run's."""
        for watched in self.watching(run):
            await watched.starts(what)

    async def ends(self, run: Run, what: str) -> None:
        """Note that what changes from now on is the change of others."""
        for watched in self.watching(run):
            await watched.ends(what)

    async def wrote(self, run: Run, call: str) -> None:
        """Note what a call has changed; commands that run now learn what a tool wrote, as the user had agreed to it."""
        if not (names := self.writes.pop((run.id, call))):
            await self.ends(run, call)
            return
        paths = [run.workspace / name for name in names]
        for watched in self.watching(run):
            await asyncio.to_thread(watched.wrote, paths)
        underway = Underway(self.folder, run.workspace.resolve())
        if underway.files():
            await asyncio.to_thread(underway.agree, paths)

    async def end(self, run: Run, best: int, files: Sequence[str]) -> None:
        """Compare, and write down what is new."""
        watched = self.runs.pop(run.id, None)
        if watched is None:
            return
        found = await watched.found(best, files)
        watched.close()
        if found:
            await run.emit(AutorunFiles(dict(sorted(found.items()))))
