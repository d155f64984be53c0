"""Decide whether an active skill allows a tool."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from openkoi_base.schema.path_parameters import PATH_PARAMETERS
from openkoi_hookspecs import Deny, ToolCall
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

RULE = lazy_pattern(r"(?P<name>[^()]+)(?:\((?P<pattern>[^()]*)\))?")
TOOL_ALIASES: Mapping[str, tuple[str, ...]] = {
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
MCP_PREFIX = "mcp__"  # of the tools of MCP servers, in programs that do not call them server__tool
ALWAYS_ALLOWED = ("read_skill", "find_tool", "ask_user")
ANY_ARGUMENT = ("*", "**")
COMPOUND = lazy_pattern(r"[;&|<>$`(){}\n\r\\]")


@dataclass(frozen=True, slots=True)
class ActiveSkill:
    """A skill that the model follows, and the tools it is limited to; if empty, all are allowed."""

    skill: str
    tools: tuple[str, ...] = ()


def deny_call(call: ToolCall, active: Iterable[ActiveSkill]) -> Deny | None:
    """Return a denial of a call that no active skill with a tool list allows."""
    strict = [one for one in active if one.tools]
    if (
        not strict
        or call.tool in ALWAYS_ALLOWED
        or any(permits_call(rule, call) for one in strict for rule in one.tools)
    ):
        return None
    names, tools = ", ".join(one.skill for one in strict), " ".join(rule for one in strict for rule in one.tools)
    return Deny(f"only these tools are allowed with the skill {names}: {tools}")


def permits_call(rule: str, call: ToolCall) -> bool:
    """Return whether a word of ``allowed-tools`` covers a call."""
    rule_match = RULE.fullmatch(rule.strip())
    if not rule_match:
        return False
    name = rule_match["name"].strip().casefold()
    names = (name, name.removeprefix(MCP_PREFIX), *TOOL_ALIASES.get(name, ()))
    if not any(fnmatchcase(call.tool.casefold(), one) for one in names):
        return False
    pattern = rule_match["pattern"]
    return not pattern or pattern.strip() in ANY_ARGUMENT or matches_arguments(pattern.strip(), call)


def matches_arguments(pattern: str, call: ToolCall) -> bool:
    """Return whether a call's command, or each of its paths, matches a pattern."""
    command = call.arguments.get("command")
    if isinstance(command, str):
        return matches_command(pattern, command.strip())
    paths = [call.arguments[name] for name in PATH_PARAMETERS if name in call.arguments]
    texts = [path for path in paths if isinstance(path, str)]
    plain = all(".." not in text.replace("\\", "/").split("/") for text in texts)
    return bool(texts) and plain and all(fnmatchcase(text, pattern) for text in texts)


def matches_command(pattern: str, command: str) -> bool:
    """Return whether a simple command matches a pattern; compound commands never do."""
    if COMPOUND.search(command):
        return pattern == "*"
    if pattern.endswith(":*"):
        start = pattern.removesuffix(":*")
        return command == start or command.startswith(f"{start} ")
    return fnmatchcase(command, pattern)
