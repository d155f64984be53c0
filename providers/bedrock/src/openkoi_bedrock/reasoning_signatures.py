"""Convert reasoning signatures; a prefix keeps them apart from other vendors' signatures."""

from base64 import b64encode
from collections.abc import Mapping

from openkoi_hookspecs import Reasoning

SIGNATURE_PREFIX = "bedrock:"
REDACTED_PREFIX = "bedrock-redacted:"


def end_reasoning(signature: str) -> Reasoning:
    """Return reasoning that contains only a signature."""
    return Reasoning("", signature=f"{SIGNATURE_PREFIX}{signature}")


def redacted_reasoning(data: bytes) -> Reasoning:
    """Return reasoning that contains only redacted data."""
    return Reasoning("", signature=f"{REDACTED_PREFIX}{b64encode(data).decode()}")


def encode_reasoning(thought: Reasoning) -> Mapping[str, object] | None:
    """Return the block of a reasoning part, or None if it has no signature of this vendor."""
    if thought.signature.startswith(SIGNATURE_PREFIX):
        reasoning = {"text": thought.text, "signature": thought.signature.removeprefix(SIGNATURE_PREFIX)}
        return {"reasoningContent": {"reasoningText": reasoning}}
    if thought.signature.startswith(REDACTED_PREFIX):
        return {"reasoningContent": {"redactedContent": thought.signature.removeprefix(REDACTED_PREFIX)}}
    return None
