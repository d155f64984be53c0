"""Find what Anthropic would refuse in a request."""

import re
from collections.abc import Callable, Iterator, Sequence

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES

from .anthropic_blocks import THINKING_TYPES, Block, text_blocks
from .json_body import objects_in
from .media import PDF, find_media_error

COUNTED = frozenset(
    {"model", "messages", "system", "tools", "tool_choice", "thinking", "cache_control", "output_config"}
)
KEYS = COUNTED | {"max_tokens", "stream", "temperature", "top_p", "top_k", "metadata", "stop_sequences", "service_tier"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
MAX_CACHE_MARKS = 4
SOURCES = {"image": IMAGE_TYPES, "document": (PDF,)}
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after"
MIN_THINKING_BUDGET = 1024
UNSUPPORTED_KEYWORDS = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "maxItems", "oneOf")


def find_error(body: Block, *, counting: bool = False) -> str:
    """Return the error in a request; empty when it is valid."""
    rules: Sequence[Callable[[Block], Iterator[str]]] = (
        check_basics,
        check_system,
        check_tools,
        check_messages,
        check_pairs,
        check_cache_marks,
        check_thinking,
        check_schema,
    )
    counted = () if counting else check_max_tokens(body)
    keys = COUNTED if counting else KEYS
    strange = (f"{key}: Extra inputs are not permitted" for key in body if key not in keys)
    wrong = (message for rule in rules for message in rule(body))
    return next((message for source in (counted, wrong, strange) for message in source), "")


def check_max_tokens(body: Block) -> Iterator[str]:
    """Yield errors of the maximum length, which is required."""
    limit = body.get("max_tokens")
    if type(limit) is not int or limit < 1:
        yield "max_tokens: Field required" if limit is None else "max_tokens: Input should be greater than 0"


def check_basics(body: Block) -> Iterator[str]:
    """Yield errors of the model, the messages and the temperature."""
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: Field required"
    if not isinstance(body.get("messages"), list):
        yield "messages: Field required"
    elif not body["messages"]:
        yield "messages: at least one message is required"
    heat = body.get("temperature")
    if heat is not None and (not isinstance(heat, int | float) or not 0 <= heat <= 1):
        yield "temperature: range: 0..1"


def check_system(body: Block) -> Iterator[str]:
    """Yield the system's blocks."""
    for index, block in enumerate(text_blocks(body.get("system"))):
        yield from check_empty_text(block, f"system.{index}")


def check_tools(body: Block) -> Iterator[str]:
    """Yield errors in the tools."""
    names: list[Json] = []
    for index, tool in enumerate(objects_in(body.get("tools"))):
        name, given = tool.get("name"), tool.get("input_schema")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield f"tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if not isinstance(given, dict) or given.get("type") != "object":
            yield f"tools.{index}.custom.input_schema.type: Field required"
        if name in names:
            yield "tools: Tool names must be unique."
        names.append(name)


def check_messages(body: Block) -> Iterator[str]:
    """Yield errors about roles and empty messages."""
    messages = objects_in(body.get("messages"))
    if messages and messages[0].get("role") != "user":
        yield 'messages: first message must use the "user" role'
    for place, message in enumerate(messages):
        if message.get("role") not in ("user", "assistant"):
            yield f"messages.{place}.role: Input should be 'user' or 'assistant'"
        if not message.get("content"):
            yield f"messages.{place}: all messages must have non-empty content"
        for index, block in enumerate(text_blocks(message.get("content"))):
            yield from check_block(block, f"messages.{place}.content.{index}")


def check_block(block: Block, where: str) -> Iterator[str]:
    """Yield errors of one block."""
    yield from check_empty_text(block, where)
    if block.get("type") in THINKING_TYPES and block.get("cache_control"):
        yield f"{where}: cache_control cannot be set for thinking blocks"
    if block.get("type") == "tool_use":
        if not NAME.fullmatch(str(block.get("id"))) or not NAME.fullmatch(str(block.get("name"))):
            yield f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        if not isinstance(block.get("input"), dict):
            yield f"{where}.tool_use.input: Input should be a valid dictionary"
    if block.get("type") == "tool_result":
        yield from check_result(block, where)
    source = block.get("source")
    if block.get("type") in SOURCES and isinstance(source, dict):
        taken = SOURCES[str(block["type"])]
        if wrong := find_media_error(source.get("media_type"), source.get("data"), taken):
            yield f"{where}.{block['type']}.source: {wrong}"


