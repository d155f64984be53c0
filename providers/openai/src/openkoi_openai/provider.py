"""The OpenAI provider, for OpenAI and compatible servers."""

from dataclasses import replace
from typing import Annotated, Literal

from openkoi_hookspecs import Env, NoProviderError
from openkoi_http import ApiClient, Cassette, ResponseLimits, is_replay

from .api_choice import OFFICIAL_URL, Api, Summary, choose_api, is_official
from .chat import ServerQuirks
from .compatible import Compatible
from .model_list import OpenAIDefaults

OPENAI_QUIRKS = ServerQuirks(limit_key="max_completion_tokens", reasoning_temperature=False)
DEFAULT_QUIRKS = ServerQuirks()


class OpenAI(Compatible):
    """A provider configured by ``[providers.openai]`` and two variables; a custom server may need no key.

    ``api`` is Responses at OpenAI and Chat Completions elsewhere by default. ``summary`` requests summaries of
    reasoning.
    ``limit_key`` is the name of the response limit, by default ``max_completion_tokens`` at OpenAI and ``max_tokens``
    elsewhere. Disable ``stream_options`` for a server that rejects them. ``context`` and ``output`` apply to models
    whose
    limits the server does not list.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("OPENAI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("OPENAI_BASE_URL")] = OFFICIAL_URL,
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
        headers = auth_headers(api_key, base_url, cassette)
        bounds = ResponseLimits(idle_seconds=idle_seconds)
        wire = ApiClient(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        manners = quirks_of(base_url)
        manners = replace(manners, limit_key=limit_key or manners.limit_key, stream_options=stream_options)
        free = wire.server.is_local and not headers
        super().__init__(wire, choose_api(api, base_url, manners, summary), OpenAIDefaults(context, output, free=free))


def auth_headers(api_key: str, base_url: str, cassette: str) -> dict[str, str]:
    """Return the header for a key; OpenAI's own server requires one."""
    key = api_key.strip()
    if not key and base_url == OFFICIAL_URL and not is_replay(cassette):
        raise NoProviderError("OpenAI needs a key. Set OPENAI_API_KEY, or OPENAI_BASE_URL to use another server.")
    return {"Authorization": f"Bearer {key}"} if key else {}


def quirks_of(base_url: str) -> ServerQuirks:
    """Return the quirks of a server; most compatible ones only know parameters that OpenAI has deprecated."""
    return OPENAI_QUIRKS if is_official(base_url) else DEFAULT_QUIRKS
