"""What of our environment a command is given. Pure: a secret is known by its name, or by a vendor's way to begin it."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from openkoi_hookspecs import Command

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
TOKEN = re.compile(
    r"(sk-|sk_live_|rk_live_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|hf_|npm_|pypi-|dop_v1_)[\w-]{16,}"
)
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
    ours: Mapping[str, str], command: Command, *, passed: Sequence[str] = (), mark: str
) -> dict[str, str]:
    """Ours without secrets, made quiet, with what the command wants; the mark is found again in its children."""
    known = {name for name in command.without if not named_in(name, passed)}
    kept = {name: value for name, value in ours.items() if name not in known and is_passed(name, value, passed)}
    marks = f"{ours.get(MARK, '')} {mark}".strip()
    return {**kept, **QUIET, **command.env, MARK: marks}


def is_passed(name: str, value: str, passed: Sequence[str]) -> bool:
    """Whether a variable of ours is given to a command; ``passed`` are names or patterns that are."""
    if named_in(name, passed):
        return True
    return name not in LEFT_OUT and not is_secret(name) and not TOKEN.match(value)


def named_in(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def is_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret: its words say so. Git's settings may carry tokens."""
    words = re.split(r"[^A-Z0-9]+", name.upper())
    return bool(GIT_HEADERS.match(name)) or any(word in SECRET_WORDS or word.endswith(SECRET_ENDS) for word in words)
