"""Convert Telegram updates to posts."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from openkoi_hookspecs.integrations import Attachment, Post, PostKind, Sender, SenderKind

FILES = ("document", "audio", "video", "voice", "animation", "video_note")
QUOTATIONS = ("blockquote", "expandable_blockquote")
Facts = Mapping[str, Any]


def read_update(update: Facts, me: Facts) -> Post | None:
    """Return an update as a post; None for an update of another kind."""
    if message := update.get("message"):
        return read_message(message, me)
    if message := update.get("edited_message"):
        return read_message(message, me, kind=PostKind.EDITED)
    if press := update.get("callback_query"):
        return read_press(press, me)
    if reaction := update.get("message_reaction"):
        return read_reaction(reaction, me)
    return None


def read_message(message: Facts, me: Facts, kind: PostKind = PostKind.NEW) -> Post:
    """Return a message as a post; what is forwarded or quoted is not its sender's own text."""
    words, quotes = split_quotes(message)
    foreign = "forward_origin" in message or "via_bot" in message  # what another bot offers is its own text
    topic = message.get("message_thread_id") if message.get("is_topic_message") else None
    quoted = [words if foreign else "", quotes, quote_of(message, me)]
    return Post(
        "" if foreign else without_start(words),
        kind=kind,
        id=str(message["message_id"]),
        revision=str(message.get("edit_date", "")) if kind is PostKind.EDITED else "",
        thread=str(topic) if topic else "",
        reply_to=str(message.get("reply_to_message", {}).get("message_id", "")),
        sender=read_sender(message.get("from") or {}, me, anonymous="sender_chat" in message),
        at=to_time(message["date"]),
        quoted="\n".join(filter(None, quoted)),
        mentioned=is_mentioned(message, me),
        attachments=tuple(read_files(message)),
        **place_of(message["chat"], me),
    )


def read_press(press: Facts, me: Facts) -> Post | None:
    """Return the press of a button; None if its message is too old to be identified."""
    message = press.get("message")
    if not message:
        return None
    return Post(
        "",
        kind=PostKind.PRESS,
        id=str(press["id"]),
        reply_to=str(message["message_id"]),
        choice=str(press.get("data", "")),
        sender=read_sender(press["from"], me),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        **place_of(message["chat"], me),
    )


def read_reaction(reaction: Facts, me: Facts) -> Post:
    """Return a reaction, which is empty when it was removed."""
    emojis = [str(one.get("emoji", "")) for one in reaction.get("new_reaction", ())]
    return Post(
        "",
        kind=PostKind.REACTION,
        id=f"{reaction['message_id']}/{reaction.get('user', {}).get('id', '')}",
        revision=f"{reaction['date']} {' '.join(emojis)}",
        reply_to=str(reaction["message_id"]),
        choice=emojis[-1] if emojis else "",
        sender=read_sender(reaction.get("user") or {}, me),
        at=to_time(reaction["date"]),
        **place_of(reaction["chat"], me),
    )


def place_of(chat: Facts, me: Facts) -> dict[str, Any]:
    """Return where a post is."""
    direct = chat.get("type") == "private"
    return {"app": "telegram", "account": str(me["id"]), "channel": str(chat["id"]), "direct": direct}


def read_sender(user: Facts, me: Facts, *, anonymous: bool = False) -> Sender:
    """Return who wrote it; Telegram vouches for that, except for anonymous administrators and channels."""
    id = str(user.get("id", ""))
    name = str(user.get("username") or user.get("first_name") or "")
    if id == str(me["id"]):
        kind = SenderKind.SELF
    elif user.get("is_bot"):
        kind = SenderKind.BOT
    else:
        kind = SenderKind.PERSON if id and not anonymous else SenderKind.UNKNOWN
    return Sender(id, name=name, kind=kind, authenticated=bool(id) and not anonymous)


def is_mentioned(message: Facts, me: Facts) -> bool:
    """Return whether a message names the bot, or answers it."""
    name, words = f"@{me['username']}".lower(), message.get("text") or message.get("caption") or ""
    units = words.encode("utf-16-le", "surrogatepass")
    for one in (*message.get("entities", ()), *message.get("caption_entities", ())):
        part = units[2 * one["offset"] : 2 * (one["offset"] + one["length"])].decode("utf-16-le", "replace").lower()
        if one["type"] == "mention" and part == name:
            return True
        if one["type"] == "bot_command" and part.endswith(name):
            return True
        if one["type"] == "text_mention" and one["user"]["id"] == me["id"]:
            return True
    return bool(message.get("reply_to_message", {}).get("from", {}).get("id") == me["id"])


def quote_of(message: Facts, me: Facts) -> str:
    """Return what a message quotes, or answers, unless the bot wrote that itself."""
    answered = message.get("reply_to_message", {})
    if answered.get("from", {}).get("id") == me["id"]:
        return str(message.get("quote", {}).get("text", ""))
    return str(message.get("quote", {}).get("text") or answered.get("text") or answered.get("caption") or "")


def split_quotes(message: Facts) -> tuple[str, str]:
    """Return the text of a message without its quotations, and the quotations."""
    text = str(message.get("text") or message.get("caption") or "")
    entities = (*message.get("entities", ()), *message.get("caption_entities", ()))
    quotations = [one for one in entities if one["type"] in QUOTATIONS]
    if not quotations:
        return text, ""
    data = text.encode("utf-16-le", "surrogatepass")
    units = [data[place : place + 2] for place in range(0, len(data), 2)]
    quoted = [any(0 <= n - one["offset"] < one["length"] for one in quotations) for n in range(len(units))]
    parts = (
        b"".join(unit for unit, is_part in zip(units, quoted, strict=True) if is_part is side) for side in (False, True)
    )
    own, others = (part.decode("utf-16-le", "replace").strip() for part in parts)
    return own, others


def without_start(words: str) -> str:
    """Return a text without the command that begins each chat with a bot, and that a link to it sends."""
    return words.removeprefix("/start").lstrip() if words.split(" ")[0] == "/start" else words


def read_files(message: Facts) -> "list[Attachment]":
    """Return the files of a message; of a photo, the largest size."""
    photos = message.get("photo") or ()
    found = [
        Attachment("photo.jpg", media_type="image/jpeg", size=one.get("file_size", 0), ref=one["file_id"])
        for one in photos[-1:]
    ]
    for kind in FILES:
        if file := message.get(kind):
            name = file.get("file_name") or kind
            media_type = file.get("mime_type") or "application/octet-stream"
            found.append(Attachment(name, media_type=media_type, size=file.get("file_size", 0), ref=file["file_id"]))
            break  # an animation is a document as well
    return found


def to_time(seconds: int) -> str:
    """Return a time in the format of posts."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()
