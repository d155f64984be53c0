"""Runs of the command line with MCP servers: a scripted model calls their tools."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_process import Shell
from documented_plugins import BASE, DONE, configure, results_of, shell_with, turn

POND = Path(__file__).with_name("pond_server.py")
SDK_POND = POND.with_name("pond_sdk_server.py")


@dataclass(frozen=True, slots=True)
class Pond:
    """A command line whose configuration has the server ``pond``, and the file of the calls that were made of it."""

    openkoi: Shell
    calls: Path
    settings: Mapping[str, Any]

    def __call__(self, *arguments: str, **options: Any) -> str:
        """Run the command line, which must succeed; return its output."""
        result = self.openkoi(*arguments, **options)
        assert 0 == result.returncode, result.stdout + result.stderr
        return str(result.stdout + result.stderr)

    @property
    def noted(self) -> list[str]:
        """The calls that were made, without the starts."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if not line.startswith("started")]

    @property
    def pids(self) -> list[int]:
        """The processes that were started."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [int(line.split()[1]) for line in lines if line.startswith("started")]

    @property
    def results(self) -> list[str]:
        """The results of tools, in the order of the log."""
        return results_of(self.openkoi)

    def approved(self) -> "Pond":
        """Approve the server."""
        self("mcp", "approve", "pond", "--yes")
        return self

    def started_with(self, *options: str, **server: Any) -> "Pond":
        """Change the server's command line."""
        table = {**pond_table(self.calls, *options), **server}
        configure(self.openkoi, self.settings, {"mcp": {"servers": {"pond": table}}})
        return self


def pond_table(calls: Path, *options: str) -> dict[str, Any]:
    """Return how the server of tests is started."""
    server = SDK_POND if "--modern" in options else POND
    return {"command": sys.executable, "args": [str(server), str(calls), *options]}


def pond(folder: Path, *calls: str, options: tuple[str, ...] = (), server: Any = None, **settings: Any) -> Pond:
    """Return a command line with the server, where the model makes these calls at once and then is done."""
    turns = (turn(*calls, when="contains: Do it, after: 0") if calls else "") + DONE
    noted = folder / "calls"
    table = {**pond_table(noted, *options), **(server or {})}
    openkoi = shell_with(folder, turns=turns)
    configure(openkoi, BASE, {"mcp": {"servers": {"pond": table}}}, settings)
    return Pond(openkoi.with_environment(MCP_SECRET="hidden"), noted, {**BASE, **settings})


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def write_project_file(openkoi: Shell, **servers: Any) -> Path:
    """Write the ``.mcp.json`` of the folder."""
    file = openkoi.folder / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    return file


@contextmanager
def served(script: Path, calls: Path, transport: str, *options: str) -> Iterator[str]:
    """Run a server at an address of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, str(script), str(calls), f"--{transport}", str(port), *options]
    child = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)
    try:
        yield f"http://127.0.0.1:{port}/{'mcp' if transport == 'http' else 'sse'}"
    finally:
        child.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        child.wait()
