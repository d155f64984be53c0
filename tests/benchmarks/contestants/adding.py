"""The one tool that all contestants have, as a plugin of ours that was installed beside the default bundle."""

from benchmarks.turns import add

from openkoi_hookspecs import Arguments, Effect, Run, Tool, ToolResult

SCHEMA: Arguments = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Adding:
    """A tool provider with the one tool."""

    async def tools(self, run: Run) -> list[Tool]:
        """Return the tool."""

        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult(add(int(str(arguments["n"]))))

        return [Tool("add", "Add one.", SCHEMA, call, effect=Effect.READS)]
