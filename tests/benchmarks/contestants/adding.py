"""Define plugins that our contestants add to the default bundle: one tool, and a model with a fixed text."""

from benchmarks.contestants.shorter import SUMMARY
from benchmarks.turns import add

from openkoi_hookspecs import Arguments, Effect, Run, Tool, ToolResult
from openkoi_scripted import Scripted

SCHEMA: Arguments = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Adding:
    """A tool provider with the one tool."""

    async def tools(self, run: Run) -> list[Tool]:
        """Return the tool."""

        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult(add(int(str(arguments["n"]))))

        return [Tool("add", "Add one.", SCHEMA, call, effect=Effect.READS)]


class Saying(Scripted):
    """A provider of a model without a server."""

    def __init__(self) -> None:
        super().__init__([SUMMARY])
