"""Replace OpenKoi's symbols with similar ASCII ones on terminals whose encoding lacks them."""

import codecs

HANDLER = "openkoi_lookalikes"
LOOKALIKES = {
    **{"•": "*", "─": "-", "│": "|", "…": "...", "·": "-", "→": "->", "✓": "+", "✗": "x"},
    **{"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"},
}


def replace_unknown(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return the replacement for characters that cannot be encoded: a similar one, else its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    return "".join(LOOKALIKES.get(one) or escape(one) for one in unknown), error.end


def escape(character: str) -> str:
    """Return a character as Python escapes it."""
    return character.encode("ascii", "backslashreplace").decode()


def register() -> str:
    """Register the handler; return its name, for ``errors=``."""
    codecs.register_error(HANDLER, replace_unknown)
    return HANDLER
