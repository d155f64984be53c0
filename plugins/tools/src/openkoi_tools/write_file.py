"""Define the tool ``write_file``. An existing file is replaced only after it was read, or on request."""

from collections.abc import Sequence

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "overwrite": {"type": "boolean", "description": "replace a file you have not read"},
    },
    required=("path", "content"),
)


def write_file(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .write_content import NewContent, write_content

        given = PARAMETERS.accept(arguments)
        content = NewContent(given.text("content"), given.flag("overwrite"))
        return ToolResult(
            await context.run_at(given.text("path"), lambda where: write_content(context, where, content))
        )

    def written_paths(arguments: Arguments) -> Sequence[str]:
        from .read_before_edit import refuse_unread_file

        given = PARAMETERS.accept(arguments)
        where = context.resolve(given.text("path"))
        if not given.flag("overwrite"):
            refuse_unread_file(context, where)
        return [given.text("path")]

    return Tool(
        "write_file",
        "Create or overwrite a whole file; folders are created. edit_file changes a part of one.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Writing {path}",
        written_paths=written_paths,
    )
