"""Check that a task, piped input, a conversation, images and files are not too large before a model gets them.

Invalid input from a caller raises ConfigError; in a tool's result, a note replaces it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_base.isolation import sanitize_text, type_error_of
from openkoi_base.tokens import BYTES_PER_TOKEN, size_of_text
from openkoi_hookspecs import (
    Blob,
    ConfigError,
    Content,
    File,
    Image,
    LimitExceededError,
    Limits,
    Message,
    Part,
    Role,
    Task,
    Text,
    ToolResult,
    image_type,
)
from openkoi_hookspecs.content import IMAGE_TYPES, MAX_FILE_BYTES, MAX_IMAGE_BYTES
from openkoi_prompt.conversation import calls_in, join_turns, results_in
from openkoi_settings import keys

from .images_in_messages import media_in, name_of

HISTORY_FORM = "Expected a tuple of Message that starts with a user message and has a result for every tool call."
LONG_TASK_BYTES = 2_000_000  # a longer task takes seconds to search for secrets: about one for each MB (measured)
TOO_LONG = (
    "its words and input are about {tokens:,} tokens, and {setting} allows {limit:,}. Shorten the task and its input, "
    "or raise the limit"
)


def require_size(task: Task, limits: Limits) -> Task:
    """Return the task; raise LimitExceededError if it is long and exceeds its budget, before it is redacted."""
    size = size_of_text(task.text) + size_of_text(task.context)
    tokens = size // BYTES_PER_TOKEN
    if size > LONG_TASK_BYTES and tokens > limits.tokens:
        raise LimitExceededError(TOO_LONG.format(tokens=tokens, limit=limits.tokens, setting=keys.TOKEN_BUDGET.name))
    return task


def check_content(task: Task) -> Task:
    """Return a task whose history and parts vendors accept; raise ConfigError if that is impossible."""
    if wrong := type_error_of(task.history, Sequence[Message]):
        raise ConfigError(f"Invalid task history: {wrong}. {HISTORY_FORM}")
    if wrong := type_error_of(task.parts, Sequence[Image | File]):
        raise ConfigError(f"Invalid task parts: {wrong}. Expected a tuple of Image and File.")
    history = join_messages(task.history)
    if reason := history_problem(history):
        raise ConfigError(f"The task's history cannot be continued: {reason}. {HISTORY_FORM}")
    media = [*task.parts, *media_in(history)]
    for part in media:
        if reason := explain_unsendable(part):
            raise ConfigError(f"The task cannot start: {reason}.")
    if (size := sum(part.size for part in media)) > MAX_FILE_BYTES:
        raise ConfigError(
            f"The task cannot start: its images and files total {format_megabytes(size)}; the limit is "
            f"{format_megabytes(MAX_FILE_BYTES)}."
        )
    return replace(task, history=history, parts=tuple(map(with_own_type, task.parts)))


def join_messages(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return messages with alternating sides, without broken characters."""
    return tuple(join_turns(replace(one, parts=tuple(map(sanitize_message, one.parts))) for one in messages))


def sanitize_message(part: Part) -> Part:
    match part:
        case ToolResult():
            return replace(part, text=sanitize_text(part.text), parts=tuple(map(sanitized_content, part.parts)))
        case Text() | Image() | File():
            return sanitized_content(part)
    return part


def sanitized_content(part: Content) -> Content:
    return Text(sanitize_text(part.text)) if isinstance(part, Text) else with_own_type(part)


def history_problem(history: Sequence[Message]) -> str:
    """Return why vendors would reject a history; empty if they would not."""
    if history and history[0].role is not Role.USER:
        return "it starts with an assistant message"
    calls = [set[str](), *map(calls_in, history)]
    results = [*map(results_in, history), set[str]()]
    return "" if calls == results else "a tool call has no result in the next message, or a result has no call"


def explain_unsendable(part: Image | File) -> str:
    """Return a short reason why an image or a file cannot be sent; empty if it can."""
    limit = MAX_IMAGE_BYTES if isinstance(part, Image) else MAX_FILE_BYTES
    if part.size > limit:
        return f"{name_of(part)} is {format_megabytes(part.size)}; the limit is {format_megabytes(limit)}"
    if not part.size:
        return f"{name_of(part)} is empty"
    if isinstance(part, File):
        return "" if "/" in part.media_type and part.name else f"{name_of(part)} needs a name and a media type"
    known = part.media_type if isinstance(part.content, Blob) else image_type(part.content)
    return "" if known in IMAGE_TYPES else f"{name_of(part)} is not an image of the types {', '.join(IMAGE_TYPES)}"


def with_own_type(part: Image | File) -> Image | File:
    """Return an image with the media type that its bytes show: vendors reject any other."""
    if isinstance(part, File) or isinstance(part.content, Blob):
        return part
    return replace(part, media_type=image_type(part.content) or part.media_type)


def check_result(result: ToolResult) -> ToolResult:
    """Return a tool's result with a note in place of each part that cannot be sent."""
    return replace(result, parts=tuple(map(check_parts, result.parts))) if result.parts else result


def check_parts(part: Content) -> Content:
    if not isinstance(part, Text) and (reason := explain_unsendable(part)):
        return Text(f"[Not shown: {reason}.]")
    return sanitized_content(part)


def format_megabytes(size: int) -> str:
    """Return a number of bytes in megabytes."""
    return f"{size / 1e6:.1f} MB"
