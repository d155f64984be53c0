"""Compact the history of a conversation when it fills the model's context window."""

from collections.abc import Sequence

from openkoi_base.isolation import contain_exit
from openkoi_base.tokens import estimate_tokens
from openkoi_hookspecs import LimitExceededError, Message, Response, events
from openkoi_models import is_much_shorter, removed_parts, without_media
from openkoi_prompt.conversation import shortening_error
from openkoi_settings import keys, plugin_keys

from .run import TaskRun

MAX_FULLNESS = 0.8  # share of the context window above which the history is compacted (LOOP-05)


async def compact_if_full(reply: Response, run: TaskRun) -> None:
    """Compact the conversation when it fills four fifths of the model's context window."""
    usage, results = reply.done.usage, run.conversation.messages[-1].parts if reply.calls else ()
    if usage.total + estimate_tokens(results) <= MAX_FULLNESS * await run.window():
        return
    if compacted := await compact(run):
        await run.emit(compacted)


async def compact(run: TaskRun) -> events.HistoryCompacted | None:
    """Compact the history; return what was removed, or None if nothing was.

    Images and files go first.
    """
    if not run.services.config[keys.COMPACTION]:
        return None
    before = tuple(run.conversation.messages)
    lighter = without_media(before)
    shorter = lighter if is_much_shorter(lighter, before) else await compact_messages(lighter, run)
    run.conversation.messages = list(shorter)
    return removed_parts(before, shorter) if tuple(shorter) != before else None


async def compact_messages(messages: Sequence[Message], run: TaskRun) -> Sequence[Message]:
    """Return the messages as the compactor shortens them; unchanged if its result cannot be used."""
    name = run.agent.compactor or run.services.config[plugin_keys.USE_COMPACTOR]
    try:
        compactor = await run.services.components.compactor(name, run.root)
        with contain_exit():
            shorter = await run.with_deadline(compactor.compact(messages, run))
    except LimitExceededError:
        raise
    except Exception as error:  # a compactor is a plugin: without it the conversation stays as it is
        run.services.warn_once(f"The conversation could not be shortened: {error}")
        return messages
    if wrong := shortening_error(shorter, messages):
        run.services.warn_once(f"Discarded the result of {name}: {wrong}.")
        return messages
    return shorter
