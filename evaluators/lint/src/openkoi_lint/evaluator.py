"""Run each linter of the project, and compare with the baseline."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_base.files import UnstartableProgram, diagnose_start
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

from .baseline import make_baseline, read_baseline
from .evaluation import evaluate_findings
from .linter import Linter
from .linters import find_all_linters, has_work
from .messages import LinterOutput, normalize_message

QUIET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "MYPY_FORCE_COLOR": "0"}
COMMAND_NOT_FOUND = {126, 127}


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
            raise ConfigError(f"[evaluators.lint] seconds is {seconds}. It must be above 0.")
        self.commands = commands
        self.seconds = seconds
        self.venv = venv

    async def baseline(self, run: Run) -> Baseline:
        """Record what the linters find before the first change."""
        return make_baseline(await self._run_linters(await self._find_linters(run), run))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Report what is new since the baseline; None when the project has no linter."""
        before = read_baseline(work.baseline, work.files)
        wanted = await self._find_linters(run)
        heard = await self._run_linters(wanted, run)
        useless = [one for one in heard if one.broke and before.was_broken(one.linter)]
        for one in useless:
            await run.emit(
                WarningIssued(
                    f"{one.linter} failed as it did before the task, so it was ignored: {one.findings[0].title}."
                )
            )
        configured = {label(one) for one in wanted}
        gone = [name for name in sorted(before.working - configured) if has_work(name, run.workspace)]
        silent = sorted(before.working & configured - {one.linter for one in heard})
        return evaluate_findings([one for one in heard if one not in useless], before, gone, silent)

    async def _find_linters(self, run: Run) -> Sequence[Linter]:
        """Return the linters that the project configures now."""
        return await asyncio.to_thread(find_all_linters, run.workspace, self.venv, self.commands)

    async def _run_linters(self, wanted: Sequence[Linter], run: Run) -> list[LinterOutput]:
        heard = [await self._run_linter(linter, run) for linter in wanted]
        return [one for one in heard if one is not None]

    async def _run_linter(self, linter: Linter, run: Run) -> LinterOutput | None:
        """Return a linter's output; return None after a warning when it could not run."""
        if not linter.argv:
            await run.emit(WarningIssued(f"{linter.name} was not run: it is configured but not installed."))
            return None
        done = await self._run(linter, linter.env, run)
        if linter.else_env and done.exit_code and not linter.findings(full_output(done), run.workspace):
            done = await self._run(linter, {**linter.env, **linter.else_env}, run)
        if done.timed_out:
            advice = "Raise seconds in [evaluators.lint], or remove the linter."
            await run.emit(WarningIssued(f"{linter.name} timed out after {self.seconds:g} seconds. {advice}"))
            return None
        if (why := cannot_start(linter, done, run.workspace)) is not None:
            await run.emit(WarningIssued(f"{linter.name} was not run: {why.why}. {why.fix}"))
            return None
        if done.exit_code in COMMAND_NOT_FOUND:
            await run.emit(
                WarningIssued(f"{linter.name} was not run: {done.output.strip()[:200] or 'it was not found.'}")
            )
            return None
        return parse_output(linter, done, run.workspace)

    async def _run(self, linter: Linter, env: Mapping[str, str], run: Run) -> CommandResult:
        return await run.execute(Command(linter.command_line, env={**QUIET, **env}, seconds=self.seconds))


def cannot_start(linter: Linter, done: CommandResult, root: Path) -> UnstartableProgram | None:
    """Return why a linter without findings could not start, or None if it did."""
    text = full_output(done)
    return None if linter.findings(text, root) else diagnose_start(done.exit_code, text)


def parse_output(linter: Linter, done: CommandResult, root: Path) -> LinterOutput:
    """Return the linter's findings; report the failure itself when it failed without any."""
    text = full_output(done)
    findings = linter.findings(text, root)
    if done.exit_code != 0 and not findings:
        findings = (failure_finding(label(linter), text),)
    return LinterOutput(label(linter), findings, wide=linter.wide)


def label(linter: Linter) -> str:
    """Return the linter's name and the folder it checks."""
    return f"{linter.name} in {linter.folder}" if linter.folder else linter.name


def failure_finding(name: str, text: str) -> Finding:
    """Return the finding for a linter that failed, for example because of its configuration."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    why = normalize_message(lines[-1])[:140] if lines else "no output"
    return Finding(f"{name} fails: {why}", rule=name, detail="\n".join(lines[-20:])[-2000:])


def full_output(done: CommandResult) -> str:
    """Return the complete output."""
    try:
        return Path(done.output_file).read_text("utf-8", errors="replace") if done.output_file else done.output
    except OSError:
        return done.output
