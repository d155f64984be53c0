"""Find the paths that a call would write, for guards and checkpoints."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Tool, ToolCall, ToolError

from .coerce import coerce_arguments

PATH_PARAMETERS = ("path", "file", "file_path", "filename", "target", "destination", "paths", "files")


def written_paths(call: ToolCall, tool: Tool, names: Sequence[str] = PATH_PARAMETERS) -> list[str]:
    """Return the paths that the tool itself reports, and the call's arguments of these names."""
    return list(dict.fromkeys([*paths_of_tool(call, tool), *paths_in_arguments(call, names)]))


def paths_of_tool(call: ToolCall, tool: Tool) -> Sequence[str]:
    """Return the paths that a tool says a call would write; none if it cannot parse the call."""
    try:
        return tool.written_paths(call.arguments) if tool.written_paths else ()
    except ToolError:
        return ()


def refusal_of(call: ToolCall, tool: Tool) -> str:
    """Return why the tool would refuse a call even if the user allowed it; empty if it would not."""
    try:
        if tool.written_paths:
            tool.written_paths(coerce_arguments(call.arguments, tool.parameters))
    except ToolError as error:
        return str(error)
    return ""


def paths_in_arguments(call: ToolCall, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = call.arguments.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield one
