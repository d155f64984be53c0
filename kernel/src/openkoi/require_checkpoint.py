"""Ask before changing files that no checkpoint contains."""

from typing import TYPE_CHECKING

from openkoi_hookspecs import YES, YES_OR_NO, Question, is_yes
from openkoi_settings import keys, plugin_keys

if TYPE_CHECKING:
    from .run import TaskRun

KEY = keys.REQUIRE_CHECKPOINT.name
CANNOT = "No checkpoint of this folder was saved, so `openkoi undo`, `diff` and `redo` cannot work for this task: "
NOT_CHOSEN = "no plugin saves checkpoints. To choose one, set `checkpoints` under [use] in the config file."
NOT_LOADED = "the plugin named by `checkpoints` under [use] cannot be loaded."
ALLOW = " To change files anyway, set `require_checkpoint = false` under [safety]."
ASK = "This task cannot be undone, because no checkpoint was saved. Change files anyway?"
REFUSED = "Rejected: the user does not allow changes without a checkpoint."


async def may_change_files(run: "TaskRun", *, stays: bool) -> bool | None:
    """Return whether files may be changed: True with a checkpoint, else the user's answer, or None.

    The user is warned that undo cannot work, and asked once per run.
    """
    async with run.baseline.lock:
        if run.workspace_state.origin or run.baseline.unkept is not None:
            return run.baseline.unkept is not False
        chosen = run.services.config[plugin_keys.USE_CHECKPOINTS] not in ("", "none")
        required = chosen and run.services.config[keys.REQUIRE_CHECKPOINT]
        reason = (run.workspace_state.fault or NOT_LOADED) if chosen else NOT_CHOSEN
        run.services.warn_once(f"{CANNOT}{reason.rstrip('.')}.{ALLOW if required else ''}")
        await run.warn()
        question = Question(ASK, choices=YES_OR_NO, digest=KEY)
        answer = await run.ask(question, stays=stays) if required else YES
        run.baseline.unkept = None if answer is None else is_yes(answer)
        return run.baseline.unkept
