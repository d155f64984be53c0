"""A provider made of what is particular about a vendor's server of Chat Completions. Knows no vendor by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from openkoi_hookspecs import Env, NoProviderError
from openkoi_wire import Bounds, Cassette, Wire, replays

from .catalogue import Defaults
from .chat import Manners
from .compatible import Compatible
from .dialect import chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A vendor: its address, its manners, and what its variables begin with.

    ``vendor_key`` is the variable of a key that the vendor gave another name. ``author`` begins the names of the
    vendor's own models, where names begin with an author. Without a ``base_url`` it is whatever server a person
    names, with a key or without.
    """

    name: str
    variable: str
    base_url: str = ""
    vendor_key: str = ""
    author: str = ""
    manners: Manners = field(default_factory=Manners)
    headers: Mapping[str, str] = field(default_factory=dict)
    context: int = 128_000
    output: int = 16_384

    @property
    def own_key(self) -> str:
        """The variable of the key, by our rule."""
        return f"{self.variable}_API_KEY"

    @property
    def key(self) -> str:
        """The variable of the key, as the vendor names it."""
        return self.vendor_key or self.own_key

    @property
    def url(self) -> str:
        """The variable of another address."""
        return f"{self.variable}_BASE_URL"

    def needs(self, base_url: str, keyed: bool) -> str:
        """Say what is missing, or nothing."""
        if not base_url:
            return f"{self.name} needs the address of its server. Set {self.url}, for one as http://localhost:8080/v1."
        if not keyed and base_url == self.base_url:
            return f"{self.name} needs a key. Set {self.key}, or {self.url} to use another server."
        return ""


def endpoint(at: Endpoint) -> Callable[..., Compatible]:
    """Make the constructor of a provider: its parameters are the configuration."""

    def opened(
        *,
        api_key: Annotated[str, Env(at.key, secret=True), Env(at.own_key, secret=True)] = "",
        base_url: Annotated[str, Env(at.url)] = at.base_url,
        idle_seconds: float = 60.0,
        context: int = at.context,
        output: int = at.output,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> Compatible:
        """Open a vendor's models."""
        key = api_key.strip()
        if missing := at.needs(base_url, bool(key) or replays(cassette)):
            raise NoProviderError(missing)
        headers = {**at.headers, **({"Authorization": f"Bearer {key}"} if key else {})}
        bounds = Bounds(idle=idle_seconds)
        wire = Wire(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        defaults = Defaults(context, output, free=wire.server.local and not key)
        return Compatible(wire, chosen("chat", base_url, at.manners), defaults, at.author)

    return opened
