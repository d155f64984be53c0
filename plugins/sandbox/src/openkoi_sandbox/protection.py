"""Keep what other programs run as it was while commands run in a workspace, whatever program writes.

The files are looked at before a command and after it, when no process of it is left. What changed is put back, what is
new is moved to a folder where nothing looks for it. What a sandbox itself made read-only is only looked at: a change
of it was made by another program.
"""

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex

from openkoi_schema import Rule

from .autorun_index import GIT_FILES, AutorunIndex
from .den import Den
from .events import Protected
from .file_state import FileState, move_aside, put_back, state_of
from .git_config import named_paths
from .planted import Planted, View, find_planted, runs_nothing_new
from .policy import is_within
from .underway import Note, Underway, noted

GLOBAL_SETTINGS = ("~/.gitconfig", "~/.config/git/config", "$XDG_CONFIG_HOME/git/config")
KILLED = "OpenKoi was killed before that: look at it"


@dataclass(slots=True)
class Protection:
    """Watches a workspace, and folders of git's elsewhere that its commands write. ``aside`` is for what is moved.

    ``announced``: the log says already that the sandbox in use cannot refuse changes.
    """

    root: Path
    aside: Path
    indexes: dict[Path, AutorunIndex] = field(default_factory=dict)
    known: dict[str, FileState] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    before: View = field(default_factory=View)
    running: list[Sequence[Path]] = field(default_factory=list)
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    announced: bool = False
    left: list[Protected] = field(default_factory=list)

    def begin(self, den: Den, approved: Sequence[Path]) -> View:
        """Note how things are before a command; of commands at the same time the first one's view counts for all."""
        with self.lock, self.underway.lock():
            if not self.running:
                self.held.enter_context(self.underway.held())
                self.before = taken_over(self.look(den), self.underway.others())
                self.left += self.left_behind()
            else:
                self.before = amended(self.before, self.underway.own())
            self.running.append(approved)
            self.note()
            return self.before

    def end(self, den: Den, *, approved: Sequence[Path], sealed: "Seal") -> list[Protected]:
        """Undo what a command planted; return what that was.

        What the user approved for it, or for another command that runs now, stays, and is known to all from now on.
        """
        with self.lock, self.underway.lock():
            before = amended(self.before, self.underway.own())
            left, self.left = self.left, []
            after = self.look(den)
            planted = [one for one in find_planted(before, after) if not sealed.held(one.path)]
            allowed = [*(path for some in self.running for path in some), *self.approved_elsewhere()]
            agreed = {one.path: (one.after, one.reason) for one in planted if is_within(Path(one.path), approved)}
            undone = [*left, *(self.undo(one) for one in planted if not is_within(Path(one.path), allowed))]
            self.running.remove(approved)
            self.before = before
            with contextlib.suppress(OSError):
                self.underway.amend(agreed)
            if not self.running:
                self.underway.clear()
                self.held.close()
            return undone

    def note(self) -> None:
        """Note for other processes how things were, and what is approved now."""
        reasons = {path: self.before.rules[path].reason for path in self.before.states}
        approved = dict.fromkeys(str(path) for some in self.running for path in some)
        self.underway.write(Note(self.before.states, reasons, tuple(approved)))

    def approved_elsewhere(self) -> Iterator[Path]:
        """Return the paths that users of other processes approved for commands that run now."""
        return (Path(path) for note in self.underway.others() for path in note.approved)

    @property
    def underway(self) -> Underway:
        """The notes for other processes."""
        return Underway(self.aside, self.root)

    def left_behind(self) -> Iterator[Protected]:
        """Return what changed under an OpenKoi that was killed; the user may have changed it since, so it stays."""
        for path in self.underway.left(self.before.states):
            if not runs_nothing_new(path, self.before.states[path], self.before):
                shown = os.path.relpath(path, self.root)
                yield Protected(shown, self.before.rules[path].reason, trouble=KILLED)

    def look(self, den: Den) -> View:
        """Look at all protected files."""
        found: dict[str, Rule] = {}
        for root in (self.root, *den.git):
            caches = tuple(path for path in den.writable if not path.is_relative_to(root))
            index = self.indexes.setdefault(root, AutorunIndex(root, caches=caches))
            found |= self.found_in(index)
        view = view_of(self.indexes.values(), found, self.known)
        self.known = dict(view.states)
        return view

    def found_in(self, index: AutorunIndex) -> dict[str, Rule]:
        """Return the protected files below one root, with those that git's settings name."""
        files = index.find()
        if index.name(frozenset(self.named_by_git(index, files))):
            files = index.find()
        return {index.absolute(path): rule for path, rule in files.items() if rule.protected}

    def named_by_git(self, index: AutorunIndex, files: Mapping[str, Rule]) -> Iterator[str]:
        """Return the paths in the workspace that settings of git name: hooks, and further settings."""
        for path in (one for one in files if os.path.basename(one) in GIT_FILES):  # noqa: PTH119
            place = index.absolute(path)
            state = state_of(place, self.known.get(place))
            for name in (*named_paths(state.text if state else ""), *global_names()):
                yield from inside(index.root, name, os.path.dirname(place))  # noqa: PTH120

    def undo(self, planted: Planted) -> Protected:
        """Put one file back, or move it away."""
        path = Path(planted.path)
        shown = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        kept = self.aside / token_hex(4) / path.name
        try:
            if planted.after or path.is_dir():
                move_aside(planted.path, kept)
            if planted.before:
                put_back(planted.path, planted.before)
            else:
                self.remove_empty(path.parent)
        except OSError as error:
            return Protected(shown, planted.reason, trouble=str(error))
        return Protected(shown, planted.reason, kept=str(kept) if planted.after else "", restored=bool(planted.before))

    def remove_empty(self, folder: Path) -> None:
        """Remove folders that the command made, and that are empty now."""
        with contextlib.suppress(OSError):
            while str(folder) not in self.before.folders:
                folder.rmdir()
                folder = folder.parent


