"""Leave the oldest turns out. Knows messages; calls no model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from openkoi_hookspecs import Message, Run

from .marks import following, joined_up, left_out, missing
from .turns import surplus, without


@dataclass(frozen=True, slots=True)
class RollingWindow:
    """Leaves out the older half of the model's turns, with the results in them, and says which are missing."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Return it without them; the very same when only the task and the latest turns are left."""
        return roll_window(messages)


def roll_window(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the conversation without its oldest turns, naming all omitted ones."""
    going = surplus(messages)
    if not going:
        return messages
    before = [turns for part in messages[0].parts for turns in missing(part)]
    first = replace(messages[0], parts=tuple(part for part in messages[0].parts if not missing(part)))
    note = left_out(joined_up([*before, following(messages, going)]))
    return without([first, *messages[1:]], going, note)
