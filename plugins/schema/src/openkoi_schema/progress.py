"""The words that a user reads while a tool runs."""

from openkoi_hookspecs import Tool, ToolCall


def defaults(tool: Tool) -> dict[str, object]:
    """What a tool takes for arguments that are left out."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {name: one["default"] for name, one in known.items() if isinstance(one, dict) and "default" in one}


def format_progress(tool: Tool, call: ToolCall) -> str:
    """What a person reads while the tool runs."""
    text = tool.progress_text
    for name, value in {**defaults(tool), **call.arguments}.items():
        text = text.replace("{" + name + "}", " ".join(str(value).split()))
    return text if "{" not in text else tool.name
