"""Find the blocks of a request in Anthropic's format."""

from openkoi_hookspecs import Json

Block = dict[str, Json]

THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})


def object_blocks(content: Json) -> list[Block]:
    """Return the objects of a list, if it is one."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def text_blocks(content: Json) -> list[Block]:
    """Blocks, also when they are a bare text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else object_blocks(content)
