"""Where a thought's signature belongs. The vendor signs parts of an answer; what we keep of them is a thought's seal.

A seal stands for the part that directly follows its thought. A signature of the thought itself stands before a bar in
the seal, which no signature contains; when the thought has no words, it is that of a part without words.
"""

BAR = "|"


def sealed(own: str, following: str) -> str:
    """Put the signature of a thought and that of the part after it into one seal."""
    return f"{own}{BAR}{following}" if own else following


def opened(seal: str) -> tuple[str, str]:
    """Return the signature of the thought itself, and that of the part after it."""
    own, _, following = seal.rpartition(BAR)
    return own, following
