"""Run each of the project's linters, and compare the findings with those from before the task."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import Baseline, ConfigError, Env, Evaluation, ExecutionResult, Run
from openkoi_hookspecs.events import WarningIssued

from .baseline import LintBaseline, LinterBaseline, make_baseline, read_baseline
from .evaluation import evaluate_findings
from .linter import Linter
from .linters import find_all_linters, has_work
from .messages import LinterOutput
from .run_linter import LinterRunner

if TYPE_CHECKING:
    from .compare_files import Comparison

UNSEEN = "{} was not run: no checkpoint shows which files changed"
CUT = "{} reported more problems than the limit; the rest were ignored"
AS_BEFORE = "{} already failed before the task, so it was ignored: {}."
TOO_MUCH = "{} reported so many problems before the task that new ones cannot be identified, so it was ignored."


class Lint:
    """Configured by ``[evaluators.lint]``: ``commands``, ``seconds``, ``venv``.

    With checkpoints, the diff shows the files as they were before the task, and they are checked at the end. Otherwise,
    the whole project is checked before the task.
    """

    def __init__(
        self,
        *,
        commands: Mapping[str, str] | Sequence[str] = (),
        seconds: float = 60.0,
        venv: Annotated[str, Env("VIRTUAL_ENV")] = "",
    ) -> None:
        if not seconds > 0:
            raise ConfigError(f"[evaluators.lint] seconds is {seconds}. It must be above 0.")
        self.commands = commands
        self.seconds = seconds
        self.venv = venv

    async def baseline(self, run: Run) -> Baseline:
        """Record before the first change which linters work, and the findings of those that check whole projects."""
        runner, wanted = LinterRunner(run, self.seconds), await self._find_linters(run)
        later = [linter for linter in wanted if linter.files and run.koi.chosen_name("checkpoints")]
        checks = (runner.check_settings(one) if one in later else runner.check_project(one) for one in wanted)
        outputs = [await check for check in checks]
        return make_baseline([one for one in outputs if one is not None], later=[linter.label for linter in later])

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Report findings that are new since before the task; None when the project has no linter."""
        before = read_baseline(work.baseline, work.files)
        runner, wanted = LinterRunner(run, self.seconds), await self._find_linters(run)
        compared = {linter.label: await compare(linter, work, before, runner) for linter in wanted}
        useless = {name: why for name, one in compared.items() if (why := why_useless(one.now, before))}
        for why in useless.values():
            await run.emit(WarningIssued(why))
        gone = [name for name in sorted(before.working - compared.keys()) if has_work(name, run.workspace)]
        useful = [one for name, one in compared.items() if name not in useless]
        known = before.with_linters({name: one.then for name, one in compared.items()})
        silent = [f"{name} did not run" for name in sorted(before.working & compared.keys()) if compared[name].silent]
        missing = [*silent, *(why for one in useful for why in one.missing)]
        return evaluate_findings([one.now for one in useful if one.now], known, gone, missing)

    async def _find_linters(self, run: Run) -> Sequence[Linter]:
        """Return the linters that the project configures now."""
        return await asyncio.to_thread(find_all_linters, run.workspace, self.venv, self.commands)


async def compare(linter: Linter, work: ExecutionResult, before: LintBaseline, runner: LinterRunner) -> "Comparison":
    """Check the changed files if they are known, else the whole project, and compare with the state before the task."""
    from .compare_files import Comparison, compare_files

    then = before.linters.get(linter.label, LinterBaseline({}))
    if linter.files and work.checkpoint:
        found = await compare_files(linter, work, runner)
    elif then.later:
        found = Comparison(None, then, (UNSEEN.format(linter.label),))
    else:
        found = Comparison(await runner.check_project(linter), then)
    cut = (CUT.format(linter.label),) if found.now and found.now.cut else ()
    return replace(found, missing=(*found.missing, *cut))


def why_useless(now: LinterOutput | None, before: LintBaseline) -> str:
    """Return why a linter's findings cannot be used, or an empty string."""
    then = before.linters.get(now.linter) if now else None
    if now and then and now.broke and then.broke:
        return AS_BEFORE.format(now.linter, now.findings[0].title)
    return TOO_MUCH.format(now.linter) if now and then and then.cut else ""
