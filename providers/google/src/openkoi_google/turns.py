"""The turns of a conversation as the vendor has them: parts of a user or a model, each with its signature.

Knows facts and the format; writes no bytes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import as_id, as_name, base64_of, media_after, result_media, result_text

from .seals import opened

NAME = re.compile(r"[a-zA-Z_][\w.:-]{0,63}", re.ASCII)

Turn = Mapping[str, object]


class Teller:
    """Tells messages. A result is told under the name of the tool, which only the call in the turn before it knows.

    ``nested``: a result contains its images. Models before Gemini 3 take them only after the results.
    """

    def __init__(self, *, nested: bool) -> None:
        self._before: Mapping[int, Message] = {}
        self._nested = nested

    def follow(self, messages: Sequence[Message]) -> None:
        """Note which message comes before which; a message is known by its identity."""
        self._before = {id(after): before for before, after in pairwise(messages)}

    def tell(self, message: Message) -> Iterator[Turn]:
        """Tell one message; one in which nothing is said is not told."""
        if message.role is Role.ASSISTANT:
            role, parts = "model", list(signed(message.parts))
        else:
            after = () if self._nested else media_after(message.parts)
            role, parts = "user", [*self._results(message), *said((*after, *message.parts))]
        if parts:
            yield {"role": role, "parts": parts}

    def _results(self, message: Message) -> Iterator[Turn]:
        before = self._before.get(id(message))
        names = {part.id: part.tool for part in before.parts if isinstance(part, ToolCall)} if before else {}
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield result(part, names.get(part.call, ""), nested=self._nested)


def said(parts: Sequence[Part]) -> Iterator[Turn]:
    """Tell words and pictures; words that say nothing are refused by the vendor."""
    for part in parts:
        if isinstance(part, Image | File):
            yield inline(part)
        elif isinstance(part, Text) and part.text:
            yield {"text": part.text}


def signed(parts: Sequence[Part]) -> Iterator[Turn]:
    """Tell what the model said, each part with the signature that it came with."""
    waiting = ""
    for part in parts:
        if isinstance(part, Reasoning):
            yield from unspoken(waiting)
            own, waiting = opened(part.signature)
            yield from thought(part, own)
        elif told := spoken(part):
            yield {**told, **signature(waiting)}
            waiting = ""
    yield from unspoken(waiting)


def thought(part: Reasoning, own: str) -> Iterator[Turn]:
    """Tell a thought as a thought; one without words only carries a signature."""
    if part.text:
        yield {"text": part.text, "thought": True, **signature(own)}
    else:
        yield from unspoken(own)


def unspoken(seal: str) -> Iterator[Turn]:
    """Tell a signature whose part had no words."""
    if seal:
        yield {"text": "", **signature(seal)}


def spoken(part: Part) -> Turn | None:
    """Tell what a model says aloud or asks for; None when it is nothing."""
    match part:
        case Text(text=text) if text:
            return {"text": text}
        case ToolCall():
            return {
                "functionCall": {"id": as_id(part.id), "name": as_name(part.tool, NAME), "args": dict(part.arguments)}
            }
        case Image() | File():
            return inline(part)
    return None


def signature(seal: str) -> Turn:
    """Sign a part, if there is something to sign it with."""
    return {"thoughtSignature": seal} if seal else {}


def result(answer: ToolResult, name: str, *, nested: bool) -> Turn:
    """Tell of a tool's result."""
    key = "error" if answer.failed else "output"
    media = [inline(part) for part in result_media(answer)] if nested else []
    return {
        "functionResponse": {
            "id": as_id(answer.call),
            "name": name and as_name(name, NAME),
            "response": {key: result_text(answer)},
            **({"parts": media} if media else {}),
        }
    }


def inline(part: Image | File) -> Turn:
    """Tell of a picture or a file, with all its bytes."""
    return {"inlineData": {"mimeType": part.media_type, "data": base64_of(part)}}
