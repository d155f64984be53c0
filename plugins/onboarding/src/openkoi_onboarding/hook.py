"""What OpenKoi asks us when no model is configured."""

from collections.abc import Sequence

from openkoi_hookspecs import Discovered, Koi, hookimpl

from .discovery import Machine, discover


@hookimpl
async def find_models(koi: Koi) -> Sequence[Discovered]:
    """Look at this machine."""
    return await discover(koi, Machine())
