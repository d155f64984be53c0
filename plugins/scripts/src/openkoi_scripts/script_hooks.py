"""Run a script as a hook plugin: each call goes to an interpreter in a child process."""

from collections.abc import Awaitable, Callable
from typing import Any, Self

from openkoi_base.grants import UNASKED_HOOKS
from openkoi_hookspecs import Koi, PluginError, Run, hookimpl

from .consent import ask_approval, is_approved, make_consent
from .facts import build_answer, encode_facts
from .functions import Function, find_functions, find_misspelled, hook_names
from .host_functions import NAMES, HostFunctions
from .process import ScriptError, ScriptProcesses
from .script_files import ScriptFile

NO_HOOK = "no function is named after a hook, such as before_plan."


class ScriptHooks:
    """Implements the hooks of a script. An approved one is loaded when a run starts, any other when it is called."""

    def __init__(self, script: ScriptFile, koi: Koi, seconds: float) -> None:
        self.script, self.koi, self.consent = script, koi, make_consent(script, koi)
        self.processes = ScriptProcesses(str(script.path), script.text, seconds, NAMES)

    async def __aenter__(self) -> Self:
        path = str(self.script.path)
        try:
            described = await self.processes.describe(load=is_approved(self.script, self.koi))
            functions = find_functions(described, path)
        except ScriptError as error:
            await self.processes.close()
            raise PluginError(self.script.name, "loading", str(error)) from error
        if not functions:
            raise PluginError(self.script.name, "loading", f"{path}: {NO_HOOK}")
        for name, text in find_misspelled(described, path):
            self.koi.warn(str(PluginError(self.script.name, name, text)))
        for one in functions:
            setattr(self, one.hook, hookimpl(self.implement(one)))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.processes.close()

    def implement(self, function: Function) -> Callable[..., Awaitable[Any]]:
        """Return the function that the kernel calls."""
        hook, known = function.hook, hook_names()[function.hook]

        async def call(**facts: Any) -> Any:
            run: Run | None = facts.get("run")
            if not await ask_approval(self.script, self.consent, None if hook in UNASKED_HOOKS else run):
                return None
            taken = {name: facts[name] for name in (known if function.facts is None else function.facts)}
            answer = await self.call(function, encode_facts(taken), self.host(run, hook))
            try:
                return build_answer(answer, hook, facts[known[0]], self.script.name)
            except ScriptError as error:
                raise ScriptError(f"{function.place}: {function.name}: {error}") from None

        return call

    async def call(self, function: Function, facts: str, host: HostFunctions) -> Any:
        """Call a function; an error that shows the line ends with a line break, because more may follow it."""
        try:
            return await self.processes.call(function.name, facts, host)
        except ScriptError as error:
            raise ScriptError(f"{error}\n " if "\n" in str(error) else str(error)) from None

    def host(self, run: Run | None = None, hook: str = "") -> HostFunctions:
        """Return the functions of OpenKoi that a call of the script may use."""
        script, manifest = self.script, str(self.script.path.with_suffix(".toml"))
        return HostFunctions(script.name, manifest, script.capabilities, run.koi if run else self.koi, run, hook)
