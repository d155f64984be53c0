"""Track which of the files that other programs run were changed by one run."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from openkoi_base.schema.autorun_index import AutorunIndex
from openkoi_base.schema.named_files import find_autorun_files
from openkoi_hookspecs import ExecutionResult, KoiError, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .autorun_changes import AutorunChange, runs_the_same
from .events import EVALUATION
from .file_state import FileState, capture_state
from .planted_changes import ProtectedView, runs_nothing_new
from .protection import build_view
from .run_notes import RunNotes, digest_state


@dataclass(slots=True)
class WatchedRun:
    """The workspace as it was ``before`` the run changed anything, and as it was last ``seen``.

    And the run's ``own`` files.

    What changes while it is ``busy``, with calls of tools and with evaluation, is its own. ``always``: a program of its
    own does the work, so all is.
    """

    index: AutorunIndex
    notes: RunNotes
    always: bool
    before: ProtectedView = field(default_factory=ProtectedView)
    seen: ProtectedView = field(default_factory=ProtectedView)
    own: set[str] = field(default_factory=set)
    busy: set[str] = field(default_factory=set)
    works: list[ExecutionResult] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    resumed: bool = False

    @classmethod
    def watch(cls, run: Run, folder: Path) -> "WatchedRun":
        """Watch a run; others notify its task of their changes by notes in a folder, where that can be written."""
        root = run.workspace.resolve()
        worker = run.task.agent.worker if run.task.agent else ""
        watched = cls(AutorunIndex(root), RunNotes(folder, root, run.outermost), always=bool(worker))
        if run.id == run.outermost:
            with contextlib.suppress(OSError, KoiError):
                watched.opened.enter_context(watched.notes.receive())
        return watched

    def close(self) -> None:
        """Stop receiving notes."""
        self.opened.close()

    async def begin(self) -> None:
        """Scan the workspace before the first change; evaluators scan it next."""
        self.before = self.seen = await self.scan()
        self.busy = {EVALUATION}

    async def start_change(self, what: str) -> None:
        """Record that changes from now on are the run's own."""
        async with self.lock:
            if not self.busy:
                self.seen = await self.scan()
            self.busy = {*self.busy, what} - ({EVALUATION} - {what})

    async def end_change(self, what: str) -> None:
        """Record what has changed since."""
        async with self.lock:
            if what in self.busy:
                self.busy.discard(what)
                self.record_changes(await self.scan())

    def record_changes(self, now: ProtectedView) -> None:
        """Record changes as the run's own; of concurrent runs, they belong to the one whose call ends."""
        received, paths = self.notes.read_received(), {*self.seen.states, *now.states}
        changed = {path for path in paths if self.seen.states.get(path) != now.states.get(path)}
        self.claim(
            {path: state for path in changed if received.get(path) != digest_state(state := now.states.get(path))}
        )
        self.seen = now

    def record_write(self, paths: Sequence[Path]) -> None:
        """Record the files of a tool that changes only the files that it names."""
        places = [str(path.parent.resolve() / path.name) for path in paths]
        self.claim({place: capture_state(place) for place in places})

    def claim(self, states: Mapping[str, FileState | None]) -> None:
        """Record that files are the run's own, and notify other runs."""
        self.notes.notify_others(states)
        self.own |= states.keys()

    async def scan(self) -> ProtectedView:
        """Return the current state of all files that match a rule."""
        return await asyncio.to_thread(scan_files, self.index, self.seen)

    async def changed_files(self, best: int, files: Sequence[str]) -> Sequence[AutorunChange]:
        """Return the files that differ after the run, with who runs them."""
        after = await self.scan()
        if self.busy:
            self.record_changes(after)
        left = self.works[best].files if self.works and best < len(self.works) else ()
        found = {one.path: one for one in (*self.changes_in_diff((*left, *files), after), *self.own_changes(after))}
        return sorted(found.values())

    def own_changes(self, after: ProtectedView) -> Iterator[AutorunChange]:
        """Return the run's own files that differ from before."""
        before, received = self.before.states, self.notes.read_received()
        for path, state in after.states.items():
            mine = self.always or (path in self.own and received.get(path) != digest_state(state))
            if mine and state != before.get(path) and self.is_relevant(path, after):
                relative = Path(path).relative_to(self.index.root).as_posix()
                yield AutorunChange(relative, after.rules[path], new=path not in before)

    def is_relevant(self, path: str, after: ProtectedView) -> bool:
        """Return whether a program runs something else than before because of a changed file."""
        rule, was, state = after.rules[path], self.before.states.get(path), after.states[path]
        if was is None and (runs_nothing_new(path, state, after) or self.is_only_newly_named(path, after)):
            return False
        return not runs_the_same(rule.keys, path, was, state)

    def is_only_newly_named(self, path: str, after: ProtectedView) -> bool:
        """Return whether a file is as it was, and counts only because something names it now."""
        rule = after.rules[path]
        return (bool(rule.via) or rule.called) and self.before.has_existed(path, after)

    def changes_in_diff(self, files: Sequence[str], after: ProtectedView) -> Iterator[AutorunChange]:
        """Return the files that the run's diff names, including changes before an interruption."""
        for path in files:
            place = self.index.absolute_path(path)
            matters = place not in after.states or self.resumed or self.is_relevant(place, after)
            if (rule := self.index.rule_at(path)) and (self.index.root / path).exists() and matters:
                yield AutorunChange(path, rule)


def scan_files(index: AutorunIndex, known: ProtectedView) -> ProtectedView:
    """Return the current state of all files that match a rule; unchanged files are not read again."""
    found = {index.absolute_path(path): rule for path, rule in find_autorun_files(index).items()}
    return build_view([index], found, known.states)
