"""Truncate a conversation: omit its oldest turns, without a model."""

from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import Message, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .placeholders import format_omission, join_ranges, omitted_turns, remaining_turns
from .turns import count_removable, remove_oldest


@dataclass(frozen=True, slots=True)
class RollingWindow:
    """Omits the older half of the model's turns with their results, and names them."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Omit the oldest turns; return the same messages if only the task and the latest turns remain."""
        return roll_window(messages)


def roll_window(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the conversation without its oldest turns, naming all omitted ones."""
    going = count_removable(messages)
    if not going:
        return messages
    before = [turns for part in messages[0].parts for turns in omitted_turns(part)]
    first = replace(messages[0], parts=tuple(part for part in messages[0].parts if not omitted_turns(part)))
    note = format_omission(join_ranges([*before, remaining_turns(messages, going)]))
    return remove_oldest([first, *messages[1:]], going, note)
