"""Run a job while files that other programs run stay unchanged, and report what was refused or undone."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from openkoi_base.schema.autorun import AutorunRule
from openkoi_base.schema.autorun_index import GIT_FILES
from openkoi_hookspecs import CommandResult, Event, KoiError

from .events import Protected, Unsealed
from .exit_codes import append_notes
from .git_state import describe_git_state, names_git
from .planted_changes import ProtectedView
from .private_dirs import PrivateDirs
from .protection import Protection, ReadOnlySeal
from .run_until_timeout import Job
from .sandbox_policy import is_within

REFUSALS = ("Read-only file system", "Device or resource busy")
APPROVAL_NOTE = "To change it, write it with a file tool or run a plain git command: the user is asked to approve it."


class ProtectedJob:
    """Run a job that leaves no file behind which another program would run, unless the user has approved its path."""

    def __init__(self, job: Job, protection: Protection, sandbox: str) -> None:
        self.job = job
        self.protection = protection
        self.sandbox = sandbox
        self.cancelled = job.cancelled

    def run(self) -> CommandResult:
        """Run the job between two scans of the workspace."""
        job = self.job
        if not job.root.is_dir():
            return job.run()
        approved = [Path(path) for path in job.command.approved]
        before = self.scan_protected(job.private, approved)
        seal = ReadOnlySeal.seal_paths(sealable_paths(before, job, approved) if job.confinement.makes_read_only else ())
        job.read_only = tuple(seal.places)
        undone: Sequence[Protected] = ()
        try:
            done = job.run()
        finally:
            undone = self.protection.end(job.private, approved=approved, sealed=seal)
        notes = [*map(undo_note, undone), *refusal_notes(done, job)]
        restored = any(one.restored and one.path.split("/")[0] != ".git" for one in undone)
        notes += describe_git_state(job, done.output, restored=restored) if notes else ()
        events = (*done.events, *self.announce_weakness(before), *undone)
        return replace(done, output=append_notes(done.output, notes), events=events)

    def announce_weakness(self, before: ProtectedView) -> Iterator[Event]:
        """Warn once that changes of files that cannot be read-only are undone, if there are such files."""
        if before.states and not self.job.confinement.makes_read_only and not self.protection.announced:
            self.protection.announced = True
            yield Unsealed(self.sandbox)

    def scan_protected(self, private: PrivateDirs, approved: Sequence[Path]) -> ProtectedView:
        """Scan the workspace; the command does not run if that fails."""
        try:
            return self.protection.begin(private, approved)
        except OSError as error:
            raise KoiError(f"The command was not run: {error.filename} cannot be read ({error.strerror}).") from error


def sealable_paths(view: ProtectedView, job: Job, approved: Sequence[Path]) -> Iterator[Path]:
    """Yield the paths that a sandbox may make read-only: files and folders at the top without an approved path in them.

    For git, files of a working tree are excluded: it would stop in the middle of its work.
    """
    tops = (job.root.resolve(), *job.private.git)
    free = names_git(job.command.argv)
    paths = (path for path in view.states if not free or is_of_git(view.rules[path]))
    places = (sealed_path_of(Path(path), view, tops) for path in paths)
    for place in dict.fromkeys(place for place in places if place):
        if not is_within(place, approved) and not any(path.is_relative_to(place) for path in approved):
            yield place


def is_of_git(rule: AutorunRule) -> bool:
    """Return whether git itself does not write a file when it changes its working tree."""
    return rule.parts[0] == ".git" and not rule.via


def sealed_path_of(path: Path, view: ProtectedView, tops: Sequence[Path]) -> Path | None:
    """Return the file, or the folder of the rule, to make read-only; none if it is deeper, or a link.

    What a link or setting names is read-only wherever it lies: there are few of them.
    """
    top = next((top for top in tops if path.is_relative_to(top)), None)
    if top is None:
        return None
    parts = path.relative_to(top).parts
    rule = view.rules[str(path)]
    depth = len(parts) if rule.via else sealed_depth(rule, parts, bare=str(top) in view.git_folders)
    place = top.joinpath(*parts[:depth])
    real = os.path.realpath(place) == str(place)  # resolve() raises an error for a link to itself
    return place if depth and real and (place.is_dir() or place.is_file()) else None


def sealed_depth(rule: AutorunRule, parts: Sequence[str], *, bare: bool) -> int:
    """Return how many of a path's parts lead to the entry that can be read-only; 0 if that entry is deeper."""
    if rule.parts[0] == ".git":
        inner = parts[0 if bare else 1 :]
        inside = (bare or parts[0] == ".git") and inner[:1] and inner[0] in (*GIT_FILES, "hooks")
        return len(parts) - len(inner) + 1 if inside else int(tuple(parts) == (".git",))
    if rule.below:
        return len(rule.parts) if tuple(map(str.casefold, parts[: len(rule.parts)])) == rule.parts else 0
    return int(len(parts) == 1)


def undo_note(undone: Protected) -> str:
    """Report to the model what happened to a file, and what to do."""
    return f"[{undone.path} {undone.outcome}: {undone.reason}, outside the sandbox. {APPROVAL_NOTE}]"


def refusal_notes(done: CommandResult, job: Job) -> Iterator[str]:
    """Report to the model why a file could not be written, if the output names one that is read-only."""
    if not any(refusal in done.output for refusal in REFUSALS):
        return
    for place in job.read_only:
        relative = str(place.relative_to(job.root)) if place.is_relative_to(job.root) else str(place)
        if relative in done.output:
            yield f"[{relative} is read-only to commands, because other programs execute it. {APPROVAL_NOTE}]"
