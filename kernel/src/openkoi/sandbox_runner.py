"""Run commands in the chosen sandbox; refuse if it is weaker than required."""

from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from openkoi_hookspecs import (
    YES_OR_NO,
    Command,
    CommandResult,
    KoiError,
    LimitExceededError,
    Question,
    Run,
    Sandbox,
    is_yes,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import keys

from .services import Services

LEVELS = keys.SANDBOX_LEVELS
KEY = keys.SANDBOX_MINIMUM.name
# What the commands of the tool call under way may change, and those of no other.
CALL_PATHS = ContextVar[frozenset[str]]("CALL_PATHS", default=frozenset())


@dataclass(slots=True)
class SandboxRunner:
    """Runs the commands of one run. ``approved`` are the paths that the user allowed; ``waived``: any level will do."""

    services: Services
    run: Run
    approved: frozenset[str] = frozenset()
    waived: bool = False

    async def execute(self, command: Command, workspace: Path, seconds_left: float) -> CommandResult:
        """Run a command in the workspace, no longer than the task may last, and log what the sandbox reports."""
        if seconds_left <= 0:
            raise LimitExceededError("seconds")
        sandbox = await self.services.components.sandbox()
        if sandbox is None:
            raise KoiError("No sandbox is installed, so no command can be run. Install openkoi-sandbox.")
        await self.require_level(sandbox)
        hidden = command.hide_env | self.services.redactor.find_names(self.services.config.environment)
        seconds, approved = min(command.seconds, seconds_left), command.approved | self.approved | CALL_PATHS.get()
        done = await sandbox.execute(replace(command, seconds=seconds, hide_env=hidden, approved=approved), workspace)
        for event in done.events:
            await self.run.emit(event)
        return done

    async def require_level(self, sandbox: Sandbox) -> None:
        """Raise KoiError if the sandbox is weaker than the settings require and the user does not allow it."""
        wanted = LEVELS.index(self.services.config[keys.SANDBOX_MINIMUM])
        if wanted == 0 or self.waived:
            return
        proved = await sandbox.probe_level()
        if proved >= wanted:
            return
        short = f"{KEY} requires the level {LEVELS[wanted]!r}, but only {LEVELS[proved]!r} could be verified here."
        question = Question(f"{short} Run commands anyway in this task?", choices=YES_OR_NO, digest=KEY)
        if not is_yes(await self.run.ask(question)):
            raise KoiError(f"No command was run: {short} Run `openkoi doctor` to see what is missing.")
        self.waived = True
