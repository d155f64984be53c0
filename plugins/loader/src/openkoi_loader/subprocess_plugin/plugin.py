"""Stand in for a plugin that runs in a separate process, with the hooks, methods and attributes of its kind."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from openkoi_base.isolation import format_error
from openkoi_hookspecs import ConfigError, NoProviderError, PluginError, Run, Tool, hookimpl

from ..plugin_discovery import Found
from ..plugin_factory import BuildContext
from .members import Form, Member, explain_refusal, members_of
from .process import PluginProcess


class SubprocessPlugin:
    """Has the hooks, methods and attributes of the plugin in the other process."""

    def __init__(self, found: Found, context: BuildContext, text: str | None = None) -> None:
        self.process = PluginProcess(found, context, text, self.take_values)

    async def __aenter__(self) -> Self:
        try:
            described = await self.process.start()
        except BaseException as error:
            await self.process.close()
            if isinstance(error, Exception) and not isinstance(error, (ConfigError, NoProviderError, PluginError)):
                raise PluginError(self.process.found.name, "loading", format_error(error)) from error
            raise
        for hook, first, last in described["hooks"]:
            setattr(self, hook, hookimpl(self.implement(hook), tryfirst=first, trylast=last))
        members = members_of(self.process.found.kind)
        for name in described["methods"]:
            setattr(self, name, self.make_proxy(members[name]))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.process.close()

    def take_values(self, values: Mapping[str, Any]) -> None:
        """Copy the attributes of the plugin."""
        members = members_of(self.process.found.kind)
        for name, value in values.items():
            if members[name].form is Form.VALUE:
                setattr(self, name, value)

    def implement(self, hook: str) -> Callable[..., Awaitable[Any]]:
        """Return an implementation of a hook."""

        async def call(**facts: Any) -> Any:
            return await self.process.hook(hook, facts)

        return call

    def make_proxy(self, member: Member) -> Callable[..., Any]:
        """Return a function that calls a method in the other process."""
        if member.form is Form.STREAM:
            return partial(self.stream, member)
        return self.list_tools if member.name == "tools" else partial(self.call, member)

    def stream(self, member: Member, *arguments: Any, **named: Any) -> AsyncIterator[Any]:
        """Yield the items of a method in the other process."""
        return self.process.stream(member.name, arguments, named)

    async def call(self, member: Member, *arguments: Any, **named: Any) -> Any:
        """Call a method in the other process."""
        return await self.process.call(member.name, arguments, named, run=member.bind_run(arguments, named))

    async def list_tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools; guards ask the process which paths a call would write."""
        tools = await self.process.call("tools", (run,), {}, run=run)
        return [replace(one, written_paths=None) for one in tools]


def make_subprocess_plugin(found: Found, context: BuildContext, text: str | None = None) -> SubprocessPlugin:
    """Return a stand-in for a plugin; raise ConfigError for a kind that cannot run in another process.

    With ``text``, the plugin is one Python file, whose path is the target.
    """
    if reason := explain_refusal(found.kind, found.name):
        raise ConfigError(reason)
    return SubprocessPlugin(found, context, text)
