"""The program of a plugin's process: ``python -m openkoi_loader.subprocess_plugin.child``, started by OpenKoi.

It reads requests from standard input and writes answers to standard output; what the plugin prints goes to standard
error. It ends with its parent: when standard input ends.
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
from openkoi_settings import Config

from ..hook_implementations import find_implementations
from ..plugin_discovery import Found, resolve
from ..plugin_factory import BuildContext, construct
from ..unknown_settings import parameters_of
from .messages import (
    LENGTH,
    RUN_METHODS,
    FactUnpickler,
    Functions,
    KoiFacts,
    RunFacts,
    describe_error,
    make_error,
    pack,
)

METHODS = {"evaluators": ("evaluate", "baseline"), "tools": ("tools",)}
ATTRIBUTES = {"evaluators": ("judges",)}
UNAVAILABLE = "{0} is not available to a plugin in a process of its own."


class RemoteFacts:
    """What a plugin sees of a run, or of OpenKoi: its facts, and the methods that OpenKoi carries out."""

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

    def send(self, *message: object) -> None:
        """Send a message."""
        self.output.write(pack(message, self.functions))
        self.output.flush()

    def receive(self, data: bytes) -> None:
        """Take a message of OpenKoi."""
        kind, number, *rest = FactUnpickler(data, self.make_function).load()
        if kind == "cancel":
            if call := self.calls.get(number):
                call.cancel()
        elif kind in ("answer", "error"):
            self.take_answer(number, rest)
        else:
            self.calls[number] = self.loop.create_task(self.answer(number, getattr(self, kind), rest))

    def take_answer(self, number: int, rest: list[Any]) -> None:
        """Pass on what OpenKoi answers to a method of a run: a value, or the name and text of an error."""
        waiting = self.asked.pop(number, None)
        if waiting is None or waiting.done():
            return
        if len(rest) == 2:
            waiting.set_exception(make_error(*rest))
        else:
            waiting.set_result(rest[0])

    async def answer(self, number: int, function: Callable[..., Any], arguments: list[Any]) -> None:
        """Answer a request."""
        try:
            try:
                answer = await function(number, *arguments)
                self.send("answer", number, answer)
            except BaseException as error:  # a plugin may raise anything; what it raises is sent
                self.send("error", number, *self.describe(error))
        finally:
            del self.calls[number]

    def describe(self, error: BaseException) -> tuple[str, str]:
        """Return the name and the text of an error of the plugin; of a Python file, also where it was raised."""
        name, text = describe_error(error)
        place = "" if isinstance(error, KoiError) else find_place(error, self.file)
        return name, f"{place}: {text}" if place else text

    async def needs(self, number: int, kind: str, name: str, target: str) -> list[str]:
        """Return the variables that the plugin's constructor asks for."""
        hints = parameters_of(Found(kind, name, target, "")) or {}
        marks = [mark for hint in hints.values() for mark in get_args(hint)[1:]]
        return [mark.variable for mark in marks if isinstance(mark, Env)]

    async def make(
        self, number: int, kind: str, name: str, target: str, text: str | None, config: Config
    ) -> dict[str, Any]:
        """Make and enter the plugin, of the ``text`` of a Python file if there is one; return what it has."""

        def warn(text: str) -> None:
            self.warn(number, str(PluginError(name, "loading", text)))

        context = BuildContext(config, Redactor(), refuse_injection, {}, warn)
        self.config, self.file = config, target if text is not None else ""
        made = resolve(target) if text is None else make_module(name, target, text)
        plugin = await construct(made, kind, name, context)
        if isinstance(plugin, AbstractAsyncContextManager):
            plugin = await plugin.__aenter__()
        self.plugin = plugin
        for secret, origin in context.redactor.held.items():
            self.send("hold", number, secret, origin)
        return {"hooks": self.describe_hooks(name) if kind == "hooks" else [], **self.describe_methods(kind)}

    def describe_hooks(self, name: str) -> list[tuple[str, bool, bool]]:
        """Return the implemented hooks, and whether each is tried first or last."""
        found, errors = find_implementations({name: self.plugin})
        if errors:
            raise errors[0]
        options = [
            (hook, getattr(getattr(self.plugin, hook), "openkoi_impl", {})) for hook, ones in found.items() if ones
        ]
        return [(hook, bool(one.get("tryfirst")), bool(one.get("trylast"))) for hook, one in options]

    def describe_methods(self, kind: str) -> dict[str, Any]:
        """Return the methods and attributes of an evaluator or of what brings tools."""
        methods = [one for one in METHODS.get(kind, ()) if callable(getattr(self.plugin, one, None))]
        attributes = {one: getattr(self.plugin, one) for one in ATTRIBUTES.get(kind, ()) if hasattr(self.plugin, one)}
        return {"methods": methods, "attributes": attributes}

    async def call(self, number: int, name: str, facts: dict[str, Any]) -> Any:
        """Call a hook or method of the plugin with the facts that it takes."""
        function = getattr(self.plugin, name)
        taken = inspect.signature(function).parameters.values()
        takes_all = any(one.kind is one.VAR_KEYWORD for one in taken)
        names = facts if takes_all else [one.name for one in taken if one.name in facts]
        answer = function(**{name: self.usable(facts[name], number) for name in names})
        return await answer if inspect.isawaitable(answer) else answer

    async def function(self, number: int, key: int, arguments: tuple[Any, ...]) -> Any:
        """Call a function that an earlier answer contained, such as a tool."""
        if key not in self.functions.by_number:
            raise KoiError("It has expired, because it was listed too long ago.")
        answer = self.functions.by_number[key](*arguments)
        return await answer if inspect.isawaitable(answer) else answer

    def usable(self, fact: object, number: int) -> object:
        """Return a fact as the plugin gets it."""
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
        """Let OpenKoi carry out a method of the run of a call."""
        waiting: asyncio.Future[Any] = self.loop.create_future()
        key = id(waiting)
        self.asked[key] = waiting
        self.send("ask", number, key, method, arguments, named)
        return await waiting

    def make_function(self, number: int) -> Callable[..., Any]:
        """Return what stands for a function of OpenKoi."""

        async def refuse(*_: object, **__: object) -> Any:
            raise KoiError(UNAVAILABLE.format("A function of another plugin") + " Call tools with run.call.")

        return refuse

    async def close(self, number: int) -> None:
        """Leave the plugin."""
        if isinstance(self.plugin, AbstractAsyncContextManager):
            await self.plugin.__aexit__(None, None, None)


async def refuse_injection(kind: str, name: str) -> object:
    """Refuse another plugin, which is in OpenKoi's process; a parameter with a default keeps it."""
    raise PluginNotFoundError(kind, name)


def read_messages(source: BinaryIO, take: Callable[[bytes], None]) -> None:
    """Pass on every message, and end this process when there are no more: whatever the plugin does then."""
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
    """Keep the standard streams for messages, and serve."""
    source, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    asyncio.run(serve(source, output))


if __name__ == "__main__":
    main()
