"""Convert messages to Gemini's format: parts with their signatures."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from openkoi_wire import to_vendor_id, to_vendor_name

from .thought_signatures import split_signatures

NAME = re.compile(r"[a-zA-Z_][\w.:-]{0,63}", re.ASCII)

Turn = Mapping[str, object]


class MessageEncoder:
    """Encode messages; a tool result needs the tool's name, which only the call before it contains."""

    def __init__(self) -> None:
        self._before: Mapping[int, Message] = {}

    def follow(self, messages: Sequence[Message]) -> None:
        """Record which message precedes which, by identity."""
        self._before = {id(after): before for before, after in pairwise(messages)}

    def encode(self, message: Message) -> Iterator[Turn]:
        """Yield a message as a turn, or nothing when it would be empty."""
        if message.role is Role.ASSISTANT:
            role, parts = "model", list(encode_model_parts(message.parts))
        else:
            role, parts = "user", [*self._encode_results(message), *encode_user_parts(message.parts)]
        if parts:
            yield {"role": role, "parts": parts}

    def _encode_results(self, message: Message) -> Iterator[Turn]:
        before = self._before.get(id(message))
        names = {part.id: part.tool for part in before.parts if isinstance(part, ToolCall)} if before else {}
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield encode_result(part, names.get(part.call, ""))


def encode_user_parts(parts: Sequence[Part]) -> Iterator[Turn]:
    """Yield text and images; skip empty text, which the vendor rejects."""
    for part in parts:
        if isinstance(part, Image):
            yield encode_image(part)
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
        case Image():
            return encode_image(part)
    return None


def signature_field(seal: str) -> Turn:
    """Return the signature field of a part, if it has a signature."""
    return {"thoughtSignature": seal} if seal else {}


def encode_result(answer: ToolResult, name: str) -> Turn:
    """Return a function response part."""
    key = "error" if answer.failed else "output"
    return {
        "functionResponse": {
            "id": to_vendor_id(answer.call),
            "name": name and to_vendor_name(name, NAME),
            "response": {key: answer.text},
        }
    }


def encode_image(image: Image) -> Turn:
    """Return an image part."""
    return {"inlineData": {"mimeType": image.media_type, "data": b64encode(image.data).decode()}}
