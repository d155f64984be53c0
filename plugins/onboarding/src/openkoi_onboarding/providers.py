"""Ask an installed provider which models it has. Knows the socket; knows no vendor."""

import asyncio
from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

from openkoi_hookspecs import Koi, Provider


class Names(Protocol):
    """What models are called."""

    async def full(self, name: str) -> str:
        """``provider/model`` for a short name; raises ConfigError for one that is not known."""


class Services(Protocol):
    """What runs share."""

    @property
    def router(self) -> Names:
        """The models there are to choose from."""


@runtime_checkable
class Configured(Protocol):
    """A Koi that knows the models there are."""

    @property
    def services(self) -> Services:
        """What runs share."""


async def models_of(koi: Koi, name: str, seconds: float) -> Sequence[str]:
    """The names of a provider's models; raises a KoiError, or TimeoutError when it takes longer than that."""
    provider = cast(Provider, await koi.load("providers", name))
    async with asyncio.timeout(seconds):
        models = await provider.models()
    return [model.name for model in models if model.name.isprintable()]
