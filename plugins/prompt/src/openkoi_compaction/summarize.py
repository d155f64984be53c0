"""Summarize a long conversation: replace its oldest turns with a model's notes on them."""

from collections.abc import Awaitable, Callable, Sequence

from openkoi_hookspecs import FinishReason, KoiError, Message, Request, Run, events

from .affordable import too_expensive_reason
from .fence import fence_text
from .placeholders import count_summaries, format_summary, remaining_turns
from .rolling_window import roll_window
from .transcript import count_characters, format_transcript, shorten_text
from .turns import count_removable, remove_oldest


async def summarize_oldest(
    messages: Sequence[Message], run: Run, most: int, note: Callable[[str], Awaitable[str]]
) -> Sequence[Message]:
    """Replace the oldest turns with a note; omit them if none can be made, or if ``most`` notes exist.

    ``note`` gets the turns as a record. If a limit forbids the call, the next call of the work reports it.
    """
    going = count_removable(messages)
    if not going or count_summaries(messages) >= most:
        return roll_window(messages)
    try:
        note_part = format_summary(remaining_turns(messages, going), await note(format_transcript(messages, going)))
    except KoiError as error:
        await run.emit(events.WarningIssued(f"Omitted the oldest turns without a summary: {error}"))
        return roll_window(messages)
    if len(note_part.text) >= count_characters(messages, going):
        await run.emit(events.WarningIssued("Omitted the oldest turns: a summary would be longer."))
        return roll_window(messages)
    return remove_oldest(messages, going, note_part)


async def request_notes(record: str, run: Run, *, instructions: str, max_output: int) -> str:
    """Return the model's notes on a record; raise KoiError if the reply is not notes."""
    if why := too_expensive_reason(len(record), max_output, run.cost, run.limits):
        raise KoiError(f"{why[0].upper()}{why[1:]}.")
    question = f"The task:\n{shorten_text(run.task.text)}\n\nThe record:\n{fence_text('record', record)}"
    reply = await run.chat(
        Request((Message.user(question),), model=model_of(run), system=(instructions,), max_output=max_output)
    )
    if reply.done.stop is not FinishReason.END or not reply.text.strip():
        raise KoiError(f"The model wrote no summary ({reply.done.stop}).")
    return reply.text.strip()


def model_of(run: Run) -> str:
    """Return the model that does the task."""
    return (run.task.agent and run.task.agent.model) or "executor"
