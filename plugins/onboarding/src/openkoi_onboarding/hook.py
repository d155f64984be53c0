"""What OpenKoi asks us when no model is configured. Loaded in every run, so that all else is imported when asked."""

from collections.abc import Sequence

from openkoi_hookspecs import Discovered, Koi, hookimpl


@hookimpl
async def find_models(koi: Koi) -> Sequence[Discovered]:
    """Look at this machine."""
    from .discovery import Machine, discover

    return await discover(koi, Machine())
