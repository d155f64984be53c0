"""Format texts about a tool call for users and models: its progress, its approval question, an unknown tool."""

import json
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from hashlib import sha256

from openkoi_hookspecs import YES_OR_NO, Question, Tool, ToolCall


def format_progress(tool: Tool, call: ToolCall) -> str:
    """Return the progress text while the tool runs."""
    text = tool.progress_text
    for name, value in {**defaults(tool), **call.arguments}.items():
        text = text.replace("{" + name + "}", " ".join(str(value).split()))
    return text if "{" not in text else tool.name


def defaults(tool: Tool) -> dict[str, object]:
    """Return the defaults of a tool's omitted arguments."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {name: one["default"] for name, one in known.items() if isinstance(one, dict) and "default" in one}


def approval_question(
    call: ToolCall, tool: Tool, reason: str, redact: Callable[[str], str], *, by_flag: bool = False
) -> Question:
    """Return the question about a call, without secrets: a resumed run reads the call from the log."""
    arguments = redact(json.dumps(call.arguments, ensure_ascii=False, default=str, sort_keys=True))
    text = f"{reason}\nAllow {tool.name} {arguments}?".lstrip()
    digest = sha256(f"{call.id} {tool.name} {arguments}".encode("utf-8", "surrogatepass")).hexdigest()
    return Question(text, choices=YES_OR_NO, digest=digest, by_flag=by_flag)


def unknown_tool(call: ToolCall, tools: Sequence[Tool]) -> str:
    """Report that a tool is unknown, and list the known ones."""
    names = [tool.name for tool in tools]
    near = get_close_matches(call.tool, names, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"Unknown tool {call.tool!r}. Available: {', '.join(names) or 'none'}.{hint}"
