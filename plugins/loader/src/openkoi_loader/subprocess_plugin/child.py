"""The program of a plugin's process: ``python -m openkoi_loader.subprocess_plugin.child``, started by OpenKoi.

It reads requests from standard input and writes answers to standard output; what the plugin prints goes to standard
error. It ends when standard input ends, and thus with its parent.
"""

import asyncio
import inspect
import os
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import fields
from functools import partial
from typing import Any, BinaryIO, get_args

from openkoi_base.python_file import find_place, make_module
from openkoi_base.redact import Redactor
from openkoi_hookspecs import Env, KoiError, PluginError, PluginNotFoundError
from openkoi_settings import Config, Setting

from ..hook_implementations import find_implementations
from ..plugin_discovery import Found, resolve
from ..plugin_factory import BuildContext, construct
from ..unknown_settings import parameters_of
from .members import Form, members_of
from .messages import LENGTH, Functions, describe_error, make_error, pack, unpack
from .run_facts import RUN_METHODS, KoiFacts, RunFacts
from .streams import Stream
from .values import ANY, read_values

Keys = dict[str, Setting]
UNAVAILABLE = "{0} is not available to a plugin in a separate process."


class RemoteFacts:
    """A run, or OpenKoi, as a plugin sees it: its facts, and the methods that OpenKoi carries out."""

    def __init__(self, path: str, facts: object, methods: tuple[str, ...], ask: Callable[..., Any]) -> None:
        for one in fields(facts):  # type: ignore[arg-type]
            setattr(self, one.name, getattr(facts, one.name))
        self._path, self._methods, self._ask = path, methods, ask

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._methods:
            return partial(self._ask, name)
        raise KoiError(UNAVAILABLE.format(f"{self._path}.{name}"))


