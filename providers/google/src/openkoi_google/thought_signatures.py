"""Convert thought signatures to and from reasoning signatures.

The vendor signs the parts of a response. A signature on our reasoning belongs to the part that follows it. The
thought's
own signature stands before a bar, which occurs in no signature; on reasoning without text, it belongs to an empty part.
"""

BAR = "|"


def join_signatures(own: str, following: str) -> str:
    """Return a thought's own signature and the following part's as one string."""
    return f"{own}{BAR}{following}" if own else following


def split_signatures(seal: str) -> tuple[str, str]:
    """Return a thought's own signature and the following part's."""
    own, _, following = seal.rpartition(BAR)
    return own, following
