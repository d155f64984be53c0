"""What of our environment a command is given. Pure: knows names, not values."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

MARK = "OPENKOI_COMMAND"
SECRET_WORDS = {"KEY", "KEYS", "PAT", "PWD", "PASS"}
SECRET_ENDS = (
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "APIKEYS",
)
GIT_HEADERS = re.compile("GIT_CONFIG_(COUNT|PARAMETERS|KEY_|VALUE_)")
LEFT_OUT = {"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "PWD", "OLDPWD"}
QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "PYTHONUNBUFFERED": "1",
}


def child_environment(
    ours: Mapping[str, str], wanted: Mapping[str, str], *, passed: Sequence[str] = (), mark: str
) -> dict[str, str]:
    """Ours without secrets, made quiet, with what the command wants; the mark is found again in its children."""
    kept = {name: value for name, value in ours.items() if is_passed(name, passed)}
    marks = f"{ours.get(MARK, '')} {mark}".strip()
    return {**kept, **QUIET, **wanted, MARK: marks}


def is_passed(name: str, passed: Sequence[str]) -> bool:
    """Whether a variable of ours is given to a command; ``passed`` are names or patterns that are."""
    if any(fnmatchcase(name, pattern) for pattern in passed):
        return True
    return name not in LEFT_OUT and not is_secret(name)


def is_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret: its words say so. Git's settings may carry tokens."""
    words = re.split(r"[^A-Z0-9]+", name.upper())
    return bool(GIT_HEADERS.match(name)) or any(word in SECRET_WORDS or word.endswith(SECRET_ENDS) for word in words)
