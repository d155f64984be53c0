"""The end of an answer that ended by itself. Knows what is none: where nothing was said and nothing asked for."""

from collections.abc import Sequence

from openkoi_hookspecs import Chunk, FinishReason, StreamEnd, ToolCall, Usage

from .server import Server


def concluded(server: Server, rest: Sequence[Chunk], usage: Usage, *, said: bool, asks: bool) -> Sequence[Chunk]:
    """Return the rest of an answer and Done; ``said``: there were words, ``asks``: it says that it wants tools.

    Raises EmptyResponseError where nothing was said (thoughts are not words) and no tool was asked for.
    """
    called = any(isinstance(chunk, ToolCall) for chunk in rest)
    if asks and not called:
        raise server.empty("asked for tools and named none; none of its response was used.")
    if not called and not said:
        raise server.empty()
    return (*rest, StreamEnd(usage, FinishReason.TOOLS if called else FinishReason.END))
