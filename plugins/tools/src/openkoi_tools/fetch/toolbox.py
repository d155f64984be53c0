"""The toolbox: one tool for each run, all with the same settings."""

from collections.abc import Sequence
from ssl import SSLContext

from openkoi_hookspecs import ConfigError, Run, Tool

from .allowed import parse_allowlist
from .door import Door
from .fetch_url import FetchUrl
from .journey import Traveller
from .resolving import Resolver, system


class Fetch:
    """Pages of the web for a model. Settings: ``[tools.fetch]``.

    ``resolver`` and ``authorities`` are seams for tests: who looks names up, and who vouches for servers.
    """

    def __init__(
        self,
        *,
        allow: Sequence[str] = (),
        seconds: float = 20.0,
        max_mb: float = 5.0,
        resolver: Resolver = system,
        authorities: SSLContext | None = None,
    ) -> None:
        if min(seconds, max_mb) <= 0:
            raise ConfigError("[tools.fetch] seconds and max_mb must be above zero.")
        door = Door(int(max_mb * 1024**2), authorities)
        self._traveller = Traveller(parse_allowlist(allow), door, resolver, seconds)

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool, with a memory of this run's own."""
        return (self.tool(),)

    def tool(self) -> Tool:
        """A tool that has fetched nothing yet."""
        return FetchUrl(self._traveller).tool()
