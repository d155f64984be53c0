"""A run under way: which of the files that other programs run are its own."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import ExecutionResult, KoiError, Run
from openkoi_schema import rule_of

from .autorun_index import AutorunIndex
from .file_state import FileState, state_of
from .planted import View, runs_nothing_new
from .protection import view_of
from .run_notes import RunNotes, digest

EVALUATION = "evaluation"


@dataclass(slots=True)
class WatchedRun:
    """How its workspace was ``before`` it changed anything, as it was last ``seen``, and what is its ``own``.

    What changes while it is ``busy``, with calls of tools and with evaluation, is its own. ``always``: a program of
    its own does the work, so all is.
    """

    index: AutorunIndex
    notes: RunNotes
    always: bool
    before: View = field(default_factory=View)
    seen: View = field(default_factory=View)
    own: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    works: list[ExecutionResult] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @classmethod
    def of(cls, run: Run, folder: Path) -> "WatchedRun":
        """Watch a run; others tell its task what is theirs by notes in a folder, where that can be written."""
        root = run.workspace.resolve()
        worker = run.task.agent.worker if run.task.agent else ""
        watched = cls(AutorunIndex(root), RunNotes(folder, root, run.outermost), always=bool(worker))
        if run.id == run.outermost:
            with contextlib.suppress(OSError, KoiError):
                watched.opened.enter_context(watched.notes.opened())
        return watched

    def close(self) -> None:
        """Stop being told."""
        self.opened.close()

    async def begin(self) -> None:
        """Look at the workspace before the first change; evaluators look at it next."""
        self.before = self.seen = await self.look()
        self.busy = {EVALUATION}

    async def starts(self, what: str) -> None:
        """Note that what changes from now on is the run's own."""
        async with self.lock:
            if not self.busy:
                self.seen = await self.look()
            self.busy = {*self.busy, what} - ({EVALUATION} - {what})

    async def ends(self, what: str) -> None:
        """Note what has changed since."""
        async with self.lock:
            if what in self.busy:
                self.busy.discard(what)
                self.note(await self.look())

    def note(self, now: View) -> None:
        """Note what has changed as the run's own; of runs at the same time, it is that of the one whose call ends."""
        told, paths = self.notes.told(), {*self.seen.states, *now.states}
        changed = {path for path in paths if self.seen.states.get(path) != now.states.get(path)}
        self.claim({path: state for path in changed if told.get(path) != digest(state := now.states.get(path))})
        self.seen = now

    def wrote(self, paths: Sequence[Path]) -> None:
        """Note what a tool wrote that changes nothing but the files that it names."""
        places = [str(path.parent.resolve() / path.name) for path in paths]
        self.claim({place: state_of(place) for place in places})

    def claim(self, states: Mapping[str, FileState | None]) -> None:
        """Note that files are the run's own, and tell other runs."""
        self.notes.tell_others(states)
        self.own |= states.keys()

    async def look(self) -> View:
        """Return all files that a rule means, as they are now."""
        return await asyncio.to_thread(look, self.index, self.seen)

    async def found(self, best: int, files: Sequence[str]) -> dict[str, str]:
        """Return the files that the run left other than they were, with who runs them."""
        after = await self.look()
        if self.busy:
            self.note(after)
        left = self.works[best].files if self.works and best < len(self.works) else ()
        return {**dict(self.from_diff((*left, *files), after)), **dict(self.changed(after))}

    def changed(self, after: View) -> Iterator[tuple[str, str]]:
        """Return the run's own files that are other than before."""
        before, told = self.before.states, self.notes.told()
        for path, state in after.states.items():
            mine = self.always or (path in self.own and told.get(path) != digest(state))
            if mine and state != before.get(path) and (path in before or not runs_nothing_new(path, state, after)):
                made = "changed" if path in before else "new"
                yield Path(path).relative_to(self.index.root).as_posix(), f"{made}: {after.rules[path].reason}"

    def from_diff(self, files: Sequence[str], after: View) -> Iterator[tuple[str, str]]:
        """Return those of the files that the run's diff names: also what it changed before it was interrupted."""
        for path in files:
            state = after.states.get(self.index.absolute(path))
            harmless = state and runs_nothing_new(self.index.absolute(path), state, after)
            if (rule := rule_of(path)) and (self.index.root / path).exists() and not harmless:
                yield path, f"changed: {rule.reason}"


def look(index: AutorunIndex, known: View) -> View:
    """Return all files that a rule means, as they are now; what did not change since is not read again."""
    return view_of([index], {index.absolute(path): rule for path, rule in index.find().items()}, known.states)
