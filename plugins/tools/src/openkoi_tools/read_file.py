"""Define the tool ``read_file``, which returns numbered lines, an image, or what other files are."""

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext, shown_kilobytes

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "start": {"type": "integer", "minimum": 1, "description": "first line"},
        "end": {"type": "integer", "minimum": 1, "description": "last line"},
    },
    required=("path",),
)
NO_END = 1 << 60


def read_file(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .show_file import LineRange, describe_file

        given = PARAMETERS.accept(arguments)
        wanted = LineRange(given.number("start", 1), given.number("end", NO_END))
        return await context.run_at_any(given.text("path"), lambda where: describe_file(context, where, wanted))

    return Tool(
        "read_file",
        "Read a text file, a range of lines, or an image. "
        f"Lines come as number|text, up to {shown_kilobytes(context)} KB a call.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.READS,
        progress_text="Reading {path}",
    )
