"""The tasks of a conversation, and those that a rewind removed from it."""

from collections.abc import Sequence

from openkoi_hookspecs import Message
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """A task of the session: its run, the user's words, and the conversation before it."""

    run: str
    text: str
    history: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Rewound:
    """What a rewind removed from the conversation, so that it can be undone."""

    exchanges: Sequence[Exchange]
