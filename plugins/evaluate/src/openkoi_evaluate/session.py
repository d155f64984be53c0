"""One evaluation, from the copy to the verdict. Knows a Koi, the copy and the worker; knows no terminal."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import Agent, Event, Koi, KoiError, Limits, NoProvider, Task
from openkoi_hookspecs.events import Evaluated, Warned

from .alone import in_doubt, in_time, nobody_asked
from .copy import Copy, name_in
from .git import repository_of, repository_with
from .verdict import ACCEPTED, Ground, Verdict, verdict_of

NAME = "evaluate"
NEEDED = "evaluator"
KEPT_OF_THE_PATH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be evaluated: a folder, or what changed in it since a ``revision``.

    ``judge``: True needs a model, False asks none, None asks one where there is one. ``purpose`` is what the work was
    meant for, in a person's words.
    """

    folder: Path
    revision: str = ""
    judge: bool | None = None
    purpose: str = ""
    limits: Limits = Limits(iterations=1)
    base: Path = Path()

    @property
    def subject(self) -> str:
        """What is evaluated, in words."""
        name = name_in(self.folder, self.base) or self.folder.name
        return f"{name} since {self.revision}" if self.revision else name

    def task(self, workspace: Path) -> Task:
        """The task that the evaluators judge by. In a folder all tests count; since a revision, those green then."""
        what = f"Make the changes that came since {self.revision} sound" if self.revision else "Make this project sound"
        purpose = f", for this purpose: {self.purpose.strip()}" if self.purpose.strip() else ""
        limits = replace(self.limits, calls=0) if self.judge is False else self.limits
        return Task(
            f"{what}{purpose}.",
            category="code" if self.revision else "bugfix",
            channel=NAME,
            limits=replace(limits, iterations=1),
            agent=Agent(name=NAME, worker=NAME, model=NEEDED if self.judge else ""),
            workspace=str(workspace),
        )


async def evaluated(wanted: Wanted, koi: Koi) -> Verdict:
    """Evaluate in a copy; raises NoProvider where a judge is needed and there is no model."""
    with copied(wanted) as copy, imported_from(copy.to):
        if wanted.revision and not copy.changed():
            return unchanged(wanted)
        result = await koi.solve(wanted.task(copy.to))
        ground = Ground(name_in(wanted.folder, wanted.base), lambda path: os.path.lexists(copy.to / path))
        verdict = verdict_of(result, wanted.subject, ground)
        heard = noted(verdict, [record.event for record in koi.records(result.task.session)])
        why = await modelless(wanted, copy.to, koi) if in_doubt(heard) else ""
        return in_time(nobody_asked(heard, why, refused=wanted.judge is False))


@contextmanager
def copied(wanted: Wanted) -> Iterator[Copy]:
    """A copy as things stood before, which is gone afterwards."""
    repository = repository_with(wanted.folder, wanted.revision) if wanted.revision else repository_of(wanted.folder)
    commit = repository.commit(wanted.revision) if repository and wanted.revision else ""
    with TemporaryDirectory(prefix="openkoi-evaluate-", ignore_cleanup_errors=True) as private:
        to = Path(private).resolve() / place_of(wanted.folder)
        copy = Copy(folder=wanted.folder, to=to, repository=repository, commit=commit)
        try:
            copy.begin()
        except OSError as error:
            raise KoiError(f"{wanted.folder} cannot be copied to be evaluated: {error}") from error
        yield copy


@contextmanager
def imported_from(copy: Path) -> Iterator[None]:
    """Let Python take modules from the copy, although an environment may have the project itself installed."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(copy / "src"), str(copy), before)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def unchanged(wanted: Wanted) -> Verdict:
    """What there is to say where nothing is other than it was."""
    reason = f"nothing changed since {wanted.revision}"
    return Verdict(subject=wanted.subject, status=ACCEPTED, reason=reason, quality=wanted.limits.quality)


def place_of(folder: Path) -> Path:
    """What a copy of a folder is called: with the folders around it, for tests may know how these are named."""
    return Path(*folder.parts[1:][-KEPT_OF_THE_PATH:] or ("project",))


def noted(verdict: Verdict, happened: Sequence[Event]) -> Verdict:
    """The verdict with what was said on the way: who was asked, and what was warned of."""
    warned = [event.text for event in happened if isinstance(event, Warned)]
    asked = [name for event in happened if isinstance(event, Evaluated) for name in event.evaluators]
    return replace(verdict, warnings=tuple(dict.fromkeys(warned)), evaluators=tuple(asked))


async def modelless(wanted: Wanted, workspace: Path, koi: Koi) -> str:
    """Why there is no model to judge; empty where there is one."""
    needing = replace(wanted, judge=True).task(workspace)
    try:
        await koi.solve(replace(needing, limits=replace(needing.limits, iterations=0)))
    except NoProvider as error:
        return str(error)
    return ""
