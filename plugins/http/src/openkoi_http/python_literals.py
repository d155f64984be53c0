"""Rewrite Python literals as JSON: quotes, constants, trailing commas.

Only tokens with the same meaning in both languages are rewritten; concatenated or prefixed strings are rejected.
"""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs.lazy_pattern import lazy_pattern

TOKEN = lazy_pattern(
    r"\s++"
    r'|"(?:[^"\\\n]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
    r"|'(?:[^'\\\n]++|\\[\"'\\bfnrt]|\\u[0-9a-fA-F]{4})*+'"
    r"|[{}\[\]:,]"
    r"|[\w.+-]++"
)
QUOTE_OR_ESCAPE = lazy_pattern(r"\\.|\"")
CONSTANTS = {"True": "true", "False": "false", "None": "null"}


def to_json(text: str) -> str:
    """Return the text as JSON; raise ValueError for an unknown token."""
    tokens = tuple(tokenize(text))
    spelt = (convert_token(token) for place, token in enumerate(tokens) if not is_trailing_comma(tokens, place))
    return " ".join(spelt)


def tokenize(text: str) -> Iterator[str]:
    """Yield the tokens of a text, without white space."""
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise ValueError("not a value")
        at = found.end()
        if not found[0].isspace():
            yield found[0]


def is_trailing_comma(tokens: Sequence[str], place: int) -> bool:
    """Return whether a token is a trailing comma."""
    around = (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])
    return tokens[place] == "," and len(around) == 2 and around[0] not in "[{,:" and around[1] in "]}"


def convert_token(token: str) -> str:
    """Return a token as JSON."""
    if not token.startswith("'"):
        return CONSTANTS.get(token, token)
    return '"' + QUOTE_OR_ESCAPE.sub(lambda found: convert_quote(found[0]), token[1:-1]) + '"'


def convert_quote(piece: str) -> str:
    """Return a quote or escape as it is written between double quotes."""
    return {"\\'": "'", '"': '\\"'}.get(piece, piece)