def check_result(block: Block, where: str) -> Iterator[str]:
    """Yield errors of a tool's result."""
    content = text_blocks(block.get("content"))
    if block.get("is_error") and not content:
        yield f"{where}: content cannot be empty if `is_error` is true"
    if block.get("is_error") and any(inner.get("type") != "text" for inner in content):
        yield f"{where}: all content must be type `text` if `is_error` is true"
    for index, inner in enumerate(content):
        yield from check_block(inner, f"{where}.tool_result.content.{index}")


def check_empty_text(block: Block, where: str) -> Iterator[str]:
    """Yield an error for a text without content."""
    if block.get("type") == "text" and not str(block.get("text", "")).strip():
        yield f"{where}: text content blocks must contain non-whitespace text"


def check_pairs(body: Block) -> Iterator[str]:
    """Yield tool calls without a result in the next message, and results without a call in the one before."""
    asked: list[Json] = []
    place = -1
    for place, content in enumerate(group_turns(body)):
        answered = [block.get("tool_use_id") for block in content if block.get("type") == "tool_result"]
        if strange := [id for id in answered if id not in asked]:
            yield f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {strange}."
        if missing := [id for id in asked if id not in answered]:
            yield f"messages.{place}: {UNANSWERED}: {missing}."
        if len({*map(str, answered)}) < len(answered):
            yield f"messages.{place}: each tool_use must have a single result."
        if any(block.get("type") != "tool_result" for block in content[: len(answered)]):
            yield f"messages.{place}: `tool_result` blocks must come first."
        asked = [block.get("id") for block in content if block.get("type") == "tool_use"]
    if asked:
        yield f"messages.{place}: {UNANSWERED}: {asked}."


def group_turns(body: Block) -> list[list[Block]]:
    """Return the blocks of each turn; consecutive messages of one role form a turn."""
    found: list[tuple[Json, list[Block]]] = []
    for message in objects_in(body.get("messages")):
        if not found or found[-1][0] != message.get("role"):
            found.append((message.get("role"), []))
        found[-1][1].extend(text_blocks(message.get("content")))
    return [content for _, content in found]


def check_cache_marks(body: Block) -> Iterator[str]:
    """Yield an error for more than four cache marks; the automatic one counts unless another is in the same place."""
    turns = [block for content in group_turns(body) for block in content]
    blocks = [*objects_in(body.get("tools")), *objects_in(body.get("system")), *turns]
    moving = bool(body.get("cache_control")) and not (blocks and blocks[-1].get("cache_control"))
    found = sum(bool(block.get("cache_control")) for block in blocks) + moving
    if found > MAX_CACHE_MARKS:
        yield f"A maximum of {MAX_CACHE_MARKS} blocks with cache_control may be provided. Found {found}."


def check_thinking(body: Block) -> Iterator[str]:
    """Yield settings that cannot be combined with thinking."""
    how = body.get("thinking")
    if not isinstance(how, dict) or how.get("type") not in ("enabled", "adaptive"):
        return
    budget, limit = how.get("budget_tokens"), body.get("max_tokens")
    if how["type"] == "enabled" and (type(budget) is not int or budget < MIN_THINKING_BUDGET):
        yield f"thinking.enabled.budget_tokens: Input should be greater than or equal to {MIN_THINKING_BUDGET}"
    if isinstance(budget, int) and isinstance(limit, int) and budget >= limit:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    if body.get("temperature") not in (None, 1):
        yield "`temperature` may only be set to 1 when thinking is enabled."
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
        yield "Thinking may not be enabled when tool_choice forces tool use."


def check_schema(body: Block) -> Iterator[str]:
    """Yield errors in the schemas that an answer must match."""
    config = body.get("output_config")
    output_format = config.get("format") if isinstance(config, dict) else None
    if isinstance(output_format, dict):
        yield from check_keywords(output_format.get("schema"))


def check_keywords(schema: Json) -> Iterator[str]:
    """Yield keywords of a schema that are not supported."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
    if wrong := [key for key in UNSUPPORTED_KEYWORDS if key in schema]:
        yield f"output_config.format.schema: properties {wrong} are not supported"
    properties, variants = schema.get("properties"), schema.get("anyOf")
    inner = [*properties.values()] if isinstance(properties, dict) else []
    for one in (*inner, schema.get("items"), *objects_in(variants)):
        yield from check_keywords(one)
