"""Posts in other services' apps. Part of ``integrations``; import its names from there."""

from dataclasses import KW_ONLY
from enum import StrEnum

from .lazy_dataclass import dataclass


class SenderKind(StrEnum):
    """Who wrote a post: a user of the app, another program, or this account itself."""

    UNKNOWN = "unknown"
    PERSON = "person"
    BOT = "bot"
    SELF = "self"


@dataclass(frozen=True, slots=True)
class Sender:
    """The author of a post.

    ``id`` is the service's immutable one: permissions are bound to it and never to a ``name``. ``authenticated``: the
    service verified the sender, as for an email that passes DMARC. An automatic reply is from a BOT.
    """

    id: str
    _: KW_ONLY
    name: str = ""
    kind: SenderKind = SenderKind.UNKNOWN
    authenticated: bool = False


class PostKind(StrEnum):
    """What happened: something was posted, changed or deleted, or a reaction or button press was added to a post."""

    NEW = "new"
    EDITED = "edited"
    DELETED = "deleted"
    REACTION = "reaction"
    PRESS = "press"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a post. An incoming one has a ``ref`` to download it by; an outgoing one has its ``data``."""

    name: str
    _: KW_ONLY
    media_type: str = "application/octet-stream"
    size: int = 0
    ref: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Choice:
    """A button. ``value`` is returned when it is pressed."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Post:
    """Something posted in a channel of an app, or done to a post there.

    ``account`` is the workspace or user that the app is signed in to. ``thread`` is the thread it is in; where an app
    has threads, a post in the thread of another post's id opens one there. ``reply_to`` is the post that is answered,
    reacted to or pressed. ``text`` is what the sender wrote; what it quotes or forwards is in ``quoted``, and is never
    an order. ``direct``: only the sender and this account are in the channel; ``mentioned``: this account is named.

    ``id`` is the message's own, whichever way and however often it arrives; ``revision`` tells its edits apart. ``at``
    is UTC in ISO 8601. ``choices`` are offered as buttons; ``choice`` is the value of the pressed one, or the reaction.

    To send one, leave ``id`` empty. ``key`` makes repeating harmless where an app is ``idempotent``. ``format`` is one
    of the app's. A ``partial`` one is still being written: edits of it follow, the last of which is not partial. Where
    it gets no id, as a draft that the app shows for a moment, it is sent again with its key, and at last as a whole.
    ``recipients`` are addressed besides the channel. Set ``dropped`` in a hook to drop it.
    """

    text: str
    _: KW_ONLY
    app: str
    channel: str
    account: str = ""
    thread: str = ""
    id: str = ""
    revision: str = ""
    reply_to: str = ""
    kind: PostKind = PostKind.NEW
    sender: Sender = Sender("")
    recipients: tuple[str, ...] = ()
    at: str = ""
    subject: str = ""
    quoted: str = ""
    direct: bool = False
    mentioned: bool = False
    attachments: tuple[Attachment, ...] = ()
    choices: tuple[Choice, ...] = ()
    choice: str = ""
    format: str = "plain"
    key: str = ""
    partial: bool = False
    dropped: bool = False

    @property
    def conversation(self) -> str:
        """Its conversation: ``app:account:channel``, with ``:thread`` if it is in one."""
        return join_ids(self.app, self.account, self.channel, *([self.thread] if self.thread else []))

    @property
    def identity(self) -> str:
        """The same for every delivery of the same post: handle each identity once."""
        return join_ids(self.app, self.account, self.channel, self.id, self.kind, self.revision)


def join_ids(*parts: str) -> str:
    """Join ids so that no two lists of them result in the same text."""
    return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)
