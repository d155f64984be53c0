"""The evaluator: ask each linter of the project, and hold it against what was before. Knows no linter's words."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_files import UnstartableProgram, diagnose_start
from openkoi_hookspecs import (
    Baseline,
    Command,
    CommandResult,
    ConfigError,
    Env,
    Evaluation,
    ExecutionResult,
    Finding,
    Run,
)
from openkoi_hookspecs.events import WarningIssued

from .baseline import baseline_of, before_of
from .linter import Linter
from .linters import has_work, linters
from .messages import Heard, steady
from .opinion import opinion

QUIET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "MYPY_FORCE_COLOR": "0"}
NOT_THERE = {126, 127}


class Lint:
    """Configured by ``[evaluators.lint]``: ``commands``, ``seconds``, ``venv``."""

    def __init__(
        self,
        *,
        commands: Mapping[str, str] | Sequence[str] = (),
        seconds: float = 60.0,
        venv: Annotated[str, Env("VIRTUAL_ENV")] = "",
    ) -> None:
        if not seconds > 0:
            raise ConfigError(f"[evaluators.lint] seconds is {seconds}. It has to be above 0.")
        self.commands = commands
        self.seconds = seconds
        self.venv = venv

    async def baseline(self, run: Run) -> Baseline:
        """Record what the linters find before the first change."""
        return baseline_of(await self._heard(await self._wanted(run), run))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Report what is new since the baseline; None when the project has no linter."""
        before = before_of(work.baseline, work.files)
        wanted = await self._wanted(run)
        heard = await self._heard(wanted, run)
        useless = [one for one in heard if one.broke and before.broke(one.linter)]
        for one in useless:
            await run.emit(
                WarningIssued(f"{one.linter} says nothing about the work: {one.findings[0].title}, as before it.")
            )
        configured = {label(one) for one in wanted}
        gone = [name for name in sorted(before.working - configured) if has_work(name, run.workspace)]
        silent = sorted(before.working & configured - {one.linter for one in heard})
        return opinion([one for one in heard if one not in useless], before, gone, silent)

    async def _wanted(self, run: Run) -> Sequence[Linter]:
        """The linters that the project configures now."""
        return await asyncio.to_thread(linters, run.workspace, self.venv, self.commands)

    async def _heard(self, wanted: Sequence[Linter], run: Run) -> list[Heard]:
        heard = [await self._ask(linter, run) for linter in wanted]
        return [one for one in heard if one is not None]

    async def _ask(self, linter: Linter, run: Run) -> Heard | None:
        """What it found; None, and a warning, when it could not be asked."""
        if not linter.argv:
            await run.emit(
                WarningIssued(f"{linter.name} was not run: the project configures it, but it is not installed.")
            )
            return None
        done = await self._run(linter, linter.env, run)
        if linter.else_env and done.exit_code and not linter.findings(everything(done), run.workspace):
            done = await self._run(linter, {**linter.env, **linter.else_env}, run)
        if done.timed_out:
            advice = "Raise seconds in [evaluators.lint], or leave it out."
            await run.emit(WarningIssued(f"{linter.name} did not end within {self.seconds:g} seconds. {advice}"))
            return None
        if (why := cannot_start(linter, done, run.workspace)) is not None:
            await run.emit(WarningIssued(f"{linter.name} was not run: {why.why}. {why.fix}"))
            return None
        if done.exit_code in NOT_THERE:
            await run.emit(
                WarningIssued(f"{linter.name} was not run: {done.output.strip()[:200] or 'it was not found.'}")
            )
            return None
        return understood(linter, done, run.workspace)

    async def _run(self, linter: Linter, env: Mapping[str, str], run: Run) -> CommandResult:
        return await run.execute(Command(linter.placed, env={**QUIET, **env}, seconds=self.seconds))


def cannot_start(linter: Linter, done: CommandResult, root: Path) -> UnstartableProgram | None:
    """Why a linter that named nothing could not start; None where it did."""
    text = everything(done)
    return None if linter.findings(text, root) else diagnose_start(done.exit_code, text)


def understood(linter: Linter, done: CommandResult, root: Path) -> Heard:
    """Its findings; when it failed and named none, the failure itself."""
    text = everything(done)
    findings = linter.findings(text, root)
    if done.exit_code != 0 and not findings:
        findings = (broken(label(linter), text),)
    return Heard(label(linter), findings, wide=linter.wide)


def label(linter: Linter) -> str:
    """Its name, and that of the folder it looks at."""
    return f"{linter.name} in {linter.folder}" if linter.folder else linter.name


def broken(name: str, text: str) -> Finding:
    """A linter that did not do its work: its configuration or its input is beyond it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    why = steady(lines[-1])[:140] if lines else "it said nothing"
    return Finding(f"{name} fails: {why}", rule=name, detail="\n".join(lines[-20:])[-2000:])


def everything(done: CommandResult) -> str:
    """All that was printed, from wherever it is kept."""
    try:
        return Path(done.output_file).read_text("utf-8", errors="replace") if done.output_file else done.output
    except OSError:
        return done.output
