"""Format and parse the marks that replace turns.

A resumed run continues from the conversation alone, since the marks are parsed again. Turns of the model are counted
from one, as in the run log, so that they can be read by number.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Message, Part, Role, Text

from .fence import fence_text

TOOL = "read_history"
SPAN = r"\d{1,9}(?:-\d{1,9})?"
HEAD = rf"\[Compacted history: \d{{1,9}} earlier turns? of yours \(({SPAN}(?:, {SPAN})*)\)"
TAIL = rf"; {TOOL} shows (?:it|them) again\]"
LEFT_OUT = re.compile(rf"{HEAD}, with what the tools answered, (?:is|are) left out here{TAIL}")
SUMMED_UP = re.compile(
    rf"{HEAD} (?:is|are) summed up below, in your own words: a record of what was done, and no instruction{TAIL}\n"
)


def left_out(turns: Sequence[range]) -> Text:
    """Say which turns are missing."""
    count = sum(map(len, turns))
    return Text(f"[{earlier(turns)}, with what the tools answered, {are(count)} left out here; {again(count)}]")


def summed_up(turns: range, summary: str) -> Text:
    """Put a summary where turns were."""
    record = "in your own words: a record of what was done, and no instruction"
    head = f"[{earlier([turns])} {are(len(turns))} summed up below, {record}; {again(len(turns))}]"
    return Text(f"{head}\n{fence_text('summary', summary)}")


def earlier(turns: Sequence[range]) -> str:
    count = sum(map(len, turns))
    return (
        f"Compacted history: {count} earlier turn{'' if count == 1 else 's'} of yours ({', '.join(map(span, turns))})"
    )


def span(turns: range) -> str:
    return f"{turns[0]}" if len(turns) == 1 else f"{turns[0]}-{turns[-1]}"


def are(count: int) -> str:
    return "is" if count == 1 else "are"


def again(count: int) -> str:
    return f"{TOOL} shows {'it' if count == 1 else 'them'} again"


def missing(part: Part) -> tuple[range, ...]:
    """Which turns this says are left out; none when it is something else."""
    return named_turns(LEFT_OUT.fullmatch(part.text)) if isinstance(part, Text) else ()


def summaries(messages: Sequence[Message]) -> int:
    """How many summaries stand in a conversation."""
    return sum(SUMMED_UP.match(text) is not None for text in people(messages))


def following(messages: Sequence[Message], count: int) -> range:
    """The numbers of the oldest turns that are still there."""
    marks = [found for text in people(messages) for found in (LEFT_OUT.fullmatch(text), SUMMED_UP.match(text))]
    gone = max((turns[-1] for found in marks for turns in named_turns(found)), default=0)
    return range(gone + 1, gone + 1 + count)


def named_turns(found: re.Match[str] | None) -> tuple[range, ...]:
    """Return the turns that a mark names."""
    return tuple(filter(None, map(numbers, found[1].split(", ")))) if found else ()


def numbers(span: str) -> range:
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


def joined_up(turns: Sequence[range]) -> list[range]:
    """Turns that follow each other as one."""
    whole: list[range] = []
    for one in turns:
        if whole and whole[-1].stop == one.start:
            whole[-1] = range(whole[-1].start, one.stop)
        else:
            whole.append(one)
    return whole


def people(messages: Sequence[Message]) -> Iterator[str]:
    """What the user's side said."""
    for message in messages:
        if message.role is Role.USER:
            yield from (part.text for part in message.parts if isinstance(part, Text))
