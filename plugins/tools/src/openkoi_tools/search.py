"""Define the tool ``search`` (as grep), which returns the lines that match a pattern, each with its file and number."""

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "pattern": {"type": "string", "description": "regular expression"},
        "path": {"type": "string", "description": "file or folder"},
        "glob": {"type": "string", "description": "such as *.py"},
        "literal": {"type": "boolean", "description": "the pattern is plain text"},
    },
    required=("pattern",),
)


def search(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .search_results import search_files

        return await search_files(PARAMETERS.accept(arguments), context)

    return Tool(
        "search",
        "Search the contents of files, line by line. Returns path:line: text.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.READS,
        progress_text="Searching {pattern}",
    )
