"""Act as another machine: run commands for any client, each in its own folder."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from contextlib import suppress
from pathlib import Path

from acme_remote import packed, unpack


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Run one command."""
    request = json.loads(await reader.readline())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if request["files"]:
            unpack(request["files"], root)
        environment = {**os.environ, **request.get("env", {}), "MACHINE": "elsewhere"}
        child = await asyncio.create_subprocess_exec(
            *request["argv"],
            cwd=root,
            env=environment,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )
        output, late = await ended(child, request.get("seconds", 10))
        answer = {"code": child.returncode, "output": output, "late": late, "files": packed(root)}
    writer.write(json.dumps(answer).encode() + b"\n")
    writer.close()


async def ended(child: Process, seconds: float) -> tuple[str, bool]:
    try:
        async with asyncio.timeout(seconds):
            output, _ = await child.communicate()
            return output.decode(errors="replace"), False
    except TimeoutError:
        return "", True
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 28)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
