"""Fake Amazon Bedrock: Converse and ConverseStream, and the lists of models and inference profiles.

It is as strict as the real one about signatures, turns, tool calls without results and blank text. The vendor's own
client certifies it.
"""

import json
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from openkoi_hookspecs import Json, Text, ToolCall, Usage

from .aws import STREAM, KeyPair, event_frame, is_signed_by
from .bedrock_rules import find_error
from .faults import ServerFault
from .http_server import ReceivedRequest, ServerResponse
from .json_body import Body, to_json
from .say import AnswerPart, Say, Words
from .vendor_server import VendorServer

MODELS = ("anthropic.claude-fake-v1:0",)
KEEP_ALIVE = event_frame("ping", {})
METRICS = {"latencyMs": 7}


class BedrockServer(VendorServer):
    """Return the given answers in turn, then repeat the last one.

    ``key`` is the only bearer token it accepts, and ``pair`` signs every request that has none, when given.
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

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""
        if refused := self._check_keys(seen):
            return refused
        match seen.method, seen.path.partition("?")[0].split("/")[1:]:
            case "GET", ["foundation-models"]:
                return ServerResponse([to_json({"modelSummaries": [model_summary(name) for name in self._models]})])
            case "GET", ["inference-profiles"]:
                return ServerResponse(
                    [to_json({"inferenceProfileSummaries": [profile_summary(name) for name in self._profiles]})]
                )
            case "POST", ["model", quoted, "converse" | "converse-stream" as operation]:
                return self._chat(seen, unquote(quoted), operation)
        return refuse(404, "UnknownOperationException", "Unable to determine service/operation name to be authorized")

    def _check_keys(self, seen: ReceivedRequest) -> ServerResponse | None:
        """Refuse a client without the right keys; accept any when there are none."""
        scheme, _, token = seen.headers.get("authorization", "").partition(" ")
        if not (self._key or self._pair):
            return None
        if scheme == "Bearer" and self._key:
            known, what = token == self._key, "Authentication failed: Please make sure your API Key is valid."
            return None if known else refuse(403, "AccessDeniedException", what)
        if self._pair is None or not scheme:
            return refuse(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        if f"Credential={self._pair.access}/" not in token:
            what = "The security token included in the request is invalid."
            return refuse(403, "UnrecognizedClientException", what)
        if not is_signed_by(seen, self._pair, "bedrock"):
            what = "The request signature we calculated does not match the signature you provided."
            return refuse(403, "InvalidSignatureException", what)
        return None

    def _chat(self, seen: ReceivedRequest, model: str, operation: str) -> ServerResponse:
        if model not in (*self._models, *self._profiles):
            return refuse(400, "ValidationException", "The provided model identifier is invalid.")
        if complaint := find_error(seen.json):
            return refuse(400, "ValidationException", complaint)
        answer = self.next_answer()
        if operation == "converse":
            return ServerResponse([to_json(complete_message(answer))], fault=answer.fault)
        return ServerResponse(stream_events(answer), type=STREAM, fault=answer.fault, keep_alive=KEEP_ALIVE)


def refuse(status: int, kind: str, message: str) -> ServerResponse:
    """Return a refusal as the vendor sends it: the kind in a header, the reason in the body."""
    headers = {"x-amzn-ErrorType": f"{kind}:http://internal.amazon.com/coral/com.amazon.bedrock/"}
    return ServerResponse([to_json({"message": message})], status=status, fault=ServerFault(headers=headers))


def stream_events(answer: Say) -> Iterator[bytes]:
    """Yield the events of an answer: role, block after block, why it ends, what it cost."""
    yield padded_frame("messageStart", {"role": "assistant"})
    for index, part in enumerate(answer.parts):
        at = {"contentBlockIndex": index}
        if isinstance(part, ToolCall):
            start = {"toolUse": {"toolUseId": part.id, "name": part.tool}}
            yield padded_frame("contentBlockStart", {**at, "start": start})
        for delta in block_deltas(answer, part):
            yield padded_frame("contentBlockDelta", {**at, "delta": delta})
        yield padded_frame("contentBlockStop", at)
    yield padded_frame("messageStop", {"stopReason": stop_reason(answer)})
    if answer.usage is not None:
        yield padded_frame("metadata", {"metrics": METRICS, "usage": usage_of(answer.usage)})


def block_deltas(answer: Say, part: AnswerPart) -> Iterator[Body]:
    """Yield the deltas of one part."""
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


def complete_message(answer: Say) -> Body:
    """Return the complete answer."""
    message = {"role": "assistant", "content": [content_block(part) for part in answer.parts]}
    counted = {} if answer.usage is None else {"usage": usage_of(answer.usage)}
    return {"output": {"message": message}, "stopReason": stop_reason(answer), "metrics": METRICS, **counted}


def content_block(part: AnswerPart) -> Body:
    """Return one complete part of an answer."""
    if isinstance(part, ToolCall):
        return {"toolUse": {"toolUseId": part.id, "name": part.tool, "input": dict(part.arguments)}}
    if isinstance(part, Text):
        return {"text": part.text}
    if part.signature and not part.text:
        return {"reasoningContent": {"redactedContent": part.signature}}
    sealed = {"signature": part.signature} if part.signature else {}
    return {"reasoningContent": {"reasoningText": {"text": part.text, **sealed}}}


def stop_reason(answer: Say) -> str:
    """Return why an answer ends, in the vendor's term."""
    return answer.finish or ("tool_use" if answer.calls else "end_turn")


def usage_of(counted: "Usage | Json") -> "Body | Json":
    """Return the usage as the vendor counts: cached tokens are not among the input. Invalid values stay as they are."""
    if not isinstance(counted, Usage):
        return counted
    return {
        "inputTokens": counted.input,
        "outputTokens": counted.output,
        "totalTokens": counted.total,
        "cacheReadInputTokens": counted.cache_read,
        "cacheWriteInputTokens": counted.cache_write,
    }


def padded_frame(kind: str, payload: Body) -> bytes:
    """Return the frame of an event with the padding that the vendor adds, so that lengths reveal nothing."""
    return event_frame(kind, {**payload, "p": "abcdefghijklmnopqrstuvwxyz"[: 4 + len(str(payload)) % 20]})


def model_summary(name: str) -> Body:
    """Return a model in the list."""
    return {
        "modelArn": model_arn(name),
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


def profile_summary(name: str) -> Body:
    """Return an inference profile in the list."""
    return {
        "inferenceProfileName": name,
        "inferenceProfileArn": f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{name}",
        "inferenceProfileId": name,
        "models": [{"modelArn": model_arn(name.partition(".")[2])}],
        "status": "ACTIVE",
        "type": "SYSTEM_DEFINED",
    }


def model_arn(model: str) -> str:
    """Return the full name of a model."""
    return f"arn:aws:bedrock:us-east-1::foundation-model/{model}"
