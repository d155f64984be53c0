"""One Python file as a plugin of hooks: it runs in this process, once the user has allowed the file as it is."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, signature
from traceback import walk_tb
from types import ModuleType
from typing import Any

from openkoi_base.grants import UNASKED_HOOKS
from openkoi_base.isolation import format_error
from openkoi_hookspecs import Koi, PluginError, Run, hookimpl

from .consent import ask_approval, is_approved, make_consent
from .functions import find_misspelled, hook_names
from .process import ScriptError, ScriptProcesses
from .script_files import ScriptFile

DESCRIBE_SECONDS = 5.0  # a Python file may import much (estimate)
MARK = "hookimpl"
NO_HOOK = "no function is both named after a hook, such as before_plan, and marked with @hookimpl."


class PythonHooks:
    """Enters as the module itself where the user allows it; else implements its hooks, and asks at the first call."""

    def __init__(self, script: ScriptFile, koi: Koi) -> None:
        self.script, self.koi, self.consent = script, koi, make_consent(script, koi)
        self.module: ModuleType | None = None

    async def __aenter__(self) -> object:
        if is_approved(self.script, self.koi):
            return self.load()
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

    def load(self) -> ModuleType:
        """Return the module, made of the text that the user allowed."""
        if self.module is None:
            module = ModuleType(f"script_{self.script.name.replace('-', '_')}")
            module.__file__ = str(self.script.path)
            try:
                exec(compile(self.script.text, str(self.script.path), "exec"), vars(module))  # consent is given
            except Exception as error:
                raise PluginError(self.script.name, "loading", self.explain(error)) from error
            self.module = module
        return self.module

    def explain(self, error: Exception) -> str:
        """Return where the file failed, and how."""
        path = str(self.script.path)
        lines = [frame.f_lineno for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
        line = error.lineno if isinstance(error, SyntaxError) else next(iter(lines), None)
        return f"{path}:{line}: {format_error(error)}" if line else f"{path}: {format_error(error)}"

    def implement(self, hook: str) -> Callable[..., Awaitable[Any]]:
        """Return an implementation that asks first."""

        async def call(**facts: Any) -> Any:
            run: Run | None = None if hook in UNASKED_HOOKS else facts.get("run")
            if not await ask_approval(self.script, self.consent, run):
                return None
            function: Any = getattr(self.load(), hook)
            answer = function(**select(function, facts))
            return await answer if isawaitable(answer) else answer

        return call


def select(function: Callable[..., object], facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the facts that a function takes."""
    taken = signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        return facts
    if unknown := [one.name for one in taken if one.name not in facts and one.default is one.empty]:
        raise ScriptError(f"{function.__name__} cannot take {unknown[0]!r}. It may take {', '.join(facts)}.")
    return {one.name: facts[one.name] for one in taken if one.name in facts}
