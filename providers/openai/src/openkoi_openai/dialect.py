"""Which dialect is spoken to a server, and the one place that chooses. Knows addresses; sends nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol
from urllib.parse import urlsplit

from openkoi_hookspecs import Chunk, Request
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_wire import Reading, Server

from . import chat, responses
from .chat import Manners

OFFICIAL = "https://api.openai.com/v1"
WITH_FILES = (*IMAGE_TYPES, "application/pdf")  # of the servers that speak Chat Completions only OpenAI's takes files

Api = Literal["auto", "chat", "responses"]
Summary = Literal["", "auto", "concise", "detailed"]


class Answer(Reading[Chunk], Protocol):
    """Makes sense of one answer."""

    def ending(self) -> Sequence[Chunk]:
        """Return what may be acted upon, and Done; raises ProviderUnavailableError when the answer was cut off."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where a request goes, how it is written and how its answer is read."""

    path: str
    write: Callable[[Request], bytes]
    answer: Callable[[Server], Answer]
    media_types: Sequence[str] = IMAGE_TYPES


def chosen(api: Api, base_url: str, manners: Manners, summary: Summary = "") -> Dialect:
    """Choose: ``auto`` is Responses at OpenAI's own host and Chat Completions everywhere else."""
    if api == "responses" or (api == "auto" and official(base_url)):
        return Dialect("/responses", responses.Scribe(summary).write, responses.Answer, WITH_FILES)
    types = WITH_FILES if official(base_url) else IMAGE_TYPES
    return Dialect("/chat/completions", chat.Scribe(manners).write, partial(chat.Answer, manners=manners), types)


def official(base_url: str) -> bool:
    """Whether an address is OpenAI's own, in whatever region."""
    host, own = urlsplit(base_url).hostname or "", urlsplit(OFFICIAL).hostname or ""
    return f".{host}".endswith(f".{own}")
