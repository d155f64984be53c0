"""Find generated tokens of unlisted vendors: a short prefix, a separator, then random characters.

A prefix alone proves nothing, so the rest must be random base62; hex is not enough, since hashes and IDs are hex.
"""

import re
from base64 import b64decode
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .formats import UNKNOWN, find_formatted
from .randomness import HEX, NAMED_HASH, is_random, kind_changes
from .vendors import PREFIXES

TOKEN = lazy_pattern(r"(?<![\w/+=.%#-])[A-Za-z][\w.~-]{23,159}(?![\w/+(-])", re.ASCII)  # not an anchor, not a call
MARK = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9]{1,11}[_.~-])(?:[a-z0-9]{1,8}[_.~-]){0,3}")
RANDOM = lazy_pattern(r"[A-Za-z0-9_-]{20,}")
ID = lazy_pattern(  # IDs of calls, messages and requests, which models' servers give out, and checksums
    r"ghsa|(?:srv)?tool(?:u|use)?|call|chatcmpl|cmpl|msg|req|resp|rs|fc|run|thread|asst|file|batch|gen|session|sess|evt|event"
    r"|item|step|trace|span|id|sha\d+|md5|blake\w+|build|tmp|temp|cache|chunk|index|main|vendor|part|conv|ci|job|task|nonce|pk|wrkspc|ws|org|proj|user|usr|acct|cus|sub|pi|price|prod"
)
CAMEL = lazy_pattern(r"[a-z]*\d*(?:V\d+|[A-Z][a-z]+\d*)*[A-Z]?")  # words of a name in code
CAPITALS = lazy_pattern(r"[A-Z\d]{1,8}(?:_[A-Z\d]{1,8})+")  # a constant, with its version
BASE64 = lazy_pattern(r"(?<![\w+/-])[\w+/-]{28,8192}={0,2}", re.ASCII)


def marked_tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of random tokens with a prefix."""
    for found in TOKEN.finditer(text):
        mark = MARK.match(found[0])
        if NAMED_HASH.fullmatch(found[0]) or text.endswith('W/"', 0, found.start()):  # the latter: an entity tag
            continue
        if mark and not ID.fullmatch(re.split(r"[_.~-]", mark[0])[0].lower()) and random_after(found[0], mark):
            yield (*found.span(), UNKNOWN)


def random_after(token: str, mark: re.Match[str]) -> bool:
    """Return whether everything after a prefix, or after the first separator in it, is random."""
    first = re.search(r"[_.~-]", token)
    rests = {token[mark.end() :], token[first.end() :] if first else ""}
    return any(
        RANDOM.fullmatch(rest) and not is_ordinary(rest) and is_random(rest, length=20) and kind_changes(rest) >= 0.36
        for rest in rests
    )


def is_ordinary(text: str) -> bool:
    """Return whether a string is a hash, joined words, or both, as in ``desk-01f977c1c28eef7ed6cc``."""
    parts = re.split("[_-]", text)
    if HEX.fullmatch(text) or CAPITALS.fullmatch(text):
        return True
    return all(CAMEL.fullmatch(part) or HEX.fullmatch(part) for part in parts)


def wrapped_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of base64 that contains a known vendor's key."""
    for found in BASE64.finditer(text):
        kinds = [kind for _, _, kind in find_formatted(decode_base64(found[0])) if kind in PREFIXES]
        if kinds:
            yield (*found.span(), kinds[0])


def decode_base64(token: str) -> str:
    """Return the text that base64 encodes; empty if it is not base64."""
    sound = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(sound[: len(sound) - (len(sound) % 4 == 1)] + "==").decode("latin-1")
    except ValueError:
        return ""
