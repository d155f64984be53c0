"""Ask an installed provider which models it has. Knows the socket; knows no vendor."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import cast

from openkoi_hookspecs import Koi, PluginNotFoundError, Provider


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
