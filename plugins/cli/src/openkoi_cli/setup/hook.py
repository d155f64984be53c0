"""Find models when none is configured. Loaded in every run, so other modules are imported when needed."""

from collections.abc import Sequence

from openkoi_hookspecs import DiscoveredProvider, Koi, hookimpl


@hookimpl
async def find_models(koi: Koi) -> Sequence[DiscoveredProvider]:
    """Search this machine; if nothing is usable without consent, warn about failed sources."""
    from .discovery import LocalMachine, discover

    troubles: list[str] = []
    found = await discover(koi, LocalMachine(), troubles.append)
    if all(way.consent for way in found):
        for trouble in troubles:
            koi.warn(trouble)
    return found
