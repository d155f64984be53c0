"""The messages of a request as bytes, each written once, and the proof that no tool call is left without its result."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from openkoi_hookspecs import KoiError, Message, ToolCall, ToolResult
from openkoi_wire import Kept

from .turns import turns


@dataclass(frozen=True, slots=True)
class Scene:
    """A message as it is sent, the calls it makes and the calls it answers, by their ids."""

    written: bytes
    asks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


NOTHING = Scene(b"")


class Story:
    """Conversations as they grow."""

    def __init__(self) -> None:
        self._scenes: Kept[Message, Scene] = Kept(scene, weigh=lambda scene: len(scene.written))

    def write(self, messages: Sequence[Message]) -> bytes:
        """Write messages as the inside of an array; raises a KoiError when a tool call has no result."""
        scenes = [NOTHING, *self._scenes.all(messages), NOTHING]
        for before, after in pairwise(scenes):
            if before.asks != after.answers:
                raise broken(before, after)
        return b",".join([scene.written for scene in scenes if scene.written])


def scene(message: Message) -> Scene:
    """Write a message, which may be several to this format."""
    asks = tuple(sorted(part.id for part in message.parts if isinstance(part, ToolCall)))
    answers = tuple(sorted(part.call for part in message.parts if isinstance(part, ToolResult)))
    return Scene(b",".join(map(written, turns(message))), asks, answers)


def broken(before: Scene, after: Scene) -> KoiError:
    """Make the error for a conversation that no server would take."""
    asked, answered = ", ".join(before.asks), ", ".join(after.answers)
    return KoiError(
        f"The conversation is broken: after the tool calls [{asked}] come results for [{answered}]. "
        "Each call needs exactly one result in the next turn; report this as a fault of OpenKoi."
    )


def written(value: Mapping[str, object]) -> bytes:
    """Write JSON; halves of characters, which no server takes, become question marks."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
