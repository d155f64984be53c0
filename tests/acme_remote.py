"""Define a plugin that runs commands on another machine: it sends the workspace, and brings back the changes.

It knows the contract alone. ``acme_machine`` is the other machine.
"""

import asyncio
import base64
import io
import json
import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openkoi_hookspecs import Command, CommandResult, Event, ToolError

SAFELY: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since Python 3.11.4


@dataclass(frozen=True, slots=True)
class Sent(Event):
    """The number of bytes sent for a command."""

    name = "acme.sent"
    bytes: int


class Remote:
    """``[sandboxes.acme] port = ...``."""

    def __init__(self, *, port: int, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, port
        self.busy: dict[Path, asyncio.Lock] = {}

    async def probe_level(self) -> int:
        """Nothing of this machine can be reached from there."""
        try:
            return 3 if await self.exchange({"argv": ["true"], "files": ""}) else 0
        except ToolError:
            return 0

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run a command there; two at once would overwrite each other's files."""
        async with self.busy.setdefault(root, asyncio.Lock()):
            files = await asyncio.to_thread(packed, root)
            request = {"argv": [*command.argv], "env": dict(command.env), "seconds": command.seconds, "files": files}
            done = await self.exchange(request)
            await asyncio.to_thread(unpack, done["files"], root)
        return CommandResult(done["code"], done["output"], timed_out=done["late"], events=(Sent(len(files)),))

    async def exchange(self, request: Mapping[str, object]) -> dict[str, Any]:
        """Ask the other machine; hanging up ends the command there."""
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 28)
        except OSError as error:
            raise ToolError(f"{self.host}:{self.port} cannot be reached, so nothing was run: {error}") from error
        try:
            writer.write(json.dumps(request).encode() + b"\n")
            return dict(json.loads(await reader.readline()))
        finally:
            writer.close()


def packed(root: Path) -> str:
    """A folder as text."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.add(root, arcname=".")
    return base64.b64encode(data.getvalue()).decode()


def unpack(files: str, root: Path) -> None:
    """Restore a folder from text, except its repository."""
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(files))) as archive:
        names = {Path(name) for name in archive.getnames()}
        for path in sorted(root.rglob("*"), reverse=True):
            relative = path.relative_to(root)
            if relative not in names and ".git" not in relative.parts:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        archive.extractall(root, **SAFELY)
