"""Run commands in the chosen sandbox, in no weaker one than was asked for. Depends on no sandbox by name."""

from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import (
    Command,
    CommandResult,
    KoiError,
    LimitExceededError,
    Question,
    Sandbox,
)
from openkoi_settings import keys

if TYPE_CHECKING:
    from .run import TaskRun

LEVELS = keys.SANDBOX_LEVELS
KEY = keys.SANDBOX_MINIMUM.name
YES = ("y", "yes", "allow", "approve")


async def execute_in_sandbox(command: Command, run: "TaskRun") -> CommandResult:
    """Run a command in the workspace, no longer than the task may last, and log what the sandbox reports."""
    if run.budget.seconds_left <= 0:
        raise LimitExceededError("seconds")
    sandbox = await run.services.components.sandbox()
    if sandbox is None:
        raise KoiError("No sandbox is installed, so no command can be run. Install openkoi-sandbox.")
    await require_level(sandbox, run)
    hidden = command.hide_env | run.services.redactor.names(run.services.config.environment)
    seconds, approved = min(command.seconds, run.budget.seconds_left), command.approved | run.approved
    bounded = replace(command, seconds=seconds, hide_env=hidden, approved=approved)
    done = await sandbox.execute(bounded, run.workspace)
    for event in done.events:
        await run.emit(event)
    return done


async def require_level(sandbox: Sandbox, run: "TaskRun") -> None:
    """Raise where commands would be less caged than the configuration wants, and no person allows it for this run."""
    wanted = LEVELS.index(run.services.config[keys.SANDBOX_MINIMUM])
    if wanted == 0 or run.uncaged:
        return
    proved = await sandbox.probe_level()
    if proved >= wanted:
        return
    short = f"{KEY} wants commands to be {LEVELS[wanted]}, and here only {LEVELS[proved]} can be proved."
    answer = await run.ask(Question(f"{short} Run them all the same, in this task?", choices=("yes", "no"), digest=KEY))
    if answer is None or answer.strip().lower() not in YES:
        raise KoiError(f"No command is run: {short} openkoi doctor says what is missing.")
    run.uncaged = True
