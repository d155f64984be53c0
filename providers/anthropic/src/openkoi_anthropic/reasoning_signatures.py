"""Convert reasoning signatures to and from the vendor's thinking blocks."""

from collections.abc import Mapping

from openkoi_hookspecs import Reasoning

THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})
REDACTED_PREFIX = "redacted:"


def redacted_reasoning(data: str) -> Reasoning:
    """Return reasoning that only contains redacted data."""
    return Reasoning("", signature=f"{REDACTED_PREFIX}{data}")


def encode_reasoning(thought: Reasoning) -> Mapping[str, str] | None:
    """Return the thinking block of a reasoning part, or None if it has no signature (the vendor requires one)."""
    if not thought.signature:
        return None
    if thought.signature.startswith(REDACTED_PREFIX):
        return {"type": "redacted_thinking", "data": thought.signature.removeprefix(REDACTED_PREFIX)}
    return {"type": "thinking", "thinking": thought.text, "signature": thought.signature}
