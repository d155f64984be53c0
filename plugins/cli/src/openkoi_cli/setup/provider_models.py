"""List the models of an installed provider."""

import asyncio
from collections.abc import Sequence
from typing import cast

from openkoi_hookspecs import Koi, Provider


async def list_models(koi: Koi, name: str, seconds: float) -> Sequence[str]:
    """Return the names of a provider's models; raise KoiError, or TimeoutError after ``seconds``."""
    provider = cast(Provider, await koi.load("providers", name))
    async with asyncio.timeout(seconds):
        models = await provider.models()
    return [model.name for model in models if model.name.isprintable()]
