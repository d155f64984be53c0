"""The hooks of a plugin: an implementation of each that its manifest names, whatever facts the hook has."""

from collections.abc import Awaitable, Callable
from typing import Any

from openkoi_base.grants import HOOK_SECONDS, UNASKED_HOOKS
from openkoi_base.plain_facts import answer_from_plain, first_fact, to_plain
from openkoi_hookspecs import Run, hookimpl

from .plugin import Adapter, WasmPlugin
from .run_fields import run_fields

NOT_SENT = frozenset({"run", "koi"})


class WasmHooks(Adapter):
    """Has a method for each hook of a plugin."""

    def __init__(self, plugin: WasmPlugin) -> None:
        super().__init__(plugin)
        for name in plugin.manifest.hooks:
            setattr(self, name, hookimpl(self.implement(name)))

    def implement(self, hook: str) -> Callable[..., Awaitable[Any]]:
        """Return an implementation that takes all facts."""

        async def call(**facts: Any) -> Any:
            run: Run | None = facts.get("run")
            if not await self.is_allowed(hook, run):
                return None
            sent = {name: to_plain(value) for name, value in facts.items() if name not in NOT_SENT}
            seen = {"run": run_fields(run)} if run else {}
            found = await self.plugin.call("hook", {"hook": hook, "facts": sent, **seen}, run)
            return answer_from_plain(found, hook, facts[first_fact(hook)])

        return call

    async def is_allowed(self, hook: str, run: Run | None) -> bool:
        """Whether the plugin is approved; the user is asked within a run."""
        if run is None or hook in UNASKED_HOOKS:
            return self.plugin.consent.is_given
        return await self.plugin.consent.ask(run, seconds=HOOK_SECONDS)
