"""List, when a run ends, the files that it created or changed and that other programs run by themselves."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import Event, ExecutionResult, Run, events, hookimpl
from openkoi_schema import rule_of

from .autorun_index import AutorunIndex
from .events import AutorunFiles
from .planted import View, runs_nothing_new
from .protection import view_of

MAX_RUNS = 100


@dataclass(slots=True)
class Watched:
    """One run: how its workspace was before it changed anything, and what its executions left behind."""

    index: AutorunIndex
    before: View
    works: list[ExecutionResult] = field(default_factory=list)


class AutorunReport:
    """Lists such files on the screen and in the log. Settings: ``[hooks.autorun]``."""

    def __init__(self) -> None:
        self.runs: dict[str, Watched] = {}

    @hookimpl
    async def on_event(self, event: Event, run: Run) -> None:
        """Look at the workspace before the first change and after the last one."""
        match event:
            case events.BaselineSaved() | events.RunResumed():
                await self.begin(run)
            case events.ExecutionFinished(work=work) if run.id in self.runs:
                self.runs[run.id].works.append(work)
            case events.RunCompleted(best=best):
                await self.end(run, best, ())
            case events.RunFailed(files=files):
                await self.end(run, -1, files)

    async def begin(self, run: Run) -> None:
        """Note how the workspace is, once a run."""
        if run.id not in self.runs:
            index = AutorunIndex(run.workspace.resolve())
            self.runs[run.id] = Watched(index, await asyncio.to_thread(look, index, View()))
            for oldest in [*self.runs][:-MAX_RUNS]:
                del self.runs[oldest]

    async def end(self, run: Run, best: int, files: Sequence[str]) -> None:
        """Compare, and write down what is new."""
        watched = self.runs.pop(run.id, None)
        if watched is None:
            return
        after = await asyncio.to_thread(look, watched.index, watched.before)
        left = watched.works[best].files if watched.works and best < len(watched.works) else ()
        found = {**dict(from_diff((*left, *files), watched.index, after)), **dict(changed(watched, after))}
        if found:
            await run.emit(AutorunFiles(dict(sorted(found.items()))))


def look(index: AutorunIndex, before: View) -> View:
    """Return all files that a rule means, as they are now."""
    return view_of([index], {index.absolute(path): rule for path, rule in index.find().items()}, before.states)


def changed(watched: Watched, after: View) -> Iterator[tuple[str, str]]:
    """Return the files that are other than before, with who runs them."""
    before = watched.before.states
    for path, state in after.states.items():
        if state != before.get(path) and (path in before or not runs_nothing_new(path, state, after)):
            made = "changed" if path in before else "new"
            yield Path(path).relative_to(watched.index.root).as_posix(), f"{made}: {after.rules[path].reason}"


def from_diff(files: Sequence[str], index: AutorunIndex, after: View) -> Iterator[tuple[str, str]]:
    """Return those of the files that the run's diff names: also what it changed before it was interrupted."""
    for path in files:
        state = after.states.get(index.absolute(path))
        harmless = state and runs_nothing_new(index.absolute(path), state, after)
        if (rule := rule_of(path)) and (index.root / path).exists() and not harmless:
            yield path, f"changed: {rule.reason}"
