"""The messages of a request as bytes, each written once, and the proof that no tool call is left without its result.

Knows the facts of a conversation; how a vendor wants them told is given.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from json import JSONEncoder

from openkoi_hookspecs import KoiError, Message, ToolCall, ToolResult

from .history import Kept


@dataclass(frozen=True, slots=True)
class Scene:
    """A message as it is sent, the calls it makes and the calls it answers, by their ids."""

    written: bytes
    asks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


NOTHING = Scene(b"")


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation as far as it was written: its messages, the bytes of each, and the last of them as sent."""

    messages: tuple[Message, ...] = ()
    written: tuple[bytes, ...] = ()
    last: Scene = NOTHING


TOLD_AT_ONCE = 128
ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Conversation:
    """Conversations as they grow. ``tell`` makes of one message the turns that it is to a vendor."""

    def __init__(self, tell: Callable[[Message], Iterable[Mapping[str, object]]]) -> None:
        self._scenes: Kept[Message, Scene] = Kept(lambda message: scene(message, tell), weigh=size)
        self._told: dict[int, Told] = {}

    def write(self, messages: Sequence[Message]) -> list[bytes]:
        """Write each message, as the inside of an array; raises a KoiError when a tool call has no result.

        A conversation grows at its end: what was written of its beginning is written on.
        """
        whole = tuple(messages)
        known = self._told.pop(id(whole[0]), Told()) if whole else Told()
        if whole[: len(known.messages)] != known.messages:
            known = Told()
        scenes = [known.last, *self._scenes.all(whole[len(known.messages) :])]
        for before, after in pairwise([*scenes, NOTHING]):
            if before.asks != after.answers:
                raise broken(before, after)
        written = (*known.written, *(scene.written for scene in scenes[1:] if scene.written))
        if whole:
            self._told[id(whole[0])] = Told(whole, written, scenes[-1])
            self.forget()
        return list(written)

    def forget(self) -> None:
        """Keep so many conversations, the last ones; a message in them cannot give its identity to another."""
        while len(self._told) > TOLD_AT_ONCE:
            self._told.pop(next(iter(self._told)))


def scene(message: Message, tell: Callable[[Message], Iterable[Mapping[str, object]]]) -> Scene:
    """Write a message, which may be several to a vendor."""
    asks = tuple(sorted(part.id for part in message.parts if isinstance(part, ToolCall)))
    answers = tuple(sorted(part.call for part in message.parts if isinstance(part, ToolResult)))
    return Scene(b",".join(map(written, tell(message))), asks, answers)


def size(scene: Scene) -> int:
    """The bytes that it takes to keep one."""
    return len(scene.written)


def broken(before: Scene, after: Scene) -> KoiError:
    """Make the error for a conversation that no server would take."""
    asked, answered = ", ".join(before.asks), ", ".join(after.answers)
    return KoiError(
        f"The conversation is broken: after the tool calls [{asked}] come results for [{answered}]. "
        "Each call needs exactly one result in the next turn; report this as a fault of OpenKoi."
    )


def written(value: Mapping[str, object]) -> bytes:
    """Write JSON; halves of characters, which no server takes, become question marks."""
    return ENCODER.encode(value).encode("utf-8", "replace")
