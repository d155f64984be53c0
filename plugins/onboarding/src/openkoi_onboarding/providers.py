"""Ask an installed provider which models it has. Knows the socket; knows no vendor."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Protocol, cast, runtime_checkable

from openkoi_hookspecs import DiscoveredProvider, Koi, PluginNotFoundError, Provider


@runtime_checkable
class Lender(Protocol):
    """A Koi that can build a provider with a key that is not saved."""

    def lend_key(self, found: DiscoveredProvider) -> None:
        """Let the provider be built with this key from now on."""


@runtime_checkable
class Warner(Protocol):
    """A Koi that can say something to a person when there is an occasion."""

    def warn_once(self, text: str) -> None:
        """Keep a warning for whoever speaks to the person next."""


class Settings(Protocol):
    """What is configured."""

    def get(self, key: str, kind: type[str], default: str) -> str:
        """The value of a dotted key; raises ConfigError when it is of another kind."""


class Names(Protocol):
    """What models are called."""

    async def full(self, name: str) -> str:
        """``provider/model`` for a short name; raises ConfigError for one that is not known."""


@runtime_checkable
class Configured(Protocol):
    """A Koi that tells what is configured."""

    @property
    def config(self) -> Settings:
        """What is configured."""

    @property
    def router(self) -> Names:
        """Which models there are to choose from."""


async def models_of(koi: Koi, name: str, seconds: float) -> Sequence[str]:
    """The names of a provider's models; raises a KoiError, or TimeoutError when it takes longer than that."""
    provider = built(koi, name)
    async with AsyncExitStack() as stack:
        if isinstance(provider, AbstractAsyncContextManager):
            await stack.enter_async_context(provider)
        async with asyncio.timeout(seconds):
            models = await provider.models()
    return [model.name for model in models if model.name.isprintable()]


def built(koi: Koi, name: str) -> Provider:
    """The provider of this name, as it is configured now."""
    entries = {entry.name: entry for entry in koi.plugins("providers")}
    if name not in entries:
        raise PluginNotFoundError("providers", name, tuple(entries))
    return cast(Provider, entries[name].load())
