"""Ask an installed provider which models it has. Knows the socket; knows no vendor."""

import asyncio
from collections.abc import Sequence
from typing import cast

from openkoi_hookspecs import Koi, Provider


async def models_of(koi: Koi, name: str, seconds: float) -> Sequence[str]:
    """The names of a provider's models; raises a KoiError, or TimeoutError when it takes longer than that."""
    provider = cast(Provider, await koi.load("providers", name))
    async with asyncio.timeout(seconds):
        models = await provider.models()
    return [model.name for model in models if model.name.isprintable()]
