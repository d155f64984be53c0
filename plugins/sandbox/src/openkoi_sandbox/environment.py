"""Choose which environment variables a command in the sandbox gets: secrets are recognised by name or format."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from openkoi_base.redact import Redactor, is_secret_name
from openkoi_hookspecs import Command

MARK_VARIABLE = "OPENKOI_COMMAND"
REMOVED_VARIABLES = {"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "PWD", "OLDPWD"}
QUIET_VARIABLES = {
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
    """Return OpenKoi's variables without secrets, with the command's own, a mark, and those that suppress prompts."""
    known = {name for name in command.hide_env if not matches_name(name, passed)}
    kept = {name: value for name, value in ours.items() if name not in known and is_passed(name, value, passed)}
    marks = f"{ours.get(MARK_VARIABLE, '')} {mark}".strip()
    return {**kept, **QUIET_VARIABLES, **command.env, MARK_VARIABLE: marks}


def is_passed(name: str, value: str, passed: Sequence[str]) -> bool:
    """Return whether a command gets a variable of OpenKoi's; ``passed`` are names or patterns of those that it gets."""
    if matches_name(name, passed):
        return True
    return name not in REMOVED_VARIABLES and not is_secret_name(name) and not contains_secret(value)


def matches_name(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@lru_cache(maxsize=1024)
def contains_secret(value: str) -> bool:
    """Return whether a value contains a secret of a known format, or a URL with credentials."""
    return bool(Redactor().spans(value))
