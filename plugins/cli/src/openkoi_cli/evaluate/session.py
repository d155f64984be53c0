"""Run one evaluation, from the copy to the report."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
from openkoi_hookspecs.lazy_dataclass import dataclass

from .git import find_repository, require_repository
from .report import BELOW, NO_PROVIDER, EvaluationReport, FindingRoot, build_report
from .workspace_copy import WorkspaceCopy, relative_name

AGENT_NAME = "evaluate"
JUDGE_ROLE = "evaluator"
KEPT_PATH_PARTS = 3
NO_JUDGE_OPTION = "No judge was used because of --no-judge; the checks decide."
NO_MODEL = "No judge was used; the checks decide. {why}"
CHECKS_ONLY_CONFLICT = "--judge conflicts with `evaluation.checks_only = true`. Set that to false, or omit --judge."
NO_JUDGE = "--judge needs an evaluator that judges, and none is enabled. Install openkoi-judge, or omit --judge."


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """What to evaluate: a folder, or the changes in it since a ``revision``.

    ``judge``: True requires a model, False uses none, None uses one if available. ``purpose`` is what the work
    was meant for, in the user's words.
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
        name = relative_name(self.folder, self.base) or self.folder.name
        return f"{name} since {self.revision}" if self.revision else name

    def build_task(self, workspace: Path, *, judge: bool) -> Task:
        """Return the task against which the evaluators judge the work.

        In a folder all tests count; since a revision, those that passed then. With a ``judge`` it needs a model:
        running it raises NoProviderError if there is none.
        """
        what = (
            f"Make the changes since {self.revision} correct" if self.revision else "Fix what is wrong in this project"
        )
        purpose = f". Purpose: {self.purpose.strip()}" if self.purpose.strip() else ""
        return Task(
            f"{what}{purpose}.",
            category="code" if self.revision else "bugfix",
            channel=AGENT_NAME,
            limits=replace(self.limits, iterations=1),
            agent=Agent(name=AGENT_NAME, worker=AGENT_NAME, model=JUDGE_ROLE if judge else ""),
            workspace=str(workspace),
            judge=judge,
        )


async def evaluate_copy(wanted: EvaluationRequest, koi: Koi) -> EvaluationReport:
    """Evaluate in a copy; raise NoProviderError if a judge is requested and there is no model."""
    with open_copy(wanted) as copy, import_from(copy.to):
        if wanted.revision and not copy.is_changed():
            return unchanged_report(wanted)
        result, without = await run_evaluation(wanted, copy.to, koi)
        ground = FindingRoot(relative_name(wanted.folder, wanted.base), lambda path: os.path.lexists(copy.to / path))
        report = build_report(result, wanted.subject, ground)
        return warn_unasked(add_notes(report, [record.event for record in koi.records(result.task.session)]), without)


async def run_evaluation(wanted: EvaluationRequest, workspace: Path, koi: Koi) -> tuple[Result, str]:
    """Run the evaluation; return its result and why no judge was asked: empty if one was asked, or if none is enabled.

    Raise NoProviderError if a judge is requested, and none is enabled or there is no model.
    """
    enabled = any([await is_judge(entry, broken=not wanted.judge) for entry in koi.plugins("evaluators")])
    if wanted.judge and not enabled:
        raise NoProviderError(NO_JUDGE)
    if wanted.judge is False or not enabled:
        return await koi.solve(wanted.build_task(workspace, judge=False)), NO_JUDGE_OPTION if enabled else ""
    try:
        result = await koi.solve(wanted.build_task(workspace, judge=True))
    except NoProviderError as error:
        if wanted.judge:
            raise
        return await koi.solve(wanted.build_task(workspace, judge=False)), NO_MODEL.format(why=error)
    if wanted.judge and result.best.facts.policy is not Policy.JUDGE:
        raise NoProviderError(CHECKS_ONLY_CONFLICT)
    return result, ""


async def is_judge(entry: PluginEntry, *, broken: bool) -> bool:
    """Return whether an evaluator is a judge; ``broken`` if it cannot be loaded.

    Raise ConfigError if it refuses a setting.
    """
    try:
        return getattr(await entry.load(), "judges", False) is True
    except ConfigError:
        raise
    except KoiError:  # the run reports what is wrong with a broken one
        return broken


def warn_unasked(report: EvaluationReport, why: str) -> EvaluationReport:
    """Add a warning that says why no judge was called; if a judge is required, set the status to match."""
    if not why:
        return report
    status = NO_PROVIDER if report.evaluation.unavailable_reason else report.status
    return replace(report, status=status, warnings=(*report.warnings, why))


@contextmanager
def open_copy(wanted: EvaluationRequest) -> Iterator[WorkspaceCopy]:
    """Yield a copy of the earlier state, which is deleted afterwards."""
    repository = (
        require_repository(wanted.folder, wanted.revision) if wanted.revision else find_repository(wanted.folder)
    )
    commit = repository.resolve_commit(wanted.revision) if repository and wanted.revision else ""
    with TemporaryDirectory(prefix="openkoi-evaluate-", ignore_cleanup_errors=True) as private:
        to = Path(private).resolve() / copy_name(wanted.folder)
        copy = WorkspaceCopy(folder=wanted.folder, to=to, repository=repository, commit=commit)
        try:
            copy.lay_out_base()
        except OSError as error:
            raise KoiError(f"{wanted.folder} cannot be copied for the evaluation: {error}") from error
        yield copy


@contextmanager
def import_from(copy: Path) -> Iterator[None]:
    """Let Python import modules from the copy, even if the project itself is installed in the environment."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(copy / "src"), str(copy), before)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def unchanged_report(wanted: EvaluationRequest) -> EvaluationReport:
    """Return the report for work without changes."""
    reason = f"nothing changed since {wanted.revision}, so there is nothing to evaluate"
    return EvaluationReport(
        subject=wanted.subject, status=BELOW, reason=reason, quality=wanted.limits.quality_threshold
    )


def copy_name(folder: Path) -> Path:
    """Return the name of a copy, with the parent folders' names because tests may depend on them."""
    return Path(*folder.parts[1:][-KEPT_PATH_PARTS:] or ("project",))


def add_notes(report: EvaluationReport, happened: Sequence[Event]) -> EvaluationReport:
    """Return the report with the warnings of the run and the evaluators that were asked."""
    warned = [event.text for event in happened if isinstance(event, WarningIssued)]
    evaluators = [name for event in happened if isinstance(event, EvaluationFinished) for name in event.evaluators]
    return replace(report, warnings=tuple(dict.fromkeys(warned)), evaluators=tuple(evaluators))
