"""Run a linter on the project, on single files, or on a text, and parse what it prints."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from openkoi_base.files import diagnose_start
from openkoi_hookspecs import Command, Finding, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .linter import Linter
from .linter_output import PrintedOutput, failure_finding, take_output
from .messages import LinterOutput

QUIET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "MYPY_FORCE_COLOR": "0"}
COMMAND_NOT_FOUND = {126, 127}
MAX_FINDINGS = 10_000
MAX_NAMED_FILES = 200  # in one command line, which Windows limits to 32 KB


@dataclass(frozen=True, slots=True)
class LinterRunner:
    """Runs linters in a run's workspace, each for at most ``seconds``; warns about one that could not run."""

    run: Run
    seconds: float

    async def check_project(self, linter: Linter) -> LinterOutput | None:
        """Check the linter's targets; return None when the linter could not run."""
        return await self._check(linter, linter.project_command())

    async def check_files(self, linter: Linter, files: Sequence[str]) -> LinterOutput | None:
        """Check files of the workspace; without files, check only the linter's settings."""
        if not files:
            return await self.check_settings(linter)
        batches = (files[start : start + MAX_NAMED_FILES] for start in range(0, len(files), MAX_NAMED_FILES))
        commands = dict.fromkeys(map(linter.files_command, batches))
        heard = [await self._check(linter, command) for command in commands]
        outputs = [one for one in heard if one is not None]
        if len(outputs) < len(heard):
            return None
        findings = tuple(finding for one in outputs for finding in one.findings)
        return replace(outputs[0], findings=findings, cut=any(one.cut for one in outputs))

    async def check_settings(self, linter: Linter) -> LinterOutput | None:
        """Check an empty file, which shows whether the linter works here."""
        output = await self.check_text(linter, linter.probe, "")
        return output and replace(output, findings=tuple(one for one in output.findings if not one.where))

    async def check_text(self, linter: Linter, file: str, text: str) -> LinterOutput | None:
        """Check a text as if it were this file of the workspace."""
        output = await self._check(linter, linter.stdin_command(file), text.encode())
        return output and replace(output, findings=tuple(move_to(file, finding) for finding in output.findings))

    async def _check(self, linter: Linter, argv: Sequence[str], stdin: bytes = b"") -> LinterOutput | None:
        if not linter.argv:
            await self._warn(
                f"{linter.name} was not run: it is configured but not installed. Install it, or remove its settings."
            )
            return None
        root = self.run.workspace
        printed = await self._run_command(argv, linter.env, stdin)
        if linter.else_env and printed.exit_code and not linter.findings(printed.text, root):
            printed = await self._run_command(argv, {**linter.env, **linter.else_env}, stdin)
        findings = linter.findings(printed.text, root)
        if why := self._fault(printed, findings):
            await self._warn(f"{linter.name} {why}")
            return None
        if printed.exit_code and not findings:
            findings = (failure_finding(linter.label, printed),)
        cut = printed.cut or len(findings) > MAX_FINDINGS
        return LinterOutput(linter.label, findings[:MAX_FINDINGS], wide=linter.wide, cut=cut)

    def _fault(self, printed: PrintedOutput, findings: Sequence[Finding]) -> str:
        """Return why a linter did not run, or an empty string."""
        if printed.timed_out:
            advice = "Raise `seconds` in [evaluators.lint], or remove the linter."
            return f"timed out after {self.seconds:g} seconds. {advice}"
        if not findings and (why := diagnose_start(printed.exit_code, printed.text)) is not None:
            return f"was not run: {why.why}. {why.fix}"
        if printed.exit_code in COMMAND_NOT_FOUND:
            return f"was not run: {printed.text.strip()[:200] or 'it was not found.'}"
        return ""

    async def _run_command(self, argv: Sequence[str], env: Mapping[str, str], stdin: bytes) -> PrintedOutput:
        command = Command(argv, stdin=stdin, env={**QUIET, **env}, seconds=self.seconds)
        return take_output(await self.run.execute(command))

    async def _warn(self, text: str) -> None:
        await self.run.emit(WarningIssued(text))


def move_to(file: str, finding: Finding) -> Finding:
    """Return a finding in a text as one in the corresponding file."""
    return replace(finding, where=f"{file}:{finding.where.rpartition(':')[2]}") if finding.where else finding
