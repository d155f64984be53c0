"""Stand for a plugin that runs in a process of its own: hooks, evaluators and what brings tools."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from openkoi_base.isolation import format_error
from openkoi_hookspecs import ConfigError, KoiError, NoProviderError, PluginError, Run, Tool, hookimpl

from ..plugin_discovery import Found
from ..plugin_factory import BuildContext
from .process import PluginProcess

KINDS = ("hooks", "evaluators", "tools")
NOT_SUPPORTED = (
    "[{0}.{1}] subprocess = true is not supported: only {2} can run in a process of their own. Remove the setting."
)


class SubprocessPlugin:
    """Has the hooks, methods and attributes of the plugin in the other process."""

    def __init__(self, found: Found, context: BuildContext, text: str | None = None) -> None:
        self.process = PluginProcess(found, context, text)

    async def __aenter__(self) -> Self:
        try:
            described = await self.process.start()
        except BaseException as error:
            await self.process.close()
            if isinstance(error, KoiError) and not isinstance(error, (ConfigError, NoProviderError, PluginError)):
                raise PluginError(self.process.found.name, "loading", format_error(error)) from error
            raise
        for hook, first, last in described["hooks"]:
            setattr(self, hook, hookimpl(self.implement(hook), tryfirst=first, trylast=last))
        for method in described["methods"]:
            setattr(self, method, self.list_tools if method == "tools" else partial(self.evaluate, method))
        for name, value in described["attributes"].items():
            setattr(self, name, value)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.process.close()

    def implement(self, hook: str) -> Callable[..., Awaitable[Any]]:
        """Return an implementation of a hook."""

        async def call(**facts: Any) -> Any:
            return await self.process.call(hook, facts)

        return call

    async def evaluate(self, method: str, *facts: Any) -> Any:
        """Call a method of an evaluator: ``evaluate`` takes the work and the run, ``baseline`` the run."""
        return await self.process.call(method, dict(zip(("work", "run")[-len(facts) :], facts, strict=True)))

    async def list_tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools; guards ask about the paths that a call would write, which only the process knows."""
        tools = await self.process.call("tools", {"run": run})
        return [replace(one, written_paths=None) for one in tools]


def make_subprocess_plugin(found: Found, context: BuildContext, text: str | None = None) -> SubprocessPlugin:
    """Return what stands for a plugin; raise ConfigError for a kind that cannot run in another process.

    With ``text`` it is the plugin of one Python file, whose path is the target.
    """
    if found.kind not in KINDS:
        raise ConfigError(NOT_SUPPORTED.format(found.kind, found.name, ", ".join(KINDS[:-1]) + f" and {KINDS[-1]}"))
    return SubprocessPlugin(found, context, text)
