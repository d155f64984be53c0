"""Read tokens from the login files of other programs.

Each function takes the parsed document and the time in seconds, and returns a token that has not expired, or "".
"""

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping

from openkoi_hookspecs import Json

MIN_MILLISECONDS = 1e11
MAX_TIME = 1e16


def read_claude_token(document: Json, now: float) -> str:
    """Read the Claude CLI's token: a login with an expiry, or a bare token."""
    login = get_table(document, "claudeAiOauth")
    token = "" if is_past(login.get("expiresAt"), now) else get_token(login, "accessToken")
    return token or get_token(get_table(document), "oauth_token")


def read_keychain_token(secret: str, now: float) -> str:
    """Read the Claude CLI's Keychain entry: the same document, or a bare token."""
    document = parse_json(secret)
    return read_claude_token(document, now) if isinstance(document, dict) else parse_token(secret)


def read_codex_token(document: Json, now: float) -> str:
    """Read the Codex CLI's token: an API key, else a login whose token contains its expiry."""
    token = get_token(get_table(document, "tokens"), "access_token")
    return get_token(get_table(document), "OPENAI_API_KEY") or ("" if is_past(read_expiry(token), now) else token)


def read_qwen_token(document: Json, now: float) -> str:
    """Read the Qwen CLI's token."""
    login = get_table(document)
    return "" if is_past(login.get("expiry_date"), now) else get_token(login, "access_token")


def get_table(document: Json, key: str = "") -> Mapping[str, Json]:
    """Return the document, or the object under a key; empty for other types."""
    found = document.get(key) if key and isinstance(document, dict) else document
    return found if isinstance(found, dict) else {}


def get_token(login: Mapping[str, Json], key: str) -> str:
    """Return the token under a key, if any."""
    value = login.get(key)
    return parse_token(value) if isinstance(value, str) else ""


def parse_token(text: str) -> str:
    """Return the text if it can be sent as a key; else an empty string."""
    key = text.strip()
    return key if key.isascii() and key.isprintable() and " " not in key else ""


def is_past(end: Json, now: float) -> bool:
    """Return whether a time, in seconds or milliseconds, has passed; False for an invalid one."""
    if isinstance(end, bool) or not isinstance(end, int | float) or not end < MAX_TIME:
        return False
    return (end / 1000 if end > MIN_MILLISECONDS else end) <= now


def read_expiry(token: str) -> Json:
    """Return when a JSON web token expires; None if unknown."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = parse_json(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return get_table(claims).get("exp")


def parse_json(text: str | bytes) -> Json:
    """Parse JSON; return None if it is invalid."""
    try:
        document: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document
