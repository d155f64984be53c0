"""Messages and documents in other people's apps. Provisional: may change until the second integration has shipped."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Post:
    """Something said in an app's channel."""

    text: str
    _: KW_ONLY
    app: str
    channel: str
    author: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something a person does again and again, with the statistics that say so."""

    title: str
    _: KW_ONLY
    kind: str
    schedule: str = ""
    samples: int = 0
    days: int = 0
    confidence: float = 0.0


class Messenger(Protocol):
    """An app with channels. Group ``openkoi.messengers``."""

    async def send(self, post: Post) -> str:
        """Send it; return its id."""

    async def history(self, channel: str) -> Sequence[Post]:
        """Return a channel's latest posts, newest last."""

    async def search(self, text: str) -> Sequence[Post]:
        """Find posts."""

    def watch(self, channel: str) -> AsyncIterator[Post]:
        """Yield each new post until closed."""
