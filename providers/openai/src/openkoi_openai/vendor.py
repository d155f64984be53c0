"""Build a provider for a vendor with an OpenAI-compatible server, over Chat Completions."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated

from openkoi_hookspecs import Env, NoProviderError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ApiClient, Cassette, ResponseLimits, is_replay

from .api_choice import choose_api
from .chat import ServerQuirks
from .compatible import Compatible
from .model_list import OpenAIDefaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """A vendor's URL, quirks and environment variables.

    ``vendor_key`` is the variable of the key when it is not ``VARIABLE_API_KEY``. ``author`` is the prefix of the
    vendor's own
    models. Without a ``base_url``, the user names the server, with or without a key.
    """

    name: str
    variable: str
    base_url: str = ""
    vendor_key: str = ""
    author: str = ""
    quirks: ServerQuirks = field(default_factory=ServerQuirks)
    headers: Mapping[str, str] = field(default_factory=dict)
    context: int = 128_000
    output: int = 16_384

    @property
    def default_key_variable(self) -> str:
        """Name of the key's variable by our convention."""
        return f"{self.variable}_API_KEY"

    @property
    def key_variable(self) -> str:
        """Name of the key's variable by the vendor's convention."""
        return self.vendor_key or self.default_key_variable

    @property
    def url_variable(self) -> str:
        """Name of the base URL's variable."""
        return f"{self.variable}_BASE_URL"

    def missing_setting(self, base_url: str, keyed: bool) -> str:
        """Return an error for the missing setting, or an empty string."""
        if not base_url:
            return f"{self.name} needs a server. Set {self.url_variable}, for example to http://localhost:8080/v1."
        if not keyed and base_url == self.base_url:
            return f"{self.name} needs a key. Set {self.key_variable}, or {self.url_variable} to use another server."
        return ""


def make_provider(vendor: Vendor) -> Callable[..., Compatible]:
    """Return a provider's constructor, whose parameters are its settings."""

    def open_provider(
        *,
        api_key: Annotated[
            str, Env(vendor.key_variable, secret=True), Env(vendor.default_key_variable, secret=True)
        ] = "",
        base_url: Annotated[str, Env(vendor.url_variable)] = vendor.base_url,
        idle_seconds: float = 60.0,
        context: int = vendor.context,
        output: int = vendor.output,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> Compatible:
        """Open a vendor's provider."""
        key = api_key.strip()
        if missing := vendor.missing_setting(base_url, bool(key) or is_replay(cassette)):
            raise NoProviderError(missing)
        headers = {**vendor.headers, **({"Authorization": f"Bearer {key}"} if key else {})}
        bounds = ResponseLimits(idle_seconds=idle_seconds)
        wire = ApiClient(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        defaults = OpenAIDefaults(context, output, free=wire.server.is_local and not key)
        return Compatible(wire, choose_api("chat", base_url, vendor.quirks), defaults, vendor.author)

    return open_provider
