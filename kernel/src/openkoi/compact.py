"""Make a conversation shorter when it fills what the model can read."""

from collections import Counter
from collections.abc import Sequence

from openkoi_hookspecs import LimitExceededError, Message, Role, ToolCall, events
from openkoi_isolation import confined
from openkoi_models import answer_tokens
from openkoi_prompt.conversation import calls_in, shortening_error
from openkoi_settings import keys

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
    if wrong := shortening_error(shorter, before):
        run.services.warn_once(f"What {name} made of the conversation is left out: {wrong}.")
        return None
    run.conversation.messages = list(shorter)
    return removed(before, shorter) if tuple(shorter) != before else None


def removed(before: Sequence[Message], after: Sequence[Message]) -> events.HistoryCompacted:
    """Return what a shorter form of a conversation no longer contains."""
    turns = sum(one.role is Role.ASSISTANT for one in before) - sum(one.role is Role.ASSISTANT for one in after)
    kept = set().union(*map(calls_in, after))
    gone = (part for one in before for part in one.parts if isinstance(part, ToolCall) and part.id not in kept)
    tools = Counter(part.tool for part in gone)
    sizes = [sum(answer_tokens(message.parts) for message in messages) for messages in (before, after)]
    return events.HistoryCompacted(turns, dict(sorted(tools.items())), *sizes)
