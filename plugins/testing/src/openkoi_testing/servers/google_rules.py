"""Find what the real Gemini API would refuse in a request."""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Json, ToolCall
from openkoi_hookspecs.lazy_dataclass import dataclass

from .json_body import objects_in
from .media import PDF, find_media_error

FIELDS = frozenset(
    {
        "cachedContent",
        "contents",
        "generationConfig",
        "safetySettings",
        "serviceTier",
        "store",
        "systemInstruction",
        "system_instruction",
        "toolConfig",
        "tools",
    }
)
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult")
NAME = re.compile(r"[A-Za-z_][\w.:-]{0,127}", re.ASCII)
MAX_BATCH = 100
TAKEN = ("image/png", "image/jpeg", "image/webp", PDF)
MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
)
UNEQUAL = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
AFTER_CALLS = "Please ensure that function response turn comes immediately after a function call turn."

Content = dict[str, Json]
NOTHING: Content = {}


@dataclass(frozen=True, slots=True)
class SignedCall:
    """A tool call that was asked for, and the signature that it came with."""

    call: ToolCall
    signature: str

    def matches(self, content: Content) -> bool:
        """Return whether a part of a request is this call."""
        same = content.get("name") == self.call.tool and content.get("args", {}) == dict(self.call.arguments)
        return same and (not self.call.id or content.get("id") == self.call.id)


def find_error(body: Json, signed: Sequence[SignedCall]) -> str:
    """Return the error in a request; empty when it is valid."""
    if not isinstance(body, dict):
        return "Invalid JSON payload received. Unexpected token."
    if unknown := sorted({*body} - FIELDS):
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}": Cannot find field.'
    contents = objects_in(body.get("contents"))
    if not contents:
        return "* GenerateContentRequest.contents: contents is not specified"
    wrong = (check_content(content, place) for place, content in enumerate(contents))
    return (
        next(filter(None, wrong), "")
        or check_settings(body)
        or check_pairs(contents)
        or check_signatures(contents, signed)
    )


def check_content(content: Content, place: int) -> str:
    """Return the error in one turn."""
    if content.get("role", "user") not in ("user", "model"):
        return "Please use a valid role: user, model."
    parts = objects_in(content.get("parts"))
    if not parts:
        return f"* GenerateContentRequest.contents[{place}].parts: contents.parts must not be empty."
    for part in parts:
        if not any(part.get(key) for key in DATA) and not part.get("thoughtSignature"):
            where = f"contents[{place}].parts"
            return f"* GenerateContentRequest.{where}: required oneof field 'data' must have one initialized field"
        response = part.get("functionResponse")
        inner = objects_in(response.get("parts")) if isinstance(response, dict) else []
        for data in objects_in([one.get("inlineData") for one in (part, *inner)]):
            if wrong := find_media_error(data.get("mimeType"), data.get("data"), TAKEN):
                return wrong
    return ""


def check_settings(body: Content) -> str:
    """Return the error in the tools, or in the settings of the answer."""
    tools = [one for tool in objects_in(body.get("tools")) for one in objects_in(tool.get("functionDeclarations"))]
    for tool in tools:
        name = tool.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            return "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name."
        if "parameters" in tool and "parametersJsonSchema" in tool:
            return "Only one of parameters and parameters_json_schema can be set."
    config = body.get("generationConfig")
    if isinstance(config, dict) and "responseJsonSchema" in config and config.get("responseMimeType") is None:
        return "response_mime_type must be application/json when a response schema is set."
    return ""


def check_pairs(contents: Sequence[Content]) -> str:
    """Return which tool calls have no result, and which results no call."""
    rows: list[tuple[Json, Json]] = []
    for content in (*contents, NOTHING):
        answered = [(one.get("name"), one.get("id")) for one in parts_with(content, "functionResponse")]
        if answered and not rows:
            return AFTER_CALLS
        if sorted(map(str, rows)) != sorted(map(str, answered)):
            return UNEQUAL
        rows = [(one.get("name"), one.get("id")) for one in parts_with(content, "functionCall")]
    return ""


def check_signatures(contents: Sequence[Content], signed: Sequence[SignedCall]) -> str:
    """Return which tool call of the current turn came back without its signature."""
    for place, content in current_turn(contents):
        for part in objects_in(content.get("parts")):
            call = part.get("functionCall")
            if not isinstance(call, dict):
                continue
            wanted = {one.signature for one in signed if one.matches(call)}
            if wanted and part.get("thoughtSignature", "") not in wanted:
                return f"{MISSING}`default_api:{call.get('name')}` , position {place + 1}."
    return ""


def current_turn(contents: Sequence[Content]) -> Iterator[tuple[int, Content]]:
    """Yield the contents since the user's last message that is not a result."""
    begun = [place for place, content in enumerate(contents) if is_user_message(content)]
    start = begun[-1] if begun else 0
    yield from ((place, content) for place, content in enumerate(contents) if place > start)


def is_user_message(content: Content) -> bool:
    """Return whether a user turn contains anything but tool results."""
    parts = objects_in(content.get("parts"))
    return content.get("role", "user") == "user" and any("functionResponse" not in part for part in parts)


def find_embedding_error(name: str, body: Json) -> str:
    """Return the error in a batch of texts."""
    requests = objects_in(body.get("requests")) if isinstance(body, dict) else []
    if not requests or len(requests) > MAX_BATCH:
        return (
            f"* BatchEmbedContentsRequest.requests: at most {MAX_BATCH} requests can be in one batch, and one at least"
        )
    for request in requests:
        content = request.get("content")
        parts = objects_in(content.get("parts")) if isinstance(content, dict) else []
        if request.get("model") != f"models/{name}":
            return "* BatchEmbedContentsRequest.requests[0].model: the model must be that of the batch"
        if not any(part.get("text") for part in parts):
            return "* BatchEmbedContentsRequest.requests[0].content: contains an empty Part"
    return ""


def parts_with(content: Content, key: str) -> list[Content]:
    """Return the parts of one kind in a turn."""
    return objects_in([part.get(key) for part in objects_in(content.get("parts"))])
