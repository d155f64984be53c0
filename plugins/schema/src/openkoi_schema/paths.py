"""Which paths a call would write to, for guards and for whoever keeps files as they were. Pure."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Tool, ToolCall, ToolError

PATH_ARGUMENTS = ("path", "file", "file_path", "filename", "target", "destination", "paths", "files")


def written(call: ToolCall, tool: Tool, names: Sequence[str] = PATH_ARGUMENTS) -> list[str]:
    """What the tool itself says, and what the call's arguments of these names hold."""
    return list(dict.fromkeys([*said_by(call, tool), *named(call, names)]))


def said_by(call: ToolCall, tool: Tool) -> Sequence[str]:
    """The paths that a tool says a call would write to; a call that it cannot read will write nothing."""
    try:
        return tool.written_paths(call.arguments) if tool.written_paths else ()
    except ToolError:
        return ()


def named(call: ToolCall, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = call.arguments.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield one
