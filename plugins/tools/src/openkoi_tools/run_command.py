"""Define the tool ``run_command``, which runs a command line in a shell inside the sandbox."""

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Tool, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "command": {"type": "string"},
        "timeout": {"type": "integer", "minimum": 1, "description": "seconds"},
    },
    required=("command",),
)
DESCRIPTION = (
    "Run a shell command in the working directory. Each call is a new shell, so cd does not last: write "
    "'cd web && npm test'. No stdin; processes left running are stopped. Limit {seconds} s, up to {longest} s with "
    "timeout. Long output is cut in the middle and kept in a file."
)


def run_command(context: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        from .command_result import run_in_shell

        given = PARAMETERS.accept(arguments)
        seconds = min(given.number("timeout", context.settings.command_seconds), context.settings.max_command_seconds)
        return await run_in_shell(given.text("command"), float(seconds), context)

    return Tool(
        "run_command",
        DESCRIPTION.format(seconds=context.settings.command_seconds, longest=context.settings.max_command_seconds),
        PARAMETERS.to_schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Running {command}",
    )
