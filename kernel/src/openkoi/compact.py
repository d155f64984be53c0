"""Make a conversation shorter when it fills what the model can read."""

from openkoi_hookspecs import LimitExceededError, events
from openkoi_isolation import confined
from openkoi_settings import keys

from .conversation import removed, unsound
from .run import TaskRun


async def compact(run: TaskRun) -> events.HistoryCompacted | None:
    """Replace the conversation by a shorter one; return what was removed, or None if it stays as it is."""
    if not run.services.config[keys.COMPACTION]:
        return None
    before = tuple(run.conversation.messages)
    name = run.agent.compactor or run.services.config[keys.USE_COMPACTOR]
    try:
        compactor = await run.services.components.compactor(name, run.root)
        with confined():
            shorter = await run.with_deadline(compactor.compact(before, run))
    except LimitExceededError:
        raise
    except Exception as error:  # a compactor is a plugin: without it the conversation stays as it is
        run.services.warn_once(f"The conversation could not be made shorter: {error}")
        return None
    if wrong := unsound(shorter, before):
        run.services.warn_once(f"What {name} made of the conversation is left out: {wrong}.")
        return None
    run.conversation.messages = list(shorter)
    return removed(before, shorter) if tuple(shorter) != before else None
