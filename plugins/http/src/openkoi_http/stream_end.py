"""End a streamed response, and reject one that is empty or lacks the tool calls that it announced."""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, StreamEnd, ToolCall, Usage

from .server import Server


def finish_response(
    server: Server, rest: Sequence[Chunk], usage: Usage, *, has_text: bool, asks: bool
) -> Sequence[Chunk]:
    """Return the remaining chunks and StreamEnd; ``has_text``: there was text, ``asks``: the model announced calls.

    Raise EmptyResponseError when there was no text (reasoning does not count) and no tool call.
    """
    called = any(isinstance(chunk, ToolCall) for chunk in rest)
    if asks and not called:
        raise server.empty_error("announced tool calls but sent none; its response was discarded.")
    if not called and not has_text:
        raise server.empty_error()
    return (*rest, StreamEnd(usage, FinishReason.TOOLS if called else FinishReason.END))
