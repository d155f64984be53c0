"""Ask the plugins. pluggy marks, validates and orders; the calls, typed, isolated and attributed, are made here."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Concatenate, ParamSpec, TypeVar

from pluggy import HookImpl, PluginManager

from openkoi_hookspecs import Answer, Event, PluginFault, moments

T = TypeVar("T")
P = ParamSpec("P")


class Hooks:
    def __init__(self, plugins: Mapping[str, object], report: Callable[[PluginFault], None]) -> None:
        self.report = report
        self.pm = PluginManager("openkoi")
        self.pm.add_hookspecs(moments)
        for name, plugin in plugins.items():
            self.pm.register(plugin, name)
        self.pm.check_pending()

    async def gather(self, moment: Callable[P, Answer[T]], /, *args: P.args, **facts: P.kwargs) -> list[tuple[str, T]]:
        said = [(impl.plugin_name, await self.consult(impl, moment.__name__, facts)) for impl in self.impls(moment)]
        return [(plugin, answer) for plugin, answer in said if answer is not None]

    async def fold(
        self, moment: Callable[Concatenate[T, P], Answer[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        first = next(iter(inspect.signature(moment).parameters))
        for impl in self.impls(moment):
            answer = await self.consult(impl, moment.__name__, {**facts, first: value})
            if isinstance(answer, type(value)):
                value = answer
            elif answer is not None:
                self.report(PluginFault(impl.plugin_name, moment.__name__, f"answered a {type(answer).__name__}"))
        return value

    async def tell(self, event: Event) -> None:
        for impl in self.impls(moments.on_event):
            await self.consult(impl, "on_event", {"event": event, "run": self})

    def impls(self, moment: Callable[..., object]) -> list[HookImpl]:
        return list(reversed(self.pm.hook.__getattribute__(moment.__name__).get_hookimpls()))

    async def consult(self, impl: HookImpl, moment: str, facts: Mapping[str, Any]) -> Any:
        try:
            answer = impl.function(**{name: facts[name] for name in named(impl.function, tuple(facts))})
            return await answer if isinstance(answer, Awaitable) else answer
        except Exception as error:
            self.report(PluginFault(impl.plugin_name, moment, error))
            return None


@cache
def named(function: Callable[..., object], facts: tuple[str, ...]) -> tuple[str, ...]:
    """The facts an implementation asks for: all of them if it takes ``**facts``, which pluggy would hand nothing."""
    parameters = inspect.signature(function).parameters.values()
    return facts if any(p.kind is p.VAR_KEYWORD for p in parameters) else tuple(p.name for p in parameters)
