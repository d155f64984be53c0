"""Convert Matrix events to posts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from openkoi_base.quoted_text import split_quoted
from openkoi_hookspecs.integrations import Attachment, Post, PostKind, Sender, SenderKind

MESSAGE, REACTION, REDACTION, MEMBER = "m.room.message", "m.reaction", "m.room.redaction", "m.room.member"
ENCRYPTION = "m.room.encryption"
FILES = ("m.file", "m.image", "m.audio", "m.video")
Facts = Mapping[str, Any]


class Me(NamedTuple):
    """The account that the app is signed in to."""

    id: str
    name: str


class Room(NamedTuple):
    """A room. ``direct``: only one other user and this account are in it."""

    id: str
    direct: bool


def in_room(room: str, version: int = 3) -> str:
    """Return the path of a room."""
    return f"v{version}/rooms/{quote(room, safe='')}"


def read_event(event: Facts, room: Room, me: Me) -> Post | None:
    """Return an event as a post; None for an event of another kind or a malformed one."""
    with suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return read_known(event, room, me)
    return None


def read_known(event: Facts, room: Room, me: Me) -> Post | None:
    """Return a well-formed event as a post."""
    content = event.get("content") or {}
    relation = relation_of(content)
    match event.get("type"), relation.get("rel_type"):
        case _ if "redacted_because" in event.get("unsigned", {}):
            return None
        case "m.room.message", "m.replace":
            changed = content.get("m.new_content") or {}
            return read_message(event, changed, room, me, id=str(relation["event_id"]), kind=PostKind.EDITED)
        case "m.room.message", _ if "msgtype" in content:
            return read_message(event, latest_content(event), room, me, id=str(event["event_id"]))
        case "m.reaction", "m.annotation":
            return make_post(
                event,
                room,
                me,
                kind=PostKind.REACTION,
                id=str(event["event_id"]),
                reply_to=str(relation["event_id"]),
                choice=str(relation["key"]).removesuffix("\ufe0f"),  # which asks for a picture
            )
        case "m.room.redaction", _ if gone := event.get("redacts") or content.get("redacts"):
            return make_post(event, room, me, kind=PostKind.DELETED, id=str(gone), revision=str(event["event_id"]))
    return None


def read_message(event: Facts, content: Facts, room: Room, me: Me, *, id: str, kind: PostKind = PostKind.NEW) -> Post:
    """Return a message as a post; what it quotes is not its sender's own text."""
    relation = relation_of(event["content"])
    text, quoted = split_quoted(caption_of(content))
    mentioned = is_mentioned(content, me)
    return make_post(
        event,
        room,
        me,
        kind=kind,
        id=id,
        text=strip_name(text, me.name) if mentioned else text,
        revision=str(event["event_id"]) if kind is PostKind.EDITED else "",
        thread=str(relation["event_id"]) if relation.get("rel_type") == "m.thread" else "",
        reply_to=str((relation.get("m.in_reply_to") or {}).get("event_id", "")),
        quoted=quoted,
        mentioned=mentioned,
        attachments=tuple(read_files(content)),
        is_bot=content.get("msgtype") == "m.notice",
    )


def make_post(event: Facts, room: Room, me: Me, *, text: str = "", is_bot: bool = False, **facts: Any) -> Post:
    """Return a post in a room; a homeserver vouches for who sent an event, and programs send notices."""
    id = str(event["sender"])
    kind = SenderKind.SELF if id == me.id else SenderKind.BOT if is_bot else SenderKind.PERSON
    return Post(
        text,
        app="matrix",
        account=me.id,
        channel=room.id,
        direct=room.direct,
        sender=Sender(id, kind=kind, authenticated=True),
        at=datetime.fromtimestamp(event["origin_server_ts"] / 1000, UTC).isoformat(timespec="milliseconds"),
        **facts,
    )


def relation_of(content: Facts) -> Facts:
    """Return what an event refers to."""
    found: Facts = content.get("m.relates_to") or {}
    return found


def latest_content(event: Facts) -> Facts:
    """Return the content of a message after its last edit, if the server includes it."""
    edit = event.get("unsigned", {}).get("m.relations", {}).get("m.replace", {})
    content: Facts = edit.get("content", {}).get("m.new_content") or event["content"]
    return content


def caption_of(content: Facts) -> str:
    """Return the text of a message; of a file only its description."""
    text = str(content.get("body") or "")
    is_name = content.get("msgtype") in FILES and content.get("filename", text) == text
    return "" if is_name else text


def is_mentioned(content: Facts, me: Me) -> bool:
    """Return whether a message mentions this account, by its list of mentions or else by the account's id."""
    mentions = content.get("m.mentions")
    if isinstance(mentions, dict) and mentions:
        return me.id in (mentions.get("user_ids") or ())
    return me.id in str(content.get("body") or "")


def strip_name(text: str, name: str) -> str:
    """Return a text without the name that clients write for a mention at its beginning."""
    rest = text.removeprefix(name)
    return rest.lstrip(":, ") if name and rest != text and rest[:1] in (":", ",", " ") else text


def read_files(content: Facts) -> Iterator[Attachment]:
    """Yield the file of a message."""
    if content.get("msgtype") in FILES and str(content.get("url", "")).startswith("mxc://"):
        info = content.get("info") or {}
        name = str(content.get("filename") or content.get("body") or "file")
        media_type = str(info.get("mimetype") or "application/octet-stream")
        yield Attachment(name, media_type=media_type, size=int(info.get("size") or 0), ref=str(content["url"]))


def since_invitation(events: Sequence[Facts], me: Me) -> Sequence[Facts] | None:
    """Return the events since this account was invited or joined; None if it was in the room before."""
    starts: dict[str, int] = {}
    for place, event in enumerate(events, 1):
        if event.get("type") == MEMBER and event.get("state_key") == me.id:
            before = (event.get("unsigned", {}).get("prev_content") or {}).get("membership")
            membership = str(event["content"].get("membership"))
            if membership != before:
                starts[membership] = place
    start = starts.get("invite", starts.get("join"))
    return None if start is None else events[start:]
