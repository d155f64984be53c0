"""Ids and names as vendors take them, whoever made them up. Knows what is taken; knows no vendor.

What has to be changed ends with a digest of what it was, so that no two become the same one.
"""

import re
from hashlib import sha256

NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
ID = re.compile(r"[!-~]{1,64}")
NOT_A_NAME = re.compile(r"[^\w-]+", re.ASCII)
CHANGED = re.compile(r"_[0-9a-f]{15}\Z")
KEPT = 40


def as_name(given: str, takes: re.Pattern[str] = NAME) -> str:
    """Return a name or an id as one of at most 64 letters, digits, bars and dashes; what ``takes`` fits stays."""
    if takes.fullmatch(given) and not CHANGED.search(given):
        return given
    kept = NOT_A_NAME.sub("_", given)[:KEPT]
    start = "" if kept[:1].isalpha() else "_"
    return f"{start}{kept}_{sha256(given.encode('utf-8', 'surrogatepass')).hexdigest()[:15]}"


def as_id(given: str) -> str:
    """Return an id for a server that takes whatever can be read and is not too long."""
    return as_name(given, ID)
