"""Choose the API of a server: Responses or Chat Completions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, Protocol
from urllib.parse import urlsplit

from openkoi_hookspecs import Chunk, Request
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ResponseReader, Server

from . import chat, responses
from .chat import ServerQuirks

OFFICIAL_URL = "https://api.openai.com/v1"
WITH_FILES = (*IMAGE_TYPES, "application/pdf")  # of the servers that speak Chat Completions only OpenAI's takes files

Api = Literal["auto", "chat", "responses"]
Summary = Literal["", "auto", "concise", "detailed"]


class OpenAIResponseParser(ResponseReader[Chunk], Protocol):
    """A parser for one response."""

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""


@dataclass(frozen=True, slots=True)
class ApiFormat:
    """The path of an API, and how its requests are built and its responses parsed."""

    path: str
    build: Callable[[Request], bytes]
    make_parser: Callable[[Server], OpenAIResponseParser]
    media_types: Sequence[str] = IMAGE_TYPES


def choose_api(api: Api, base_url: str, quirks: ServerQuirks, summary: Summary = "") -> ApiFormat:
    """Return the API to use; ``auto`` is Responses at OpenAI and Chat Completions elsewhere."""
    if api == "responses" or (api == "auto" and is_official(base_url)):
        return ApiFormat(
            "/responses", responses.ResponsesRequestBuilder(summary).build, responses.ResponsesParser, WITH_FILES
        )
    types = WITH_FILES if is_official(base_url) else IMAGE_TYPES
    return ApiFormat(
        "/chat/completions",
        chat.ChatRequestBuilder(quirks).build,
        partial(chat.ChatResponseParser, manners=quirks),
        types,
    )


def is_official(base_url: str) -> bool:
    """Return whether a URL is OpenAI's, in any region."""
    host, own = urlsplit(base_url).hostname or "", urlsplit(OFFICIAL_URL).hostname or ""
    return f".{host}".endswith(f".{own}")
