"""Convert Slack's events and messages to posts."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from openkoi_base.quoted_text import split_quoted
from openkoi_hookspecs.integrations import Attachment, Post, PostKind, Sender, SenderKind

from .api_types import Facts

LINK = re.compile(r"<((?:https?|mailto)[^|>]*)(?:\|([^>]*))?>")
EMOJI = {"\U0001f44d": "+1", "\U0001f44e": "-1", "\U0001f440": "eyes", "\u2705": "white_check_mark", "\u274c": "x"}
EMOJI |= {"\U0001f6d1": "octagonal_sign"}
SIGNS = {name: sign for sign, name in EMOJI.items()}
TEAMS = ("team", "user_team", "source_team")  # ids of users are unique within a workspace alone
USER_SUBTYPES = (None, "file_share", "thread_broadcast", "me_message")


def read_event(event: Facts, me: Facts, *, shared: bool = False) -> Post | None:
    """Return an event of the Events API as a post; None for an event of another kind.

    ``shared``: several workspaces share its channel, and a reaction does not say which one its user belongs to.
    """
    match event.get("type"), event.get("subtype"):
        case (("message" | "app_mention"), "message_changed"):
            changed = {**event["message"], "channel": event["channel"], "channel_type": event.get("channel_type")}
            return read_message(changed, me, PostKind.EDITED) if "edited" in event["message"] else None
        case "message", "message_deleted":
            gone = {**event.get("previous_message", {}), "ts": event["deleted_ts"], "channel": event["channel"]}
            return read_message(gone, me, PostKind.DELETED)
        case (("message" | "app_mention"), subtype) if subtype in USER_SUBTYPES or subtype == "bot_message":
            return read_message(event, me)
        case "reaction_added", _:
            return None if shared else read_reaction(event, me)
    return None


def read_message(message: Facts, me: Facts, kind: PostKind = PostKind.NEW) -> Post:
    """Return a message as a post; what is shared or quoted is not its sender's own text."""
    text, mention = str(message.get("text") or ""), f"<@{me['user_id']}>"
    words, quoted = split_quoted(plain(text))
    thread, shared = str(message.get("thread_ts") or ""), message.get("attachments", ())
    return Post(
        words,
        kind=kind,
        id=str(message["ts"]),
        revision=str(message.get("edited", {}).get("ts", "")) if kind is PostKind.EDITED else "",
        thread=thread if thread != message["ts"] else "",
        sender=read_sender(message, me),
        at=to_time(str(message["ts"])),
        quoted="\n".join(filter(None, [quoted, *(str(one.get("text") or "") for one in shared)])),
        mentioned=mention in text and mention in words,  # what is escaped in the text only looks like one
        attachments=tuple(read_files(message)),
        **place_of(message["channel"], me),
    )


def read_press(payload: Facts, me: Facts) -> Iterator[Post]:
    """Yield button presses as posts."""
    message, user = payload.get("message", {}), payload["user"]
    for action in payload.get("actions", ()) if message else ():
        thread = str(message.get("thread_ts") or "")
        yield Post(
            "",
            kind=PostKind.PRESS,
            id=f"{message['ts']}/{action['action_ts']}",
            reply_to=str(message["ts"]),
            thread=thread if thread != message["ts"] else "",
            choice=str(action.get("value", "")),
            sender=read_sender({**user, "user": user["id"], "team": user.get("team_id", me["team_id"])}, me),
            at=to_time(str(action["action_ts"])),
            **place_of(payload["channel"]["id"], me),
        )


def read_reaction(event: Facts, me: Facts) -> Post | None:
    """Return a reaction to a message."""
    item, name = event["item"], str(event["reaction"]).partition("::")[0]  # without its skin tone
    if item.get("type") != "message":
        return None
    return Post(
        "",
        kind=PostKind.REACTION,
        id=f"{item['ts']}/{event['user']}/{event['reaction']}",
        revision=str(event["event_ts"]),
        reply_to=str(item["ts"]),
        choice=SIGNS.get(name, f":{name}:"),
        sender=read_sender(event, me),
        at=to_time(str(event["event_ts"])),
        **place_of(item["channel"], me),
    )


def place_of(channel: str, me: Facts) -> dict[str, Any]:
    """Return a post's place; the ids of direct channels begin with a D."""
    return {"app": "slack", "account": str(me["team_id"]), "channel": channel, "direct": channel.startswith("D")}


def read_sender(message: Facts, me: Facts) -> Sender:
    """Return who wrote it; Slack vouches for users of this workspace, and not for those of shared channels."""
    id = str(message.get("user") or message.get("bot_id") or "")
    if id in (me["user_id"], me.get("bot_id")):
        kind = SenderKind.SELF
    elif message.get("bot_id") or message.get("subtype") == "bot_message":
        kind = SenderKind.BOT
    else:
        kind = SenderKind.PERSON if id else SenderKind.UNKNOWN
    profile = message.get("user_profile") or {}
    teams = {message.get(name) for name in TEAMS} | {profile.get("team")}
    foreign = not teams <= {None, "", me["team_id"]}
    return Sender(id, name=str(message.get("username") or ""), kind=kind, authenticated=bool(id) and not foreign)


def read_files(message: Facts) -> Iterator[Attachment]:
    """Yield the files of a message."""
    for file in message.get("files", ()):
        if address := file.get("url_private_download"):
            media_type = str(file.get("mimetype") or "application/octet-stream")
            size = int(file.get("size", 0))
            yield Attachment(str(file.get("name", "file")), media_type=media_type, size=size, ref=str(address))


def plain(words: str) -> str:
    """Return the text of a message without Slack's escapes; mentions stay as they are."""
    words = LINK.sub(lambda found: found[2] or found[1].removeprefix("mailto:"), words)
    return words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def to_time(ts: str) -> str:
    """Return the time of a message's id."""
    return datetime.fromtimestamp(float(ts), UTC).isoformat(timespec="microseconds")
