"""The hook that saves what a checkpoint only notices, before a tool writes it. Knows arguments; knows no tool."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Arguments, Effect, Plugin, Run, Tool, ToolCall, hookimpl

from .store import Store

PATH_ARGUMENTS = ("path", "file", "file_path", "filename", "target", "destination", "paths", "files")


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
        for name in named(call.arguments, self.path_arguments):
            await self.store.save(run.workspace, Path(name))


def named(arguments: Arguments, keys: Sequence[str]) -> Iterator[str]:
    """The paths in a call's arguments."""
    for key in keys:
        value = arguments.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one and "\0" not in one:
                yield one
