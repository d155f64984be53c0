"""What of our environment a command is given. Pure: a secret is known by its name, or by its format."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from openkoi_hookspecs import Command
from openkoi_redact import Redactor, is_secret_name

MARK = "OPENKOI_COMMAND"
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
    known = {name for name in command.hide_env if not named_in(name, passed)}
    kept = {name: value for name, value in ours.items() if name not in known and is_passed(name, value, passed)}
    marks = f"{ours.get(MARK, '')} {mark}".strip()
    return {**kept, **QUIET, **command.env, MARK: marks}


def is_passed(name: str, value: str, passed: Sequence[str]) -> bool:
    """Whether a variable of ours is given to a command; ``passed`` are names or patterns that are."""
    if named_in(name, passed):
        return True
    return name not in LEFT_OUT and not is_secret_name(name) and not has_secret(value)


def named_in(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@lru_cache(maxsize=1024)
def has_secret(value: str) -> bool:
    """Whether a value has a secret in it whose format is known, or a URL with credentials."""
    return bool(Redactor().spans(value))
