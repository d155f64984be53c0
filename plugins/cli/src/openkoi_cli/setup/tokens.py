"""Find the token in what other programs keep. Knows their formats; opens no file.

Each function takes the parsed document and the time in seconds, and returns a token that may still be used, or "".
"""

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping

from openkoi_hookspecs import Json

MILLISECONDS = 1e11
NEVER = 1e16


def claude_token(document: Json, now: float) -> str:
    """Read the Claude CLI's: a login with its end, or a bare token."""
    login = table(document, "claudeAiOauth")
    token = "" if over(login.get("expiresAt"), now) else word(login, "accessToken")
    return token or word(table(document), "oauth_token")


def keychain_token(secret: str, now: float) -> str:
    """Read what the Claude CLI keeps in the Keychain: the same document, or the token alone."""
    document = parse_json(secret)
    return claude_token(document, now) if isinstance(document, dict) else one_word(secret)


def codex_token(document: Json, now: float) -> str:
    """Read the Codex CLI's: a key, else a login whose token says itself when it ends."""
    token = word(table(document, "tokens"), "access_token")
    return word(table(document), "OPENAI_API_KEY") or ("" if over(end_of(token), now) else token)


def qwen_token(document: Json, now: float) -> str:
    """Read the Qwen CLI's."""
    login = table(document)
    return "" if over(login.get("expiry_date"), now) else word(login, "access_token")


def table(document: Json, key: str = "") -> Mapping[str, Json]:
    """The document, or what stands in it under a key, if that is an object; else an empty one."""
    found = document.get(key) if key and isinstance(document, dict) else document
    return found if isinstance(found, dict) else {}


def word(login: Mapping[str, Json], key: str) -> str:
    """A token under a key, if there is one."""
    value = login.get(key)
    return one_word(value) if isinstance(value, str) else ""


def one_word(text: str) -> str:
    """The text, if it can be sent as a key; else nothing."""
    key = text.strip()
    return key if key.isascii() and key.isprintable() and " " not in key else ""


def over(end: Json, now: float) -> bool:
    """Return whether a time, in seconds or milliseconds, has passed; False for an invalid one."""
    if isinstance(end, bool) or not isinstance(end, int | float) or not end < NEVER:
        return False
    return (end / 1000 if end > MILLISECONDS else end) <= now


def end_of(token: str) -> Json:
    """When a token that is made of three parts ends; None when it does not say."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = parse_json(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return table(claims).get("exp")


def parse_json(text: str | bytes) -> Json:
    """Read JSON; None when it is none."""
    try:
        document: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document
