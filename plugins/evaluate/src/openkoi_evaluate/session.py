"""One evaluation, from the copy to the verdict. Knows a Koi, the copy and the worker; knows no terminal."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import (
    Agent,
    ConfigError,
    Event,
    Koi,
    KoiError,
    Limits,
    NoProviderError,
    PluginEntry,
    Policy,
    Result,
    Task,
)
from openkoi_hookspecs.events import EvaluationFinished, WarningIssued

from .copy import Copy, name_in
from .git import repository_of, repository_with
from .verdict import BELOW, NO_PROVIDER, Ground, Verdict, verdict_of

NAME = "evaluate"
NEEDED = "evaluator"
KEPT_OF_THE_PATH = 3
REFUSED = "No judge was asked because of --no-judge; the checks decide."
MODELLESS = "No judge was asked; the checks decide. {why}"
SWITCHED_OFF = "--judge conflicts with `evaluation.checks_only = true`. Set that to false, or omit --judge."
NO_JUDGE = "--judge needs an evaluator that judges, and none is enabled. Install openkoi-judge, or omit --judge."


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

    def task(self, workspace: Path, *, judge: bool) -> Task:
        """The task that the evaluators judge by. In a folder all tests count; since a revision, those green then.

        With a ``judge`` it needs a model: doing it raises NoProviderError where there is none.
        """
        what = f"Make the changes that came since {self.revision} sound" if self.revision else "Make this project sound"
        purpose = f", for this purpose: {self.purpose.strip()}" if self.purpose.strip() else ""
        return Task(
            f"{what}{purpose}.",
            category="code" if self.revision else "bugfix",
            channel=NAME,
            limits=replace(self.limits, iterations=1),
            agent=Agent(name=NAME, worker=NAME, model=NEEDED if judge else ""),
            workspace=str(workspace),
            judge=judge,
        )


async def evaluated(wanted: Wanted, koi: Koi) -> Verdict:
    """Evaluate in a copy; raises NoProviderError where a judge is asked for and there is no model."""
    with copied(wanted) as copy, imported_from(copy.to):
        if wanted.revision and not copy.changed():
            return unchanged(wanted)
        result, without = await run_evaluation(wanted, copy.to, koi)
        ground = Ground(name_in(wanted.folder, wanted.base), lambda path: os.path.lexists(copy.to / path))
        verdict = verdict_of(result, wanted.subject, ground)
        return warn_unasked(noted(verdict, [record.event for record in koi.records(result.task.session)]), without)


async def run_evaluation(wanted: Wanted, workspace: Path, koi: Koi) -> tuple[Result, str]:
    """Run the evaluation; return its result and why no judge was asked, empty if one was or none is enabled.

    Raises NoProviderError where a judge is asked for, and none is enabled or there is no model.
    """
    enabled = any([await is_judge(entry, broken=not wanted.judge) for entry in koi.plugins("evaluators")])
    if wanted.judge and not enabled:
        raise NoProviderError(NO_JUDGE)
    if wanted.judge is False or not enabled:
        return await koi.solve(wanted.task(workspace, judge=False)), REFUSED if enabled else ""
    try:
        result = await koi.solve(wanted.task(workspace, judge=True))
    except NoProviderError as error:
        if wanted.judge:
            raise
        return await koi.solve(wanted.task(workspace, judge=False)), MODELLESS.format(why=error)
    if wanted.judge and result.best.facts.policy is not Policy.JUDGE:
        raise NoProviderError(SWITCHED_OFF)
    return result, ""


async def is_judge(entry: PluginEntry, *, broken: bool) -> bool:
    """Whether an evaluator is a judge; ``broken`` if it cannot be loaded.

    Raises ConfigError if it refuses a setting.
    """
    try:
        return getattr(await entry.load(), "judges", False) is True
    except ConfigError:
        raise
    except KoiError:  # the run reports what is wrong with a broken one
        return broken


def warn_unasked(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict with a warning why no judge was asked; if one is required, the status says so."""
    if not why:
        return verdict
    status = NO_PROVIDER if verdict.evaluation.unavailable_reason else verdict.status
    return replace(verdict, status=status, warnings=(*verdict.warnings, why))


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
    reason = f"nothing changed since {wanted.revision}, so there is nothing to evaluate"
    return Verdict(subject=wanted.subject, status=BELOW, reason=reason, quality=wanted.limits.quality_threshold)


def place_of(folder: Path) -> Path:
    """What a copy of a folder is called: with the folders around it, for tests may know how these are named."""
    return Path(*folder.parts[1:][-KEPT_OF_THE_PATH:] or ("project",))


def noted(verdict: Verdict, happened: Sequence[Event]) -> Verdict:
    """The verdict with what was said on the way: who was asked, and what was warned of."""
    warned = [event.text for event in happened if isinstance(event, WarningIssued)]
    asked = [name for event in happened if isinstance(event, EvaluationFinished) for name in event.evaluators]
    return replace(verdict, warnings=tuple(dict.fromkeys(warned)), evaluators=tuple(asked))
