"""Find the blocks of a request in Anthropic's format."""

from openkoi_hookspecs import Json

from .json_body import objects_in

Block = dict[str, Json]

THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})


def text_blocks(content: Json) -> list[Block]:
    """Return the blocks; a plain string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects_in(content)
