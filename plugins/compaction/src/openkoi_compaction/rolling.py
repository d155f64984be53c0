"""Leave the oldest turns out. Knows messages; calls no model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from openkoi_hookspecs import Message, Run

from .marks import left_out, missing
from .turns import surplus, without


@dataclass(frozen=True, slots=True)
class RollingWindow:
    """Leaves out the older half of the model's turns, with the results in them, and says how many are missing."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Return it without them; the very same when only the task and the latest turns are left."""
        return rolled(messages)


def rolled(messages: Sequence[Message]) -> Sequence[Message]:
    """The conversation without its oldest turns; what was missing before is counted in."""
    going = surplus(messages)
    if not going:
        return messages
    before = sum(missing(part) for part in messages[0].parts)
    first = replace(messages[0], parts=tuple(part for part in messages[0].parts if not missing(part)))
    return without([first, *messages[1:]], going, left_out(before + going))
