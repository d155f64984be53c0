"""Convert ids and tool names to the form that vendors accept.

A changed name ends with a digest of the original, so that different names stay different.
"""

import re
from hashlib import sha256

from openkoi_hookspecs.lazy_pattern import lazy_pattern

NAME = lazy_pattern(r"[\w-]{1,64}", re.ASCII)
ID = lazy_pattern(r"[!-~]{1,64}")
INVALID_NAME_CHARACTERS = lazy_pattern(r"[^\w-]+", re.ASCII)
DIGEST_SUFFIX = lazy_pattern(r"_[0-9a-f]{15}\Z")
MAX_KEPT_CHARACTERS = 40


def to_vendor_name(given: str, accepted: re.Pattern[str] = NAME) -> str:
    """Return a name of at most 64 letters, digits, underscores and dashes; keep one that matches ``accepted``."""
    if accepted.fullmatch(given) and not DIGEST_SUFFIX.search(given):
        return given
    kept = INVALID_NAME_CHARACTERS.sub("_", given)[:MAX_KEPT_CHARACTERS]
    start = "" if kept[:1].isalpha() else "_"
    return f"{start}{kept}_{sha256(given.encode('utf-8', 'surrogatepass')).hexdigest()[:15]}"


def to_vendor_id(given: str) -> str:
    """Return an id of at most 64 printable characters."""
    return to_vendor_name(given, ID)
