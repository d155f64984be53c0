"""Encode a conversation's messages once each, and check that every tool call has a result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from json import JSONEncoder

from openkoi_hookspecs import KoiError, Message, ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EncodedMessage:
    """An encoded message, with the ids of the calls it makes and of those it answers."""

    body: bytes
    asks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


NO_MESSAGE = EncodedMessage(b"")


@dataclass(frozen=True, slots=True)
class EncodedConversation:
    """A conversation as encoded so far, its last message, and how many bytes it is."""

    messages: tuple[Message, ...] = ()
    bodies: tuple[bytes, ...] = ()
    last: EncodedMessage = NO_MESSAGE
    size: int = 0


MAX_CONVERSATIONS = 128
MAX_KEPT_BYTES = 8_000_000  # of all conversations: one that is encoded again takes 10 ms for each million (estimate)
ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class ConversationEncoder:
    """Encode growing conversations; ``encode_message`` converts a message to the vendor's turns."""

    def __init__(self, encode_message: Callable[[Message], Iterable[Mapping[str, object]]]) -> None:
        self._encode_message = encode_message
        self._encoded: dict[int, EncodedConversation] = {}

    def encode(self, messages: Sequence[Message]) -> list[bytes]:
        """Return each message as JSON, without the enclosing array; raise KoiError when a tool call has no result.

        A conversation grows at its end, so the encoded start is reused.
        """
        whole = tuple(messages)
        known = self._encoded.pop(id(whole[0]), EncodedConversation()) if whole else EncodedConversation()
        if whole[: len(known.messages)] != known.messages:
            known = EncodedConversation()
        added = (make_encoded(message, self._encode_message) for message in whole[len(known.messages) :])
        scenes = [known.last, *added]
        for before, after in pairwise([*scenes, NO_MESSAGE]):
            if before.asks != after.answers:
                raise mismatch_error(before, after)
        written = (*known.bodies, *(scene.body for scene in scenes[1:] if scene.body))
        if whole:
            self._encoded[id(whole[0])] = EncodedConversation(whole, written, scenes[-1], sum(map(len, written)))
            self.evict()
        return list(written)

    def evict(self) -> None:
        """Keep the most recent conversations; their messages stay referenced, so that identities are not reused.

        A process of many tasks would keep those of all that have ended.
        """
        size = sum(known.size for known in self._encoded.values())
        while len(self._encoded) > 1 and (len(self._encoded) > MAX_CONVERSATIONS or size > MAX_KEPT_BYTES):
            size -= self._encoded.pop(next(iter(self._encoded))).size


def make_encoded(
    message: Message, encode_message: Callable[[Message], Iterable[Mapping[str, object]]]
) -> EncodedMessage:
    """Encode a message, which may become several turns."""
    asks = tuple(sorted(part.id for part in message.parts if isinstance(part, ToolCall)))
    answers = tuple(sorted(part.call for part in message.parts if isinstance(part, ToolResult)))
    return EncodedMessage(b",".join(map(encode_json, encode_message(message))), asks, answers)


def mismatch_error(before: EncodedMessage, after: EncodedMessage) -> KoiError:
    """Return the error for a conversation with unanswered tool calls."""
    called, answered = ", ".join(before.asks), ", ".join(after.answers)
    return KoiError(
        f"The conversation is inconsistent: the tool calls [{called}] are followed by results for [{answered}]. "
        "Each call needs exactly one result in the next turn. This is a bug in OpenKoi; please report it."
    )


def encode_json(value: Mapping[str, object]) -> bytes:
    """Encode a value as JSON; replace lone surrogates, which servers reject, by question marks."""
    return ENCODER.encode(value).encode("utf-8", "replace")
