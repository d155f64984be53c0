"""List at the end of a run the files that it created or changed and that other programs run automatically."""

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.schema.path_parameters import written_paths
from openkoi_hookspecs import DataDir, Effect, Run, Tool, ToolCall, events, hookimpl

from .events import EVALUATION, AutorunFiles

if TYPE_CHECKING:
    from openkoi_base.schema.autorun_index import AutorunIndex

    from .watched_run import WatchedRun

MAX_RUNS = 100
MAX_CALLS = 1_000

Followed = (
    events.BaselineSaved
    | events.RunResumed
    | events.ToolCallStarted
    | events.ToolCallFinished
    | events.ExecutionFinished
    | events.DecisionMade
    | events.RunCompleted
    | events.RunFailed
)


class AutorunReport:
    """List such files on the screen and in the log. Configured by ``[hooks.autorun]``."""

    def __init__(self, *, folder: Annotated[Path, DataDir("diverted")]) -> None:
        self.folder = folder.expanduser().absolute()
        self.runs: dict[str, WatchedRun] = {}
        self.writes: dict[tuple[str, str], Sequence[str]] = {}

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> None:
        """Note a call that may change files, and the files if they are known; never decide about the call."""
        if tool.effect > Effect.READS:
            self.writes[run.id, call.id] = tuple(written_paths(call, tool)) if tool.local else ()
            for oldest in [*self.writes][:-MAX_CALLS]:
                del self.writes[oldest]

    @hookimpl
    def on_event(self, event: Followed, run: Run) -> Awaitable[None] | None:
        """Scan the workspace before and after the run's changes, and list what is new after the last one."""
        match event:
            case events.ToolCallStarted(call=call) if (run.id, call.id) not in self.writes:
                return None
            case events.ToolCallFinished(result=result) if (run.id, result.call) not in self.writes:
                return None
        return self.follow_event(event, run)

    async def follow_event(self, event: Followed, run: Run) -> None:
        """Scan the workspace if the event marks the start or end of a change."""
        match event:
            case events.BaselineSaved():
                await self.begin_watching(run)
            case events.RunResumed():
                await self.begin_watching(run, resumed=True)
            case events.ToolCallStarted(call=call) if self.writes.get((run.id, call.id)) == ():
                await self.start_change(run, call.id)
            case events.ToolCallFinished(result=result) if (run.id, result.call) in self.writes:
                await self.record_write(run, result.call)
            case events.ExecutionFinished(work=work) if run.id in self.runs:
                self.runs[run.id].works.append(work)
                await self.start_change(run, EVALUATION)
            case events.DecisionMade():
                await self.end_change(run, EVALUATION)
            case events.RunCompleted(best=best):
                await self.report_files(run, best, ())
            case events.RunFailed(files=files):
                await self.report_files(run, -1, files)

    def watched_runs(self, run: Run) -> "list[WatchedRun]":
        """Return the run itself and that of its task, if they are watched."""
        return [self.runs[run_id] for run_id in dict.fromkeys((run.id, run.outermost)) if run_id in self.runs]

    async def begin_watching(self, run: Run, *, resumed: bool = False) -> None:
        """Record the state of the workspace, once a run; evaluators scan it first."""
        from .watched_run import WatchedRun

        if run.id not in self.runs:
            self.runs[run.id] = WatchedRun.watch(run, self.folder)
            self.runs[run.id].resumed = resumed
            await self.runs[run.id].begin()
            for oldest in [*self.runs][:-MAX_RUNS]:
                self.runs.pop(oldest).close()

    async def start_change(self, run: Run, what: str) -> None:
        """Record that changes from now on are the run's."""
        for watched in self.watched_runs(run):
            await watched.start_change(what)

    async def end_change(self, run: Run, what: str) -> None:
        """Record that changes from now on are not the run's."""
        for watched in self.watched_runs(run):
            await watched.end_change(what)

    async def record_write(self, run: Run, call: str) -> None:
        """Record what a call has changed; running commands learn what a tool wrote with the user's approval."""
        if not (names := self.writes.pop((run.id, call))):
            await self.end_change(run, call)
            return
        paths = [run.workspace / name for name in names]
        for watched in self.watched_runs(run):
            await asyncio.to_thread(watched.record_write, paths)
        from .process_notes import ProcessNotes

        underway = ProcessNotes(self.folder, run.workspace.resolve())
        if underway.note_files():
            await asyncio.to_thread(underway.add_approved_writes, paths, self.index_for(underway.root))

    def index_for(self, root: Path) -> "AutorunIndex":
        """Return an index of the files that links and settings of a workspace name."""
        from openkoi_base.schema.autorun_index import AutorunIndex

        known = (watched.index for watched in self.runs.values() if watched.index.root == root)
        return next(known, AutorunIndex(root))

    async def report_files(self, run: Run, best: int, files: Sequence[str]) -> None:
        """Compare with the state before, and report what is new."""
        watched = self.runs.pop(run.id, None)
        if watched is None:
            return
        found = await watched.changed_files(best, files)
        watched.close()
        if found:
            at_once = {one.path: one.text for one in found if one.rule.at_once}
            by_tools = {one.path: one.text for one in found if not one.rule.at_once}
            await run.emit(AutorunFiles(at_once, by_tools))
