"""Put what a model notes of the oldest turns in their place. Knows no words that it is asked with."""

from collections.abc import Awaitable, Callable, Sequence

from openkoi_hookspecs import FinishReason, KoiError, Message, Request, Run, events

from .fence import fence_text
from .marks import following, summaries, summed_up
from .purse import too_dear
from .rolling import roll_window
from .transcript import shorten_text, transcript, weight
from .turns import surplus, without


async def summed(
    messages: Sequence[Message], run: Run, most: int, note: Callable[[str], Awaitable[str]]
) -> Sequence[Message]:
    """The conversation with a note about its oldest turns; without one, when there can be none or ``most`` are there.

    ``note`` is given the turns as a record. What a limit forbids is not asked: should it forbid the work too, the next
    call of the work says so.
    """
    going = surplus(messages)
    if not going or summaries(messages) >= most:
        return roll_window(messages)
    try:
        told = summed_up(following(messages, going), await note(transcript(messages, going)))
    except KoiError as error:
        await run.emit(events.WarningIssued(f"The oldest turns are left out without a summary: {error}"))
        return roll_window(messages)
    if len(told.text) >= weight(messages, going):
        await run.emit(events.WarningIssued("The oldest turns are left out: a summary of them would be longer."))
        return roll_window(messages)
    return without(messages, going, told)


async def notes(record: str, run: Run, *, instructions: str, max_output: int) -> str:
    """Return the model's notes on a record; raise KoiError when they are not notes."""
    if why := too_dear(len(record), max_output, run.cost, run.limits):
        raise KoiError(f"{why[0].upper()}{why[1:]}.")
    question = f"The task:\n{shorten_text(run.task.text)}\n\nThe record:\n{fence_text('record', record)}"
    reply = await run.chat(
        Request((Message.user(question),), model=model_of(run), system=(instructions,), max_output=max_output)
    )
    if reply.done.stop is not FinishReason.END or not reply.text.strip():
        raise KoiError(f"The model wrote none ({reply.done.stop}).")
    return reply.text.strip()


def model_of(run: Run) -> str:
    """The model that does the task."""
    return (run.task.agent and run.task.agent.model) or "executor"
