"""Convert messages to Gemini's format: parts with their signatures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import base64_of, media_after, result_media, result_text, to_vendor_id, to_vendor_name

from .thought_signatures import split_signatures

NAME = lazy_pattern(r"[a-zA-Z_][\w.:-]{0,63}", re.ASCII)

Turn = Mapping[str, object]


class MessageEncoder:
    """Converts messages. A result is sent under the name of the tool, which is only in the call of the turn before it.

    ``nested``: a result contains its images. Models before Gemini 3 accept images only after the results.
    """

    def __init__(self, *, nested: bool) -> None:
        self._before: Mapping[int, Message] = {}
        self._nested = nested

    def follow(self, messages: Sequence[Message]) -> None:
        """Record which message precedes which, by identity."""
        self._before = {id(after): before for before, after in pairwise(messages)}

    def encode(self, message: Message) -> Iterator[Turn]:
        """Yield a message as a turn, or nothing when it would be empty."""
        if message.role is Role.ASSISTANT:
            role, parts = "model", list(encode_model_parts(message.parts))
        else:
            after = () if self._nested else media_after(message.parts)
            role, parts = "user", [*self._encode_results(message), *encode_user_parts((*after, *message.parts))]
        if parts:
            yield {"role": role, "parts": parts}

    def _encode_results(self, message: Message) -> Iterator[Turn]:
        before = self._before.get(id(message))
        names = {part.id: part.tool for part in before.parts if isinstance(part, ToolCall)} if before else {}
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield encode_result(part, names.get(part.call, ""), nested=self._nested)


def encode_user_parts(parts: Sequence[Part]) -> Iterator[Turn]:
    """Yield text and images; skip empty text, which the vendor rejects."""
    for part in parts:
        if isinstance(part, Image | File):
            yield inline(part)
        elif isinstance(part, Text) and part.text:
            yield {"text": part.text}


def encode_model_parts(parts: Sequence[Part]) -> Iterator[Turn]:
    """Yield the parts of a model's message, each with its signature."""
    waiting = ""
    for part in parts:
        if isinstance(part, Reasoning):
            yield from encode_signature_only(waiting)
            own, waiting = split_signatures(part.signature)
            yield from encode_thought(part, own)
        elif encoded := encode_model_part(part):
            yield {**encoded, **signature_field(waiting)}
            waiting = ""
    yield from encode_signature_only(waiting)


def encode_thought(part: Reasoning, own: str) -> Iterator[Turn]:
    """Yield a thought, or only its signature when it has no text."""
    if part.text:
        yield {"text": part.text, "thought": True, **signature_field(own)}
    else:
        yield from encode_signature_only(own)


def encode_signature_only(seal: str) -> Iterator[Turn]:
    """Yield an empty part that carries a signature."""
    if seal:
        yield {"text": "", **signature_field(seal)}


def encode_model_part(part: Part) -> Turn | None:
    """Return text, a tool call or an image as a part, or None when it is empty."""
    match part:
        case Text(text=text) if text:
            return {"text": text}
        case ToolCall():
            return {
                "functionCall": {
                    "id": to_vendor_id(part.id),
                    "name": to_vendor_name(part.tool, NAME),
                    "args": dict(part.arguments),
                }
            }
        case Image() | File():
            return inline(part)
    return None


def signature_field(seal: str) -> Turn:
    """Return the signature field of a part, if it has a signature."""
    return {"thoughtSignature": seal} if seal else {}


def encode_result(answer: ToolResult, name: str, *, nested: bool) -> Turn:
    """Convert a tool's result."""
    key = "error" if answer.failed else "output"
    media = [inline(part) for part in result_media(answer)] if nested else []
    return {
        "functionResponse": {
            "id": to_vendor_id(answer.call),
            "name": name and to_vendor_name(name, NAME),
            "response": {key: result_text(answer)},
            **({"parts": media} if media else {}),
        }
    }


def inline(part: Image | File) -> Turn:
    """Convert an image or a file, with all its bytes."""
    return {"inlineData": {"mimeType": part.media_type, "data": base64_of(part)}}
