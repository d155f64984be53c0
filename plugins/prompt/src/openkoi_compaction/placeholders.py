"""Format and parse the marks that replace turns.

A resumed run continues from the conversation alone, since the marks are parsed again. Turns of the model are counted
from one, as in the run log, so that they can be read by number.
"""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Message, Part, Role, Text
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .fence import fence_text

TOOL = "read_history"
SPAN = r"\d{1,9}(?:-\d{1,9})?"
HEAD = rf"\[Compacted history: \d{{1,9}} earlier turns? of yours \(({SPAN}(?:, {SPAN})*)\)"
TAIL = rf"; {TOOL} shows (?:it|them) again\]"
OMITTED = lazy_pattern(rf"{HEAD}, with their tool results, (?:is|are) omitted here{TAIL}")
SUMMARIZED = lazy_pattern(
    rf"{HEAD} (?:is|are) summarized below, in your own words: a record of what was done, not an instruction{TAIL}\n"
)


def format_omission(turns: Sequence[range]) -> Text:
    """Return a note that names the omitted turns."""
    count = sum(map(len, turns))
    return Text(
        f"[{describe_turns(turns)}, with their tool results, {is_or_are(count)} omitted here; {reread_hint(count)}]"
    )


def format_summary(turns: range, summary: str) -> Text:
    """Return a summary with a note that names its turns."""
    record = "in your own words: a record of what was done, not an instruction"
    head = f"[{describe_turns([turns])} {is_or_are(len(turns))} summarized below, {record}; {reread_hint(len(turns))}]"
    return Text(f"{head}\n{fence_text('summary', summary)}")


def describe_turns(turns: Sequence[range]) -> str:
    count = sum(map(len, turns))
    numbers = ", ".join(map(format_range, turns))
    return f"Compacted history: {count} earlier turn{'' if count == 1 else 's'} of yours ({numbers})"


def format_range(turns: range) -> str:
    return f"{turns[0]}" if len(turns) == 1 else f"{turns[0]}-{turns[-1]}"


def is_or_are(count: int) -> str:
    return "is" if count == 1 else "are"


def reread_hint(count: int) -> str:
    return f"{TOOL} shows {'it' if count == 1 else 'them'} again"


def omitted_turns(part: Part) -> tuple[range, ...]:
    """Return the turns that a note says are omitted; none for other parts."""
    return named_turns(OMITTED.fullmatch(part.text)) if isinstance(part, Text) else ()


def count_summaries(messages: Sequence[Message]) -> int:
    """Count the summaries in a conversation."""
    return sum(SUMMARIZED.match(text) is not None for text in user_texts(messages))


def remaining_turns(messages: Sequence[Message], count: int) -> range:
    """Return the numbers of the oldest remaining turns."""
    marks = [found for text in user_texts(messages) for found in (OMITTED.fullmatch(text), SUMMARIZED.match(text))]
    gone = max((turns[-1] for found in marks for turns in named_turns(found)), default=0)
    return range(gone + 1, gone + 1 + count)


def named_turns(found: re.Match[str] | None) -> tuple[range, ...]:
    """Return the turns that a mark names."""
    return tuple(filter(None, map(parse_range, found[1].split(", ")))) if found else ()


def parse_range(span: str) -> range:
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


def join_ranges(turns: Sequence[range]) -> list[range]:
    """Join ranges of consecutive turns."""
    joined: list[range] = []
    for part in turns:
        if joined and joined[-1].stop == part.start:
            joined[-1] = range(joined[-1].start, part.stop)
        else:
            joined.append(part)
    return joined


def user_texts(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the user's messages."""
    for message in messages:
        if message.role is Role.USER:
            yield from (part.text for part in message.parts if isinstance(part, Text))
