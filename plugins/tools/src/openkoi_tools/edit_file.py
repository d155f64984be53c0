"""Define the tool ``edit_file``, which replaces shown text that is unique and leaves every other byte alone."""

from collections.abc import Sequence

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "search": {"type": "string", "description": "exact text, such as '    return a', not '12|    return a'"},
        "replace": {"type": "string"},
        "all": {"type": "boolean", "description": "replace every occurrence"},
    },
    required=("path", "search", "replace"),
)


def edit_file(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .apply_edit import apply_edit, parse_edit

        given = PARAMETERS.accept(arguments)
        edit = parse_edit(given)
        return ToolResult(await context.run_at(given.text("path"), lambda where: apply_edit(context, where, edit)))

    def written_paths(arguments: Arguments) -> Sequence[str]:
        from .read_before_edit import refuse_unread

        path = PARAMETERS.accept(arguments).text("path")
        refuse_unread(context, context.resolve(path))
        return [path]

    return Tool(
        "edit_file",
        "Replace text in a file that you have read. search must occur once: add lines around it if needed.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Editing {path}",
        written_paths=written_paths,
    )
