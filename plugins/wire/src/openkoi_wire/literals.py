"""Rewrite what a model wrote in Python's manner as JSON: single quotes, True and None, a comma too many.

Knows tokens, and only what means the same in both: what glues texts together, prefixes them or escapes as Python alone
does is left to be refused.
"""

import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(
    r"\s++"
    r'|"(?:[^"\\\n]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
    r"|'(?:[^'\\\n]++|\\[\"'\\bfnrt]|\\u[0-9a-fA-F]{4})*+'"
    r"|[{}\[\]:,]"
    r"|[\w.+-]++"
)
IN_QUOTES = re.compile(r"\\.|\"")
WORDS = {"True": "true", "False": "false", "None": "null"}


def as_json(text: str) -> str:
    """Return the text as JSON; raises ValueError for what is no token of either."""
    tokens = tuple(tokens_of(text))
    spelt = (respelt(token) for place, token in enumerate(tokens) if not superfluous(tokens, place))
    return " ".join(spelt)


def tokens_of(text: str) -> Iterator[str]:
    """Cut a text into its tokens, the blanks between them left out."""
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise ValueError("not a value")
        at = found.end()
        if not found[0].isspace():
            yield found[0]


def superfluous(tokens: Sequence[str], place: int) -> bool:
    """Whether a token is the one comma after the last of several."""
    around = (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])
    return tokens[place] == "," and len(around) == 2 and around[0] not in "[{,:" and around[1] in "]}"


def respelt(token: str) -> str:
    """Write one token as JSON has it."""
    if not token.startswith("'"):
        return WORDS.get(token, token)
    return '"' + IN_QUOTES.sub(lambda found: requoted(found[0]), token[1:-1]) + '"'


def requoted(piece: str) -> str:
    """Write a quote, or what is escaped, as it stands between double quotes."""
    return {"\\'": "'", '"': '\\"'}.get(piece, piece)