class HostedPlugin:
    """The plugin of this process, and the requests that it answers."""

    def __init__(self, output: BinaryIO) -> None:
        self.output, self.functions = output, Functions()
        self.loop = asyncio.get_running_loop()
        self.plugin: Any = None
        self.config: Config
        self.file = ""
        self.calls: dict[int, asyncio.Task[None]] = {}
        self.asked: dict[int, asyncio.Future[Any]] = {}
        self.streams: dict[int, Stream] = {}
        self.values: dict[str, Any] = {}

    def send(self, *message: object) -> None:
        """Send a message."""
        self.output.write(pack(message, self.functions.add))
        self.output.flush()

    def receive(self, data: bytes) -> None:
        """Process a message from OpenKoi."""
        kind, number, values = unpack(data)
        if kind == "cancel":
            if call := self.calls.get(number):
                call.cancel()
        elif kind in ("answer", "error"):
            self.take_answer(number, self.read(values))
        else:
            self.calls[number] = self.loop.create_task(self.answer(number, getattr(self, kind), values))

    def read(self, values: bytes) -> list[Any]:
        """Return the values of a message, which may contain settings and the facts of a run."""
        return read_values(values, self.make_function, ANY)

    def take_answer(self, number: int, rest: list[Any]) -> None:
        """Forward OpenKoi's answer to a call of a run's method: a value, or the name and text of an error."""
        waiting = self.asked.pop(number, None)
        if waiting is None or waiting.done():
            return
        if len(rest) > 1:
            waiting.set_exception(make_error(*rest))
        else:
            waiting.set_result(rest[0])

    async def answer(self, number: int, function: Callable[..., Any], values: bytes) -> None:
        """Answer a request."""
        try:
            try:
                answer = await function(number, *self.read(values))
                self.send_changed_values(number)
                self.send("answer", number, answer)
            except BaseException as error:  # a plugin may raise anything; what it raises is sent
                self.send_error(number, error)
        finally:
            del self.calls[number]

    def send_error(self, number: int, error: BaseException) -> None:
        """Send an error of the plugin; one that cannot be sent is replaced with the reason."""
        try:
            self.send("error", number, *self.describe(error))
        except (TypeError, ValueError) as reason:
            self.send("error", number, *describe_error(reason))

    def describe(self, error: BaseException) -> tuple[str, str, dict[str, Any]]:
        """Return the message about an error of the plugin; for a Python file, also where it was raised."""
        name, text, attributes = describe_error(error)
        place = "" if isinstance(error, KoiError) else find_place(error, self.file)
        return name, f"{place}: {text}" if place else text, attributes

    async def needs(self, number: int, kind: str, name: str, target: str) -> list[str]:
        """Return the variables that the plugin's constructor requests."""
        hints = parameters_of(Found(kind, name, target, "")) or {}
        marks = [mark for hint in hints.values() for mark in get_args(hint)[1:]]
        return [mark.variable for mark in marks if isinstance(mark, Env)]

    async def make(
        self, number: int, kind: str, name: str, target: str, text: str | None, config: Config, keys: Keys
    ) -> dict[str, Any]:
        """Create and enter the plugin, from the ``text`` of a Python file if given; return a description of it."""

        def warn(text: str) -> None:
            self.warn(number, str(PluginError(name, "loading", text)))

        context = BuildContext(config, Redactor(), refuse_injection, keys, warn)
        self.config, self.file = config, target if text is not None else ""
        made = resolve(target) if text is None else make_module(name, target, text)
        plugin = await construct(made, kind, name, context)
        if isinstance(plugin, AbstractAsyncContextManager):
            plugin = await plugin.__aenter__()
        self.plugin = plugin
        for secret, origin in context.redactor.held.items():
            self.send("hold", number, secret, origin)
        members = [one for one in members_of(kind).values() if hasattr(plugin, one.name)]
        self.values = {one.name: getattr(plugin, one.name) for one in members if one.form is Form.VALUE}
        return {
            "hooks": self.describe_hooks(name) if kind == "hooks" else [],
            "methods": [one.name for one in members if one.form is not Form.VALUE],
            "values": self.values,
        }

    def send_changed_values(self, number: int) -> None:
        """Send the attributes that have changed."""
        changed = {name: now for name, value in self.values.items() if (now := getattr(self.plugin, name)) != value}
        if changed:
            self.values |= changed
            self.send("values", number, changed)

    def describe_hooks(self, name: str) -> list[tuple[str, bool, bool]]:
        """Return the implemented hooks, and whether each is tried first or last."""
        found, errors = find_implementations({name: self.plugin})
        if errors:
            raise errors[0]
        options = [
            (hook, getattr(getattr(self.plugin, hook), "openkoi_impl", {})) for hook, ones in found.items() if ones
        ]
        return [(hook, bool(one.get("tryfirst")), bool(one.get("trylast"))) for hook, one in options]

    async def hook(self, number: int, name: str, facts: dict[str, Any]) -> Any:
        """Call a hook of the plugin with the facts that it takes."""
        function = getattr(self.plugin, name)
        taken = inspect.signature(function).parameters.values()
        takes_all = any(one.kind is one.VAR_KEYWORD for one in taken)
        names = facts if takes_all else [one.name for one in taken if one.name in facts]
        answer = function(**{name: self.usable(facts[name], number) for name in names})
        return await answer if inspect.isawaitable(answer) else answer

    def begin(self, number: int, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a method of the plugin; return its result or, if it is asynchronous, its awaitable."""
        usable = {key: self.usable(value, number) for key, value in named.items()}
        return getattr(self.plugin, name)(*(self.usable(one, number) for one in arguments), **usable)

    async def call(self, number: int, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return what a method of the plugin returns."""
        answer = self.begin(number, name, arguments, named)
        return await answer if inspect.isawaitable(answer) else answer

    async def stream(self, number: int, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the number of a stream, its first items, and whether these are all of its items."""
        self.streams[number] = Stream(self.begin(number, name, arguments, named))
        return number, *await self.next(number, number)

    async def next(self, number: int, stream: int) -> tuple[list[Any], bool]:
        """Return the next items of a stream, and whether these are the last."""
        if stream not in self.streams:
            raise KoiError("Interrupted, because the plugin's process was restarted.")
        ended = True
        try:
            items, ended = await self.streams[stream].take()
        finally:
            if ended:
                del self.streams[stream]
        return items, ended

    async def end(self, number: int, stream: int) -> None:
        """End a stream before its end is reached."""
        if found := self.streams.pop(stream, None):
            await found.end()

    async def function(self, number: int, key: int, arguments: tuple[Any, ...]) -> Any:
        """Call a function that an earlier answer contained, such as a tool."""
        if key not in self.functions.by_number:
            raise KoiError("This function has expired, because it was listed too long ago.")
        answer = self.functions.by_number[key](*arguments)
        return await answer if inspect.isawaitable(answer) else answer

    def usable(self, fact: object, number: int) -> object:
        """Return a fact in the form that the plugin receives."""
        if isinstance(fact, RunFacts):
            run = RemoteFacts("run", fact, RUN_METHODS, partial(self.ask, number))
            run.koi = self.usable(fact.koi, number)  # type: ignore[attr-defined]
            return run
        if isinstance(fact, KoiFacts):
            koi = RemoteFacts("koi", fact, (), self.ask)
            koi.setting, koi.warn = self.config.get, partial(self.warn, number)  # type: ignore[attr-defined]
            return koi
        return fact

    def warn(self, number: int, text: str) -> None:
        """Warn the user."""
        self.send("warn", number, text)

    async def ask(self, number: int, method: str, *arguments: object, **named: object) -> Any:
        """Let OpenKoi carry out a method of a call's run."""
        waiting: asyncio.Future[Any] = self.loop.create_future()
        key = id(waiting)
        self.asked[key] = waiting
        self.send("ask", number, key, method, arguments, named)
        return await waiting

    def make_function(self, number: int) -> Callable[..., Any]:
        """Return a stand-in for a function of OpenKoi."""

        async def refuse(*_: object, **__: object) -> Any:
            raise KoiError(UNAVAILABLE.format("A function of another plugin") + " Call tools with run.call.")

        return refuse

    async def close(self, number: int) -> None:
        """Exit the plugin."""
        if isinstance(self.plugin, AbstractAsyncContextManager):
            await self.plugin.__aexit__(None, None, None)


async def refuse_injection(kind: str, name: str) -> object:
    """Refuse to inject another plugin, which is in OpenKoi's process; a parameter with a default keeps that."""
    raise PluginNotFoundError(kind, name)


def read_messages(source: BinaryIO, take: Callable[[bytes], None]) -> None:
    """Forward every message, and end this process after the last one, whatever the plugin is doing."""
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        take(source.read(*LENGTH.unpack(head)))
    os._exit(0)


async def serve(source: BinaryIO, output: BinaryIO) -> None:
    """Answer requests until standard input ends."""
    hosted = HostedPlugin(output)

    def take(data: bytes) -> None:
        hosted.loop.call_soon_threadsafe(hosted.receive, data)

    threading.Thread(target=read_messages, args=(source, take), daemon=True).start()
    await asyncio.Event().wait()


def main() -> None:
    """Reserve the standard streams for messages, and serve."""
    source, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    asyncio.run(serve(source, output))


if __name__ == "__main__":
    main()
