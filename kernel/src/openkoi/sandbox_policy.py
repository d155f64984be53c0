"""See to it that commands run in no weaker cage than was asked for. Knows levels; knows no sandbox by name."""

from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError, KoiError, Question, Sandbox

if TYPE_CHECKING:
    from .run import TaskRun

LEVELS = ("none", "limited", "confined", "isolated")
KEY = "safety.sandbox_minimum"
YES = ("y", "yes", "allow", "approve")


async def require_level(sandbox: Sandbox, run: "TaskRun") -> None:
    """Raise where commands would be less caged than the configuration wants, and no person allows it for this run."""
    wanted = level_of(run.app.config.get(KEY, str, LEVELS[0]))
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


def level_of(name: str) -> int:
    if name not in LEVELS:
        raise ConfigError(f"{KEY} is {name!r}; it should be one of {', '.join(LEVELS)}.")
    return LEVELS.index(name)
