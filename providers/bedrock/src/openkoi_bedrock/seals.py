"""The vendor's proofs of its thoughts, under a name of our own: one that another vendor gave is not shown to this one.

Knows how a thought is told on its way back; knows no stream.
"""

from base64 import b64encode
from collections.abc import Mapping

from openkoi_hookspecs import Reasoning

SIGNED = "bedrock:"
REDACTED = "bedrock-redacted:"


def signed(signature: str) -> Reasoning:
    """The end of a thought: its signature."""
    return Reasoning("", signature=f"{SIGNED}{signature}")


def redacted(data: bytes) -> Reasoning:
    """A thought that nobody is to read, whole."""
    return Reasoning("", signature=f"{REDACTED}{b64encode(data).decode()}")


def handed_back(thought: Reasoning) -> Mapping[str, object] | None:
    """Tell a thought as the vendor told it; None for one without a proof of this vendor."""
    if thought.signature.startswith(SIGNED):
        told = {"text": thought.text, "signature": thought.signature.removeprefix(SIGNED)}
        return {"reasoningContent": {"reasoningText": told}}
    if thought.signature.startswith(REDACTED):
        return {"reasoningContent": {"redactedContent": thought.signature.removeprefix(REDACTED)}}
    return None
