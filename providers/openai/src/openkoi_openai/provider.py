"""OpenAI, and any server of one's own that speaks like it. Knows the configuration; the formats are its neighbours'."""

from dataclasses import replace
from typing import Annotated, Literal

from openkoi_hookspecs import Env, NoProviderError
from openkoi_wire import Bounds, Cassette, Wire, replays

from .catalogue import Defaults
from .chat import Manners
from .compatible import Compatible
from .dialect import OFFICIAL, Api, Summary, chosen, official

OWN = Manners(limit_key="max_completion_tokens", warm_thinkers=False)
OTHERS = Manners()


class OpenAI(Compatible):
    """Configured by ``[providers.openai]`` and by two variables; a server of one's own may need no key.

    ``api`` is what is spoken: by default Responses at OpenAI itself and Chat Completions elsewhere. ``summary`` is how
    much of its thoughts a model shows there. ``limit_key`` is how a server calls the longest answer: by default
    ``max_completion_tokens`` at OpenAI itself and ``max_tokens`` elsewhere. One that refuses ``stream_options`` is not
    sent them. ``context`` and ``output`` hold for models of which the server does not say.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("OPENAI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("OPENAI_BASE_URL")] = OFFICIAL,
        api: Api = "auto",
        summary: Summary = "",
        idle_seconds: float = 60.0,
        context: int = 128_000,
        output: int = 16_384,
        limit_key: Literal["", "max_tokens", "max_completion_tokens"] = "",
        stream_options: bool = True,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        headers = authorization(api_key, base_url, cassette)
        bounds = Bounds(idle=idle_seconds)
        wire = Wire(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        manners = manners_at(base_url)
        manners = replace(manners, limit_key=limit_key or manners.limit_key, stream_options=stream_options)
        free = wire.server.local and not headers
        super().__init__(wire, chosen(api, base_url, manners, summary), Defaults(context, output, free=free))


def authorization(api_key: str, base_url: str, cassette: str) -> dict[str, str]:
    """Show the key, where there is one; OpenAI's own server answers nobody without."""
    key = api_key.strip()
    if not key and base_url == OFFICIAL and not replays(cassette):
        raise NoProviderError("OpenAI needs a key. Set OPENAI_API_KEY, or OPENAI_BASE_URL to use another server.")
    return {"Authorization": f"Bearer {key}"} if key else {}


def manners_at(base_url: str) -> Manners:
    """Tell how Chat Completions are spoken at an address: most know only names that OpenAI has given up."""
    return OWN if official(base_url) else OTHERS
