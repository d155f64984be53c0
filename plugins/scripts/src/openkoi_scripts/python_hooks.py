"""Run a Python file as a hook plugin once the user has allowed its current content, here or in a process."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from inspect import isawaitable, signature
from typing import Any

from openkoi_base.grants import UNASKED_HOOKS
from openkoi_base.python_file import make_module
from openkoi_hookspecs import HostFile, Koi, PluginError, Run, hookimpl

from .consent import ask_approval, is_approved, make_consent
from .functions import find_misspelled, hook_names
from .process import ScriptError, ScriptProcesses
from .script_files import ScriptFile

DESCRIBE_SECONDS = 5.0  # a Python file may import much (estimate)
MARK = "hookimpl"
NO_HOOK = "no function is both named after a hook, such as before_plan, and marked with @hookimpl."


class PythonHooks:
    """Enters as the module itself if the user allows it; otherwise implements its hooks, and asks at the first call.

    With a ``host``, the module is in a separate process, which is started with the approved text.
    """

    def __init__(self, script: ScriptFile, koi: Koi, host: HostFile | None = None) -> None:
        self.script, self.koi, self.host, self.consent = script, koi, host, make_consent(script, koi)
        self.module: object = None
        self.loading, self.process = asyncio.Lock(), AsyncExitStack()

    async def __aenter__(self) -> object:
        if is_approved(self.script, self.koi):
            return await self.load()
        path = str(self.script.path)
        try:
            described = await ScriptProcesses(path, self.script.text, DESCRIBE_SECONDS).describe(load=False)
        except ScriptError as error:
            raise PluginError(self.script.name, "loading", str(error)) from error
        marked = [one["name"] for one in described if one["name"] in hook_names() and MARK in one["marks"]]
        if not marked:
            raise PluginError(self.script.name, "loading", f"{path}: {NO_HOOK}")
        for name in marked:
            setattr(self, name, hookimpl(self.implement(name)))
        for name, text in find_misspelled(described, path):
            self.koi.warn(str(PluginError(self.script.name, name, text)))
        return self

    async def __aexit__(self, *error: object) -> None:
        self.module = None
        await self.process.aclose()

    async def load(self) -> object:
        """Return the module, created once from the text that the user approved."""
        async with self.loading:
            if self.module is None:
                self.module = await self.make()
        return self.module

    async def make(self) -> object:
        """Create the module, or a stand-in if it is in another process."""
        name, path, text = self.script.name, str(self.script.path), self.script.text
        if self.host is None:
            return make_module(name, path, text)
        return await self.process.enter_async_context(self.host(path, text))

    def implement(self, hook: str) -> Callable[..., Awaitable[Any]]:
        """Return an implementation that asks first."""

        async def call(**facts: Any) -> Any:
            run: Run | None = None if hook in UNASKED_HOOKS else facts.get("run")
            if not await ask_approval(self.script, self.consent, run):
                return None
            function: Any = getattr(await self.load(), hook)
            answer = function(**select(function, facts))
            return await answer if isawaitable(answer) else answer

        return call


def select(function: Callable[..., object], facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts that a function takes."""
    taken = signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        return facts
    if unknown := [one.name for one in taken if one.name not in facts and one.default is one.empty]:
        raise ScriptError(f"{function.__name__} has the unknown parameter {unknown[0]!r}. Use {', '.join(facts)}.")
    return {one.name: facts[one.name] for one in taken if one.name in facts}
