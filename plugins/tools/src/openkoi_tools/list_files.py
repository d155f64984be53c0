"""Define the tool ``list_files``, which lists a folder (as ls), collapsed as far as needed to fit."""

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "path": {"type": "string", "description": "folder"},
        "glob": {"type": "string", "description": "such as src/**/*.ts"},
        "depth": {"type": "integer", "minimum": 1, "description": "folder levels to show"},
    }
)


def list_files(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .file_listing import list_folder

        return await list_folder(PARAMETERS.accept(arguments), context)

    return Tool(
        "list_files",
        "List files below a folder, except git-ignored ones. Folders beyond the limit show a file count.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.READS,
        progress_text="Listing {path}",
    )
