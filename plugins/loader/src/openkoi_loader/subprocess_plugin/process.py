"""Start a plugin's process, call it, and end it when it does not answer in time.

A call that is cancelled is cancelled there too; if that does not end it soon, the process is ended, so that a late
answer is never used. It is started again at the next call, a few times.
"""

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from openkoi_base.child_process import start_process
from openkoi_hookspecs import Koi, KoiError, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..plugin_discovery import Found
from ..plugin_factory import BuildContext
from .messages import (
    LENGTH,
    MAX_MESSAGE_BYTES,
    RUN_METHODS,
    ContractUnpickler,
    Functions,
    KoiFacts,
    RunFacts,
    describe_error,
    make_error,
    pack,
)

COMMAND = ("-P", "-m", "openkoi_loader.subprocess_plugin.child")
VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV", "OPENKOI_HOME")
CANCEL_SECONDS = 0.25  # estimate: what waits is cancelled within that, what computes is not
END_SECONDS = 2.0
MAX_STARTS = 3
ERROR_LINES = 5


@dataclass(slots=True)
class Call:
    """A request that waits for its answer, and the run that it may ask for more."""

    answer: asyncio.Future[Any]
    run: Run | None = None


@dataclass(slots=True)
class PluginProcess:
    """The process of one plugin. ``described`` is what the plugin has, once it was made.

    ``text`` is that of a Python file, which the process gets as the user allowed it, also when it is started again.
    """

    found: Found
    context: BuildContext
    text: str | None = None
    process: Process | None = None
    reader: "asyncio.Task[None] | None" = None
    functions: Functions = field(default_factory=Functions)
    calls: dict[int, Call] = field(default_factory=dict)
    asked: set["asyncio.Task[None]"] = field(default_factory=set)
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=ERROR_LINES))
    described: Mapping[str, Any] = field(default_factory=dict)
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    starts: int = 0
    last_number: int = 0

    async def start(self) -> Mapping[str, Any]:
        """Start the process and make the plugin in it; return what it has."""
        async with self.starting:
            if self.process is None:
                await self.start_again()
        return self.described

    async def start_again(self) -> None:
        """Start it, unless it has ended too often."""
        if self.starts == MAX_STARTS:
            raise KoiError(f"Its process ended {MAX_STARTS} times, so it is not started again.")
        self.starts += 1
        environment = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        self.process = await start_process(
            sys.executable, *COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, start_new_session=True
        )
        self.reader = asyncio.create_task(self.read(self.process))
        name = (self.found.kind, self.found.name, self.found.target)
        config = self.context.config
        needed = {*await self.request("needs", *name)} if self.text is None else set()
        own = {key: value for key, value in config.environment.items() if key in needed}
        self.described = await self.request("make", *name, self.text, replace(config, environment=own))

    async def call(self, name: str, facts: Mapping[str, Any]) -> Any:
        """Call a hook or method of the plugin."""
        await self.start()
        run = facts.get("run")
        return await self.request("call", name, {key: plain_fact(key, fact) for key, fact in facts.items()}, run=run)

    async def call_function(self, number: int, *arguments: object) -> Any:
        """Call a function that an answer contained."""
        await self.start()
        return await self.request("function", number, arguments)

    async def request(self, kind: str, *arguments: object, run: Run | None = None) -> Any:
        """Return the answer to a request."""
        self.last_number += 1
        number, call = self.last_number, Call(asyncio.get_running_loop().create_future(), run)
        self.calls[number] = call
        try:
            await self.send(kind, number, *arguments)
            return await call.answer
        except asyncio.CancelledError:
            await asyncio.shield(self.cancel(number, call))
            raise
        finally:
            self.calls.pop(number, None)

    async def cancel(self, number: int, call: Call) -> None:
        """Cancel a request there; end the process if that has no effect."""
        call.answer = asyncio.get_running_loop().create_future()
        with suppress(KoiError, TimeoutError):
            await self.send("cancel", number)
            async with asyncio.timeout(CANCEL_SECONDS):
                await call.answer
        if not call.answer.done() or call.answer.cancelled():
            self.kill()

    async def send(self, *message: object) -> None:
        """Send a message; raise KoiError for one that cannot be sent."""
        if self.process is None or self.process.stdin is None:
            raise KoiError("Its process has ended.")
        try:
            data = pack(message, self.functions)
        except (TypeError, ValueError, AttributeError, pickle.PicklingError, RecursionError) as error:
            raise KoiError(f"A value cannot be sent to the plugin's process: {error}") from None
        with suppress(ConnectionError):  # it has ended, which the reader reports
            self.process.stdin.write(data)
            await self.process.stdin.drain()

    async def read(self, process: Process) -> None:
        """Take what the process sends until it ends, then fail all calls that wait."""
        assert process.stdout
        assert process.stderr
        printed = asyncio.create_task(self.read_errors(process.stderr))
        reason = ""
        try:
            while True:
                length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
                if length > MAX_MESSAGE_BYTES:
                    raise ValueError(f"a message of {length:,} bytes")
                self.receive(await process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            pass
        except Exception as error:  # a plugin's process may send anything
            reason = f"sent an invalid message ({error})"
            end_process(process)
        code = await process.wait()
        await printed
        if self.process is process:
            self.process = None
            self.fail_calls(reason or f"its process ended with status {code}")

    async def read_errors(self, stderr: asyncio.StreamReader) -> None:
        """Keep the last lines that the plugin prints."""
        with suppress(ValueError):  # a line that is longer than a stream may hold
            async for line in stderr:
                self.errors.append(line.decode(errors="replace").rstrip())
        while await stderr.read(65_536):
            pass

    def fail_calls(self, reason: str) -> None:
        """Let all calls fail that still wait."""
        printed = f" Last printed: {self.errors[-1]}" if self.errors else ""
        calls, self.calls = self.calls, {}
        for call in calls.values():
            if not call.answer.done():
                call.answer.set_exception(KoiError(f"{reason}.{printed}"))

    def receive(self, data: bytes) -> None:
        """Take a message."""
        kind, number, *rest = ContractUnpickler(data, self.make_function).load()
        if kind == "warn":
            self.context.warn(str(rest[0]))
        elif kind == "hold":
            self.context.redactor.hold(str(rest[0]), str(rest[1]))
        elif (call := self.calls.get(number)) is None or call.answer.done():
            return  # it was cancelled: a late answer is never used
        elif kind == "ask":
            task = asyncio.create_task(self.answer_question(call, *rest))
            self.asked.add(task)
            task.add_done_callback(self.asked.discard)
        elif kind == "answer":
            call.answer.set_result(rest[0])
        else:
            call.answer.set_exception(make_error(str(rest[0]), str(rest[1])))

    async def answer_question(self, call: Call, key: int, method: str, arguments: Any, named: Any) -> None:
        """Carry out a method of a run that the plugin calls."""
        try:
            if call.run is None or method not in RUN_METHODS:
                raise KoiError(f"run.{method} is not available here.")
            await self.send("answer", key, await getattr(call.run, method)(*arguments, **named))
        except Exception as error:  # whatever it is, the plugin gets it
            await self.send("error", key, *describe_error(error))

    def make_function(self, number: int) -> Callable[..., Any]:
        """Return what calls a function of the plugin's process."""

        async def call(*arguments: object) -> Any:
            return await self.call_function(number, *arguments)

        return call

    def kill(self) -> None:
        """End the process at once; the next call starts another one."""
        process, self.process = self.process, None
        if process:
            end_process(process)
            self.fail_calls("its process was killed because a call timed out")

    async def close(self) -> None:
        """Leave the plugin, and end its process."""
        if self.process:
            with suppress(KoiError, TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self.request("close")
        self.kill()
        if self.reader:
            await self.reader


def end_process(process: Process) -> None:
    """End a process at once."""
    with suppress(ProcessLookupError):
        process.kill()


def plain_fact(name: str, fact: Any) -> Any:
    """Return a fact as it is sent: of a run and of OpenKoi, what they are."""
    if name == "run":
        run: Run = fact
        return RunFacts(
            run.id,
            run.outermost,
            run.task,
            run.limits,
            run.cost,
            tuple(run.iterations),
            run.workspace,
            plain_fact("koi", run.koi),
        )
    if name == "koi":
        koi: Koi = fact
        return KoiFacts(koi.workspace, koi.session)
    return fact
