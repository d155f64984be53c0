"""The hook that saves what a checkpoint only notices, before a tool writes it. Knows arguments; knows no tool."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Effect, Plugin, Run, Tool, ToolCall, hookimpl
from openkoi_schema import PATH_ARGUMENTS, written

from .store import Store


class Foresight:
    """Save ignored and large files that a tool names, so that they come back, too. Settings: ``[hooks.checkpoints]``.

    What a command writes is not known before; it is named when it cannot come back.
    """

    def __init__(
        self,
        *,
        store: Annotated[Store, Plugin("checkpoints", default="store")],
        path_arguments: Sequence[str] = PATH_ARGUMENTS,
    ) -> None:
        self.store = store
        self.path_arguments = tuple(path_arguments)

    @hookimpl
    async def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> None:
        """Save each file that the call names; it has no opinion about the call."""
        if tool.effect is Effect.READS:
            return
        for name in written(call, tool, self.path_arguments):
            if name and "\0" not in name:
                await self.store.save(run.workspace, Path(name))
