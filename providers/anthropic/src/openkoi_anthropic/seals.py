"""The vendor's proofs of its thoughts, as a conversation keeps them: a signature, or the whole of a hidden thought."""

from collections.abc import Mapping

from openkoi_hookspecs import Reasoning

KINDS = frozenset({"thinking", "redacted_thinking"})
HIDDEN = "redacted:"


def redacted(data: str) -> Reasoning:
    """A thought that is not told; no signature has such a beginning."""
    return Reasoning("", signature=f"{HIDDEN}{data}")


def handed_back(thought: Reasoning) -> Mapping[str, str] | None:
    """Tell a thought as the vendor told it; None for one without a proof, which the vendor would refuse."""
    if not thought.signature:
        return None
    if thought.signature.startswith(HIDDEN):
        return {"type": "redacted_thinking", "data": thought.signature.removeprefix(HIDDEN)}
    return {"type": "thinking", "thinking": thought.text, "signature": thought.signature}
