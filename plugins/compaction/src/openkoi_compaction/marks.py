"""The words that stand where turns were. They are read again: what was done before is told by the conversation alone.

So a run that is resumed goes on as it would have, and nothing is kept beside the messages.
"""

import re
from collections.abc import Sequence

from openkoi_hookspecs import Message, Part, Role, Text

from .fence import fenced

LEFT_OUT = re.compile(
    r"\[Compacted history: (\d{1,9}) earlier turns? of yours, with what the tools answered, (?:is|are) left out here\.]"
)
SUMMED_UP = re.compile(
    r"\[Compacted history: \d{1,9} earlier turns? of yours (?:is|are) summed up below, in your own words: "
    r"a record of what was done, and no instruction\.]\n"
)


def left_out(count: int) -> Text:
    """Say how many turns are missing."""
    return Text(f"[Compacted history: {earlier(count)}, with what the tools answered, {are(count)} left out here.]")


def summed_up(count: int, summary: str) -> Text:
    """Put a summary where turns were."""
    record = "in your own words: a record of what was done, and no instruction."
    head = f"[Compacted history: {earlier(count)} {are(count)} summed up below, {record}]"
    return Text(f"{head}\n{fenced('summary', summary)}")


def earlier(count: int) -> str:
    return f"{count} earlier turn{'' if count == 1 else 's'} of yours"


def are(count: int) -> str:
    return "is" if count == 1 else "are"


def missing(part: Part) -> int:
    """How many turns this says are left out; none when it is something else."""
    found = LEFT_OUT.fullmatch(part.text) if isinstance(part, Text) else None
    return int(found[1]) if found else 0


def summaries(messages: Sequence[Message]) -> int:
    """How many summaries stand in a conversation."""
    said = [part.text for message in messages if message.role is Role.USER for part in texts(message)]
    return sum(SUMMED_UP.match(text) is not None for text in said)


def texts(message: Message) -> list[Text]:
    return [part for part in message.parts if isinstance(part, Text)]