def view_of(indexes: Iterable[AutorunIndex], found: Mapping[str, Rule], known: Mapping[str, FileState]) -> View:
    """Return how these files are now; what is ``known`` and did not change is not read again."""
    states = {path: state for path in found if (state := state_of(path, known.get(path)))}
    indexes = tuple(indexes)
    folders = frozenset(index.absolute(path) for index in indexes for path in index.folders)
    git_folders = frozenset(index.absolute(path) for index in indexes for path in index.git_folders)
    return View(states, found, folders, git_folders)


def taken_over(view: View, notes: Sequence[Note]) -> View:
    """Return how things were before commands of other processes began that run now, the oldest of them first."""
    for note in reversed(notes):
        view = amended(view, note)
    return view


def amended(view: View, note: Note) -> View:
    """Return a view as notes say that it was; without notes there is nothing to say."""
    if not note.process:
        return view
    now = {path: state for path, state in view.states.items() if noted(state) == note.states.get(path)}
    rules = {path: Rule((os.path.basename(path),), reason) for path, reason in note.reasons.items()}  # noqa: PTH119
    return replace(view, states={**note.states, **now}, rules={**rules, **view.rules})


class Protections:
    """Makes protections, one for each workspace. ``aside`` is where they move files to."""

    def __init__(self, aside: Path) -> None:
        self.aside = aside
        self.made: dict[Path, Protection] = {}
        self.making = threading.Lock()

    def of(self, root: Path) -> Protection:
        """Return the protection of a workspace."""
        with self.making:
            root = root.resolve()
            return self.made.setdefault(root, Protection(root, self.aside))


@dataclass(frozen=True, slots=True)
class Seal:
    """What a sandbox makes read-only itself: paths, each with the folder that it was in when the command began."""

    places: Mapping[Path, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Iterable[Path]) -> "Seal":
        """Seal these."""
        return cls({place: identity(place.parent) for place in places})

    def held(self, path: str) -> bool:
        """Return whether a command could not have changed a path."""
        return any(
            Path(path).is_relative_to(place) and identity(place.parent) == before
            for place, before in self.places.items()
        )


def identity(folder: Path) -> tuple[int, int]:
    """Return by what a folder is known however it is called; nothing real when it is not there."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        return status.st_dev, status.st_ino
    return -1, -1


def inside(root: Path, name: str, git: str) -> Iterator[str]:
    """Return where a setting leads, from the root, by either of the folders that it may be meant from."""
    for start in (git, os.path.dirname(git)):  # noqa: PTH120
        place = Path(os.path.normpath(os.path.join(start, os.path.expanduser(name))))  # noqa: PTH111, PTH118
        if place.is_relative_to(root) and place != root:
            yield place.relative_to(root).as_posix()


def global_names() -> Iterator[str]:
    """Return what the user's own settings of git name."""
    for file in GLOBAL_SETTINGS:
        with contextlib.suppress(OSError):
            yield from named_paths(Path(os.path.expandvars(file)).expanduser().read_text(errors="replace"))
