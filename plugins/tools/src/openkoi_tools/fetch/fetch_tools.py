"""Provide the tool ``fetch_url`` to each run, all with the same settings."""

from collections.abc import Sequence
from ssl import SSLContext

from openkoi_hookspecs import ConfigError, Run, Tool

from .allowlist import parse_allowlist
from .fetch_url import FetchUrl
from .http_fetcher import HttpFetcher
from .name_resolution import Resolver, resolve_by_system
from .redirects import RedirectFollower


class Fetch:
    """Web pages for a model. Settings: ``[tools.fetch]``.

    ``resolver`` and ``authorities`` are replaced in tests: name resolution, and trusted certificates.
    """

    def __init__(
        self,
        *,
        allow: Sequence[str] = (),
        seconds: float = 20.0,
        max_mb: float = 5.0,
        resolver: Resolver = resolve_by_system,
        authorities: SSLContext | None = None,
    ) -> None:
        if min(seconds, max_mb) <= 0:
            raise ConfigError("[tools.fetch] seconds and max_mb must be above zero.")
        door = HttpFetcher(int(max_mb * 1024**2), authorities)
        self._traveller = RedirectFollower(parse_allowlist(allow), door, resolver, seconds)

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool, with a memory of this run's own."""
        return (self.tool(),)

    def tool(self) -> Tool:
        """Return a tool without cached pages."""
        return FetchUrl(self._traveller).tool()
