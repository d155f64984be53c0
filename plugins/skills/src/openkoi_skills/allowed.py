"""Decide whether an active skill allows a tool."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from openkoi_base.schema import PATH_PARAMETERS
from openkoi_hookspecs import Deny, ToolCall

RULE = re.compile(r"(?P<name>[^()]+)(?:\((?P<pattern>[^()]*)\))?")
OURS: Mapping[str, tuple[str, ...]] = {
    "bash": ("run_command",),
    "shell": ("run_command",),
    "read": ("read_file",),
    "write": ("write_file",),
    "edit": ("edit_file", "apply_patch"),
    "multiedit": ("edit_file", "apply_patch"),
    "glob": ("list_files",),
    "ls": ("list_files",),
    "grep": ("search",),
    "webfetch": ("fetch_url",),
    "web_fetch": ("fetch_url",),
    "exec": ("run_command",),
    "terminal": ("run_command",),
    "askuserquestion": ("ask_user",),
}
ALWAYS = ("read_skill", "find_tool", "ask_user")
ANY = ("*", "**")
COMPOUND = re.compile(r"[;&|<>$`(){}\n\r\\]")


@dataclass(frozen=True, slots=True)
class Active:
    """A skill that the model follows now, and the tools it keeps to; none named means any."""

    skill: str
    tools: tuple[str, ...] = ()


def forbidden(call: ToolCall, active: Iterable[Active]) -> Deny | None:
    """The refusal of a call that no active skill which names its tools lets through."""
    strict = [one for one in active if one.tools]
    if not strict or call.tool in ALWAYS or any(permits(rule, call) for one in strict for rule in one.tools):
        return None
    names, tools = ", ".join(one.skill for one in strict), " ".join(rule for one in strict for rule in one.tools)
    return Deny(f"the skill {names} is active and keeps to these tools: {tools}")


def permits(rule: str, call: ToolCall) -> bool:
    """Whether one word of ``allowed-tools`` covers a call."""
    said = RULE.fullmatch(rule.strip())
    if not said:
        return False
    name = said["name"].strip().casefold()
    if not any(fnmatchcase(call.tool.casefold(), one) for one in (name, *OURS.get(name, ()))):
        return False
    pattern = said["pattern"]
    return not pattern or pattern.strip() in ANY or within(pattern.strip(), call)


def within(pattern: str, call: ToolCall) -> bool:
    """Whether what a call is about fits a pattern: its command, else each of its paths."""
    command = call.arguments.get("command")
    if isinstance(command, str):
        return covers(pattern, command.strip())
    paths = [call.arguments[name] for name in PATH_PARAMETERS if name in call.arguments]
    texts = [path for path in paths if isinstance(path, str)]
    plain = all(".." not in text.replace("\\", "/").split("/") for text in texts)
    return bool(texts) and plain and all(fnmatchcase(text, pattern) for text in texts)


def covers(pattern: str, command: str) -> bool:
    """Whether a simple command begins as a pattern says; one of several parts never does."""
    if COMPOUND.search(command):
        return pattern == "*"
    if pattern.endswith(":*"):
        start = pattern.removesuffix(":*")
        return command == start or command.startswith(f"{start} ")
    return fnmatchcase(command, pattern)
