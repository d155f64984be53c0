"""A fake of Amazon Bedrock: Converse and ConverseStream, and the lists of models and inference profiles.

As strict as the real one about signatures, turns, tool calls without results and blank text. Certified by the vendor's
own client.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from openkoi_hookspecs import Json, Text, ToolCall, Usage

from .aws import STREAM, KeyPair, event, signed_by, written
from .bedrock_strict import wrong
from .faults import Fault
from .http import Seen, Served
from .say import Said, Say, Words
from .vendor import VendorServer

Body = Mapping[str, object]

MODELS = ("anthropic.claude-fake-v1:0",)
KEEP_ALIVE = event("ping", {})
METRICS = {"latencyMs": 7}


class BedrockServer(VendorServer):
    """Says its answers in turn, the last one again and again.

    ``key`` is the only bearer token it accepts, and ``pair`` signs every request that bears none, when given.
    ``profiles`` are inference profiles, each over the model whose name it ends with. A thought's seal is its signature,
    and the whole of it, in base64, when it has no words.
    """

    def __init__(
        self,
        *answers: Say | Words,
        models: Sequence[str] = MODELS,
        profiles: Sequence[str] = (),
        key: str = "",
        pair: KeyPair | None = None,
    ) -> None:
        super().__init__(*answers)
        self._models = models
        self._profiles = profiles
        self._key = key
        self._pair = pair

    def answer(self, seen: Seen) -> Served:
        """Answer a request as the vendor does."""
        if refused := self._stranger(seen):
            return refused
        match seen.method, seen.path.partition("?")[0].split("/")[1:]:
            case "GET", ["foundation-models"]:
                return Served([written({"modelSummaries": [summary(name) for name in self._models]})])
            case "GET", ["inference-profiles"]:
                return Served([written({"inferenceProfileSummaries": [profile(name) for name in self._profiles]})])
            case "POST", ["model", quoted, "converse" | "converse-stream" as operation]:
                return self._chat(seen, unquote(quoted), operation)
        return refusal(404, "UnknownOperationException", "Unable to determine service/operation name to be authorized")

    def _stranger(self, seen: Seen) -> Served | None:
        """Refuse whoever has not the right keys; anybody is welcome when there are none."""
        scheme, _, token = seen.headers.get("authorization", "").partition(" ")
        if not (self._key or self._pair):
            return None
        if scheme == "Bearer" and self._key:
            known, what = token == self._key, "Authentication failed: Please make sure your API Key is valid."
            return None if known else refusal(403, "AccessDeniedException", what)
        if self._pair is None or not scheme:
            return refusal(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        if f"Credential={self._pair.access}/" not in token:
            what = "The security token included in the request is invalid."
            return refusal(403, "UnrecognizedClientException", what)
        if not signed_by(seen, self._pair, "bedrock"):
            what = "The request signature we calculated does not match the signature you provided."
            return refusal(403, "InvalidSignatureException", what)
        return None

    def _chat(self, seen: Seen, model: str, operation: str) -> Served:
        if model not in (*self._models, *self._profiles):
            return refusal(400, "ValidationException", "The provided model identifier is invalid.")
        if complaint := wrong(seen.json):
            return refusal(400, "ValidationException", complaint)
        answer = self.turn()
        if operation == "converse":
            return Served([written(whole(answer))], fault=answer.fault)
        return Served(events(answer), type=STREAM, fault=answer.fault, keep_alive=KEEP_ALIVE)


def refusal(status: int, kind: str, message: str) -> Served:
    """Refuse a request as the vendor does: what it is in a header, why in the body."""
    headers = {"x-amzn-ErrorType": f"{kind}:http://internal.amazon.com/coral/com.amazon.bedrock/"}
    return Served([written({"message": message})], status=status, fault=Fault(headers=headers))


def events(answer: Say) -> Iterator[bytes]:
    """Stream an answer: who speaks, block after block, why it ends, what it cost."""
    yield padded("messageStart", {"role": "assistant"})
    for index, part in enumerate(answer.parts):
        at = {"contentBlockIndex": index}
        if isinstance(part, ToolCall):
            start = {"toolUse": {"toolUseId": part.id, "name": part.tool}}
            yield padded("contentBlockStart", {**at, "start": start})
        for delta in deltas(answer, part):
            yield padded("contentBlockDelta", {**at, "delta": delta})
        yield padded("contentBlockStop", at)
    yield padded("messageStop", {"stopReason": reason(answer)})
    if answer.usage is not None:
        yield padded("metadata", {"metrics": METRICS, "usage": usage(answer.usage)})


def deltas(answer: Say, part: Said) -> Iterator[Body]:
    """Say one part piece by piece."""
    if isinstance(part, ToolCall):
        arguments = json.dumps(dict(part.arguments), ensure_ascii=False) if part.arguments else ""
        yield from ({"toolUse": {"input": piece}} for piece in answer.pieces(arguments))
    elif isinstance(part, Text):
        yield from ({"text": piece} for piece in answer.pieces(part.text))
    elif part.signature and not part.text:
        yield {"reasoningContent": {"redactedContent": part.signature}}
    else:
        yield from ({"reasoningContent": {"text": piece}} for piece in answer.pieces(part.text))
        yield from [{"reasoningContent": {"signature": part.signature}}] if part.signature else []


def whole(answer: Say) -> Body:
    """Say an answer all at once."""
    message = {"role": "assistant", "content": [block(part) for part in answer.parts]}
    counted = {} if answer.usage is None else {"usage": usage(answer.usage)}
    return {"output": {"message": message}, "stopReason": reason(answer), "metrics": METRICS, **counted}


def block(part: Said) -> Body:
    """One part of an answer, whole."""
    if isinstance(part, ToolCall):
        return {"toolUse": {"toolUseId": part.id, "name": part.tool, "input": dict(part.arguments)}}
    if isinstance(part, Text):
        return {"text": part.text}
    if part.signature and not part.text:
        return {"reasoningContent": {"redactedContent": part.signature}}
    sealed = {"signature": part.signature} if part.signature else {}
    return {"reasoningContent": {"reasoningText": {"text": part.text, **sealed}}}


def reason(answer: Say) -> str:
    """Why an answer ends, in the vendor's word."""
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def usage(counted: "Usage | Json") -> "Body | Json":
    """Count as the vendor does: cached tokens are not among the input. Nonsense stays as it is."""
    if not isinstance(counted, Usage):
        return counted
    return {
        "inputTokens": counted.input,
        "outputTokens": counted.output,
        "totalTokens": counted.total,
        "cacheReadInputTokens": counted.cache_read,
        "cacheWriteInputTokens": counted.cache_write,
    }


def padded(kind: str, payload: Body) -> bytes:
    """Frame an event with the padding that the vendor adds, so that lengths tell nothing."""
    return event(kind, {**payload, "p": "abcdefghijklmnopqrstuvwxyz"[: 4 + len(str(payload)) % 20]})


def summary(name: str) -> Body:
    """A model in the list."""
    return {
        "modelArn": arn(name),
        "modelId": name,
        "modelName": name,
        "providerName": "Fake",
        "inputModalities": ["TEXT", "IMAGE"],
        "outputModalities": ["TEXT"],
        "responseStreamingSupported": True,
        "customizationsSupported": [],
        "inferenceTypesSupported": ["ON_DEMAND"],
        "modelLifecycle": {"status": "ACTIVE"},
    }


def profile(name: str) -> Body:
    """An inference profile in the list."""
    return {
        "inferenceProfileName": name,
        "inferenceProfileArn": f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{name}",
        "inferenceProfileId": name,
        "models": [{"modelArn": arn(name.partition(".")[2])}],
        "status": "ACTIVE",
        "type": "SYSTEM_DEFINED",
    }


def arn(model: str) -> str:
    """The full name of a model."""
    return f"arn:aws:bedrock:us-east-1::foundation-model/{model}"
