"""The blocks of a request as Anthropic's format has them, found whatever else stands there. Knows no rules."""

from openkoi_hookspecs import Json

Block = dict[str, Json]

THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def blocks_in(content: Json) -> list[Block]:
    """The objects of a list, if it is one."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts_in(content: Json) -> list[Block]:
    """Blocks, also when they are a bare text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else blocks_in(content)
