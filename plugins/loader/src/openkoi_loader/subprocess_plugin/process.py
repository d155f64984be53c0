"""Run a plugin in a separate process (subprocess): start it, call it, and end it if it does not answer in time.

A call that is cancelled is cancelled there too; if that does not end it soon, the process is ended, so that a late
answer is never used. It is started again at the next call, after a delay if it fails several times in a row.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from openkoi_base.child_process import kill_group, start_process
from openkoi_base.restart_delay import RestartDelay
from openkoi_hookspecs import KoiError, ProviderUnavailableError, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..plugin_discovery import Found
from ..plugin_factory import BuildContext
from .messages import LENGTH, MAX_MESSAGE_BYTES, PluginProcessError, describe_error, make_error, no_number, pack, unpack
from .process_end import close_pipes_at_end, describe_end, finish_process, keep_last_lines
from .run_facts import RUN_METHODS, describe_fact, describe_run
from .values import ANY, read_values
from .variables import choose_variables

COMMAND = ("-P", "-m", "openkoi_loader.subprocess_plugin.child")
FAILURES = {"providers": ProviderUnavailableError, "embedders": ProviderUnavailableError}  # what their callers expect
CANCEL_SECONDS = 0.25  # estimate: what waits is cancelled within that, what computes is not
END_SECONDS = 2.0
PATIENCE_SECONDS = 1.0  # estimate: a call waits so long for the next start; it fails at once if that takes longer
MAX_WARNINGS = 100  # estimate: of one process; a plugin has few
MAX_SECRETS = 100  # estimate: of one plugin, however often it starts; each slows down every text
MAX_QUESTIONS = 1_000  # estimate: to the run, which are not answered yet
MAX_WARNING = 2_000  # characters, as of the errors of plugins
ERROR_LINES = 5
STARTING = frozenset({"needs", "make"})


@dataclass(slots=True)
class Call:
    """A pending request, and the run whose methods it may call."""

    kind: str
    answer: asyncio.Future[Any]
    run: Run | None = None


@dataclass(slots=True)
class PluginProcess:
    """The process of one plugin. ``described`` is the plugin's description, once it was created.

    ``text`` is the content of a Python file that the user approved; the process gets it even after a restart.
    ``take_values`` receives the attributes of the plugin, first and when they change.
    """

    found: Found
    context: BuildContext
    text: str | None = None
    take_values: Callable[[Mapping[str, Any]], None] = lambda _: None
    process: Process | None = None
    reader: "asyncio.Task[None] | None" = None
    calls: dict[int, Call] = field(default_factory=dict)
    asked: set["asyncio.Task[None]"] = field(default_factory=set)
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=ERROR_LINES))
    described: Mapping[str, Any] = field(default_factory=dict)
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    delay: RestartDelay = field(default_factory=lambda: RestartDelay(free=1))
    warnings: int = 0
    secrets: set[str] = field(default_factory=set)
    last_number: int = 0

    async def start(self) -> Mapping[str, Any]:
        """Start the process and create the plugin in it; return the plugin's description."""
        async with self.starting:
            if self.process is None:
                try:
                    await self.start_again()
                except BaseException:  # a process in which the plugin was not made can answer nothing
                    self.kill()
                    raise
        return self.described

    async def start_again(self) -> None:
        """Start the process again; raise an error if it has failed too often recently."""
        wait = self.delay.seconds_left
        if wait > PATIENCE_SECONDS:
            again = f"its process failed {self.delay.failures} times in a row and restarts in {wait:.0f} s"
            raise self.failure(again)
        await asyncio.sleep(wait)
        variables = choose_variables(self.found.kind)
        self.process = await start_process(
            sys.executable, *COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=variables, start_new_session=True
        )
        self.warnings = 0
        self.errors.clear()
        self.reader = asyncio.create_task(self.read(self.process))
        name = (self.found.kind, self.found.name, self.found.target)
        config = self.context.config
        needed = {*await self.request("needs", *name)} if self.text is None else set()
        own = {key: value for key, value in config.environment.items() if key in needed}
        keys = {key: one for key, one in self.context.keys.items() if key.partition(".")[0] == self.found.name}
        self.described = await self.request("make", *name, self.text, replace(config, environment=own), keys)
        self.take_values(self.described["values"])

    def failure(self, reason: str) -> KoiError:
        """Return the error for a call that the process did not answer, of the class that callers expect."""
        kind = FAILURES.get(self.found.kind)
        return kind(f"{self.found.name}: {reason}.") if kind else KoiError(f"{reason}.")

    async def hook(self, name: str, facts: Mapping[str, Any]) -> Any:
        """Call a hook of the plugin."""
        await self.start()
        described = {key: describe_fact(key, fact) for key, fact in facts.items()}
        return await self.request("hook", name, described, run=facts.get("run"))

    async def call(
        self, name: str, arguments: Sequence[Any], named: Mapping[str, Any], *, run: Run | None = None
    ) -> Any:
        """Call a method of the plugin; a ``run`` among its arguments is sent as its facts."""
        await self.start()
        sent = tuple(describe_run(run) if one is run and run else one for one in arguments)
        by_name = {key: describe_run(run) if one is run and run else one for key, one in named.items()}
        return await self.request("call", name, sent, by_name, run=run)

    async def stream(self, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Yield the items of a method of the plugin."""
        await self.start()
        process, ended = self.process, True  # one whose beginning fails is ended there
        try:
            number, items, ended = await self.request("stream", name, tuple(arguments), dict(named))
            while True:
                for item in items:
                    yield item
                if ended:
                    return
                ended = True
                if self.process is not process:  # another call has started it again
                    raise self.failure("its process ended before the answer was complete")
                items, ended = await self.request("next", number)
        finally:
            if not ended:
                await self.end_stream(number)

    async def end_stream(self, number: int) -> None:
        """End a stream before its end is reached; end the process if that has no effect."""
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                await self.request("end", number)
        except TimeoutError:
            self.kill()
        except (KoiError, PluginProcessError):
            pass  # it has ended

    async def request(self, kind: str, *arguments: object, run: Run | None = None) -> Any:
        """Return the answer to a request."""
        self.last_number += 1
        number, call = self.last_number, Call(kind, asyncio.get_running_loop().create_future(), run)
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
        """Cancel a request in the process; end the process if that has no effect."""
        call.answer = asyncio.get_running_loop().create_future()
        with suppress(KoiError, PluginProcessError, TimeoutError):
            await self.send("cancel", number)
            async with asyncio.timeout(CANCEL_SECONDS):
                await call.answer
        if not call.answer.done() or call.answer.cancelled():
            self.kill()

    async def send(self, *message: object) -> None:
        """Send a message; raise KoiError if it cannot be sent."""
        if self.process is None or self.process.stdin is None:
            raise self.failure("its process has ended")
        try:
            data = pack(message, no_number, ANY)
        except (TypeError, ValueError) as error:
            raise KoiError(f"A value cannot be sent to the plugin's process: {error}") from None
        with suppress(ConnectionError):  # it has ended, which the reader reports
            self.process.stdin.write(data)
            await self.process.stdin.drain()

    async def read(self, process: Process) -> None:
        """Process messages until the process ends, then fail all waiting calls."""
        assert process.stdout
        assert process.stderr
        printed = asyncio.create_task(keep_last_lines(process.stderr, self.errors))
        closing = asyncio.create_task(close_pipes_at_end(process))
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
            reason = f"its process sent an invalid message ({error})"
        code = await finish_process(process, printed, closing)
        if self.process is process:
            self.process = None
            self.delay.note_failure()
            self.fail_calls(reason or f"its process {describe_end(code)}")

    def fail_calls(self, reason: str) -> None:
        """Fail all calls that are still waiting."""
        printed = f" (last printed: {self.errors[-1]})" if self.errors else ""
        calls, self.calls = self.calls, {}
        for call in calls.values():
            if not call.answer.done():
                call.answer.set_exception(self.failure(f"{reason}{printed}"))

    def receive(self, data: bytes) -> None:
        """Process a message."""
        kind, number, values = unpack(data)
        rest = read_values(values, self.make_function)
        if kind == "warn":
            self.warn(str(rest[0]))
        elif kind == "hold":
            self.secrets.add(str(rest[0]))
            if len(self.secrets) > MAX_SECRETS:
                raise ValueError(f"more than {MAX_SECRETS} secrets")
            self.context.redactor.hold(str(rest[0]), str(rest[1]))
        elif (call := self.calls.get(number)) is None or call.answer.done():
            return  # it was cancelled: a late answer is never used
        elif kind == "ask":
            if len(self.asked) >= MAX_QUESTIONS:
                raise ValueError(f"more than {MAX_QUESTIONS:,} questions at once")
            task = asyncio.create_task(self.answer_question(call, *rest))
            self.asked.add(task)
            task.add_done_callback(self.asked.discard)
        elif kind == "values":
            self.take_values(rest[0])
        else:
            self.take_answer(call, kind, rest)

    def take_answer(self, call: Call, kind: str, rest: Sequence[Any]) -> None:
        """Answer a call; starting does not yet count as success of the process."""
        if call.kind not in STARTING:
            self.delay.note_success()
        if kind == "answer":
            call.answer.set_result(rest[0])
        else:
            call.answer.set_exception(make_error(*rest))

    def warn(self, text: str) -> None:
        """Forward a warning of the plugin; raise ValueError if there are too many."""
        self.warnings += 1
        if self.warnings > MAX_WARNINGS:
            raise ValueError(f"more than {MAX_WARNINGS} warnings")
        self.context.warn(text[:MAX_WARNING])

    async def answer_question(self, call: Call, key: int, method: str, arguments: Any, named: Any) -> None:
        """Carry out a method of a run that the plugin calls."""
        try:
            if call.run is None or method not in RUN_METHODS:
                raise KoiError(f"run.{method} is not available here.")
            await self.send("answer", key, await getattr(call.run, method)(*arguments, **named))
        except Exception as error:  # whatever it is, the plugin gets it
            await self.send("error", key, *describe_error(error))

    def make_function(self, number: int) -> Callable[..., Any]:
        """Return a function that calls a function of the plugin's process."""

        async def call(*arguments: object) -> Any:
            await self.start()
            return await self.request("function", number, arguments)

        return call

    def kill(self) -> None:
        """End the process at once; the next call starts another one."""
        process, self.process = self.process, None
        if process:
            kill_group(process.pid)
            self.delay.note_failure()
            self.fail_calls("its process was killed because a call timed out")

    async def close(self) -> None:
        """Exit the plugin, and end its process."""
        if self.process:
            with suppress(KoiError, PluginProcessError, TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self.request("close")
        self.kill()
        if self.reader:
            await self.reader
