"""Run hook scripts in child processes, which answer with lines of JSON; each process is kept for its next call.

A call that is cancelled or takes too long ends its child, so that a late answer never reaches the next call.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from openkoi_base.child_process import signal_name, start_process
from openkoi_base.printable import indent_lines
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

PROGRAM = Path(__file__).with_name("interpreter.py")
MEMORY_MIB = 128  # of a child; estimate: an interpreter with an empty script has 20
MAX_CHILDREN = 4  # of one script: more calls than that at once wait
GRACE_SHARE = 0.25  # of a call's time, before it is ended from outside if the interpreter did not end it (estimate)
MIN_GRACE_SECONDS = 0.25  # on a busy machine (estimate)
START_SECONDS = 10.0  # of an interpreter on a busy machine (estimate)
MAX_LINE = 4_000_000  # bytes
Host = Callable[[str, Sequence[Any]], Awaitable[object]]


class ScriptError(KoiError):
    """A script is invalid, failed, took too long or ended its interpreter."""


async def refuse_host_call(name: str, arguments: Sequence[Any]) -> object:
    """Refuse every host function: loading a script only defines its functions."""
    raise KoiError(f"{name} can be called only within a hook or a command.")


@dataclass(slots=True)
class Child:
    """One interpreter."""

    process: Process
    file: str
    is_waiting: bool = True  # for the next request
    is_loaded: bool = False

    @classmethod
    async def start(cls, file: str) -> "Child":
        """Start an interpreter without environment variables, outside the user's folders."""
        found = find_spec("starlark")
        if found is None or not found.origin:
            raise ScriptError("Scripts need starlark-pyo3. Run `openkoi plugin install openkoi-scripts`.")
        command = ["-I", "-S", str(PROGRAM), str(os.getpid()), str(Path(found.origin).parent.parent), str(MEMORY_MIB)]
        process = await start_process(
            sys.executable,
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=Path(sys.executable).anchor,
            env=minimal_environment(),
            limit=MAX_LINE,
            start_new_session=True,
        )
        return cls(process, file)

    async def request(self, message: object, seconds: float, host: Host = refuse_host_call) -> Any:
        """Return the answer to a request, and answer calls of host functions meanwhile."""
        self.is_waiting = False
        await self.send(message)
        while True:
            reply = await self.receive(seconds)
            if "host" not in reply:
                break
            await self.send(await answer_host_call(reply, host))
        self.is_waiting = True
        if "error" in reply:
            raise ScriptError(indent_lines(reply["error"]))
        return reply["answer"]

    async def send(self, message: object) -> None:
        """Send a line."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            await self.process.stdin.drain()
        except ConnectionError:
            pass  # the answer says how it ended

    async def receive(self, seconds: float) -> Any:
        """Return a line; raise ScriptError if there is none in time."""
        assert self.process.stdout
        try:
            async with asyncio.timeout(seconds + max(MIN_GRACE_SECONDS, seconds * GRACE_SHARE)):
                line = await self.process.stdout.readline()
        except TimeoutError:
            raise ScriptError(f"{self.file}: took more than {seconds:g} s") from None
        except ValueError:
            raise ScriptError(f"{self.file}: sent more than {MAX_LINE:,} bytes") from None
        if not line.endswith(b"\n"):
            raise ScriptError(f"{self.file}: {describe_end(await self.process.wait())}")
        return json.loads(line)

    async def end(self) -> None:
        """End the process, if it is still running."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
        await asyncio.shield(self.process.wait())
        # the pipes are closed by the transport, which is closed here: the loop may end before it notices
        self.process._transport.close()  # type: ignore[attr-defined]  # there is no public way


async def answer_host_call(reply: Any, host: Host) -> dict[str, object]:
    """Return the answer to a script's call of a host function."""
    try:
        return {"answer": await host(str(reply["host"]), reply["arguments"])}
    except KoiError as error:
        return {"error": str(error)}


def minimal_environment() -> dict[str, str]:
    """Return the variables without which an interpreter does not start."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


def describe_end(code: int) -> str:
    """Return how an interpreter ended in the middle of a call."""
    if code in (-signal.SIGABRT, -signal.SIGSEGV) or code == 1:
        return f"crashed its interpreter: it used more than {MEMORY_MIB} MiB, or nested a value too deeply"
    return "made its interpreter exit" if code >= 0 else f"crashed its interpreter ({signal_name(-code)})"


@dataclass(slots=True)
class ScriptProcesses:
    """The interpreters of one script. ``functions`` are the host functions that it may call."""

    file: str
    text: str
    seconds: float
    functions: Sequence[str] = ()
    idle: list[Child] = field(default_factory=list)
    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CHILDREN))

    async def describe(self, *, load: bool) -> Any:
        """Return the functions of the script, which is parsed; with ``load`` its statements are run as well."""
        child = await Child.start(self.file)
        try:
            message = {"do": "describe", "file": self.file, "text": self.text}
            described = await child.request(message, START_SECONDS)
            if load:
                await self.load(child)
        finally:
            await self.keep_or_end(child)
        return described

    async def load(self, child: Child) -> None:
        """Run the script's own statements in an interpreter."""
        message = {"do": "load", "file": self.file, "text": self.text, "functions": [*self.functions]}
        await child.request({**message, "seconds": self.seconds}, self.seconds)
        child.is_loaded = True

    async def keep_or_end(self, child: Child) -> None:
        """Keep an interpreter for the next call, if it has answered."""
        if child.is_waiting and child.is_loaded:
            self.idle.append(child)
        else:
            await child.end()

    async def call(self, name: str, facts: str, host: Host) -> Any:
        """Call a function of the script with facts as JSON."""
        message = {"do": "call", "name": name, "facts": facts, "seconds": self.seconds}
        async with self.child() as child:
            return await child.request(message, self.seconds, host)

    @asynccontextmanager
    async def child(self) -> AsyncIterator[Child]:
        """Yield an interpreter for one request; it is kept if it answered, and ended if not."""
        async with self.free:
            child = self.idle.pop() if self.idle else await Child.start(self.file)
            try:
                if not child.is_loaded:
                    await self.load(child)
                yield child
            finally:
                await self.keep_or_end(child)

    async def close(self) -> None:
        """End all interpreters."""
        children, self.idle[:] = [*self.idle], []
        await asyncio.gather(*(child.end() for child in children))
