"""Apps of other services: their posts, their documents, and the protocols that their plugins implement.

An app is a plugin of the kind ``integrations``, one account of one service. It implements ``Messenger``, ``Documents``
or both, and the ``Supports...`` protocols that the service supports. It is a transport: it does not keep a journal,
manage sessions or decide who may give commands. Provisional: may change until two apps have shipped.

Calls raise AppUnavailableError if they may work later, SignInRequiredError if the user must sign in, and
AppRejectedError if the service rejects the request.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .lazy_dataclass import dataclass
from .posts import Attachment as Attachment
from .posts import Choice as Choice
from .posts import Post as Post
from .posts import PostKind as PostKind
from .posts import Sender as Sender
from .posts import SenderKind as SenderKind

if TYPE_CHECKING:
    from .run import Koi


@dataclass(frozen=True, slots=True)
class Delivery:
    """A post that arrived, and the cursor to watch from after it. Without a post only the cursor has moved."""

    cursor: str
    post: Post | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The limits and options for posts of an app.

    ``max_text`` is the longest text, measured by ``length``, since some services count bytes or UTF-16. ``formats`` are
    those of texts that it accepts, best first. ``max_choices`` is the number of buttons in one post, ``max_file`` the
    bytes of an attachment; zero means none. ``edit_gap`` is the number of seconds to leave between two edits of a post.
    ``idempotent``: sending a post again with the same key does not duplicate it.
    """

    max_text: int = 4_000
    length: Callable[[str], int] = len
    formats: tuple[str, ...] = ("plain",)
    threads: bool = False
    max_choices: int = 0
    max_file: int = 0
    edit_gap: float = 1.5
    idempotent: bool = False


@runtime_checkable
class Messenger(Protocol):
    """An app in which users exchange messages. Group ``openkoi.integrations``."""

    @property
    def capabilities(self) -> Capabilities:
        """The limits and options for its posts."""

    def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Yield what arrives in the configured channels, in order, until it is closed.

        It starts after the ``cursor``, with what was posted while it was not watching; a service may lose presses and
        reactions of that time. Without a cursor it starts at the present, and first yields the current cursor. A post
        may be yielded twice: compare its identity. Yielding the same cursor again without a post means that the app is
        connected. This account's own posts are yielded with SELF, or not at all. It reconnects by itself, and raises if
        it cannot: watch again from the last cursor.
        """

    async def send(self, post: Post) -> str:
        """Send a post; return its id. Use ``koi.send``, which asks the plugins first and masks secrets."""


@runtime_checkable
class SupportsCommit(Protocol):
    """A messenger whose service redelivers what is not acknowledged in time."""

    async def commit(self, cursor: str) -> None:
        """Acknowledge all deliveries up to this cursor. Called once they are journaled, at most a second after."""


@runtime_checkable
class SupportsEdit(Protocol):
    """A messenger that can change and delete its own posts."""

    async def edit(self, post: Post) -> str:
        """Replace the post with this id; return its id from now on."""

    async def delete(self, channel: str, id: str) -> None:
        """Delete a post."""


@runtime_checkable
class SupportsReactions(Protocol):
    """A messenger with reactions, each an emoji."""

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """React to a post."""

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Remove a reaction of this account."""


@runtime_checkable
class SupportsHistory(Protocol):
    """A messenger that can read earlier posts."""

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last posts of a channel, or of a thread with the post that it began with, oldest first."""


@runtime_checkable
class SupportsPostSearch(Protocol):
    """A messenger that can search posts."""

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Find posts, best first."""


@runtime_checkable
class SupportsDownload(Protocol):
    """A messenger that can download attachments."""

    def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""


@runtime_checkable
class SupportsConnect(Protocol):
    """An app that a program can let the user sign in to. Its constructor works without a token."""

    async def connect(self, koi: "Koi") -> str:
        """Ask the user for credentials, test them with a call, and save them; return the account that is signed in."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document, as Markdown. ``revision`` changes with every edit; ``at`` is when that was, in UTC."""

    text: str
    _: KW_ONLY
    id: str = ""
    title: str = ""
    folder: str = ""
    revision: str = ""
    at: str = ""
    url: str = ""


@runtime_checkable
class Documents(Protocol):
    """An app with documents. Group ``openkoi.integrations``."""

    async def read_document(self, id: str) -> Document:
        """Read a document."""

    async def write_document(self, document: Document) -> Document:
        """Create a document that has no id, or replace the one with this id; return it with its new revision.

        Raise DocumentConflictError, and write nothing, unless the document still has this revision.
        """

    async def list_documents(self, folder: str = "", *, since: str = "") -> Sequence[Document]:
        """List the documents of a folder, most recently changed first and without their texts.

        A listed one may have no revision: read it before you replace it.
        """


@runtime_checkable
class SupportsDocumentSearch(Protocol):
    """An app with documents that can search them."""

    async def search_documents(self, text: str, *, limit: int = 20) -> Sequence[Document]:
        """Find documents, best first; their texts are the matching parts."""
