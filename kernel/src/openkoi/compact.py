"""Make a conversation shorter when it fills what the model can read."""

from openkoi_hookspecs import LimitExceededError, events

from .conversation import removed, unsound
from .deadline import confined
from .kernel import Kernel


async def compact(run: Kernel) -> events.HistoryCompacted | None:
    """Replace the conversation by a shorter one; return what was removed, or None if it stays as it is."""
    if not run.house.config.get("memory.compaction", bool, True):
        return None
    before = tuple(run.talk.messages)
    name = run.agent.compactor or run.house.config.get("use.compactor", str, "")
    try:
        compactor = await run.house.sockets.compactor(name)
        with confined():
            shorter = await run.in_time(compactor.compact(before, run))
    except LimitExceededError:
        raise
    except Exception as error:  # a compactor is a plugin: without it the conversation stays as it is
        run.house.warn_once(f"The conversation could not be made shorter: {error}")
        return None
    if wrong := unsound(shorter, before):
        run.house.warn_once(f"What {name} made of the conversation is left out: {wrong}.")
        return None
    run.talk.messages = list(shorter)
    return removed(before, shorter) if tuple(shorter) != before else None
