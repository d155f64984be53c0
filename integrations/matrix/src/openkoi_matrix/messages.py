"""Convert posts to Matrix messages, with the text both unchanged and as HTML."""

import json
from hashlib import sha256
from secrets import token_hex

from openkoi_hookspecs import AppRejectedError, Json
from openkoi_hookspecs.integrations import Attachment, Post

MAX_TEXT = 24_000  # bytes; an edit contains the text twice, and an event may have 65,536
MAX_EVENT = 60_000  # bytes of a content; the rest of an event has a few hundred
CUT = 1_000  # characters of an edit that clients without edits see
Content = dict[str, Json]


def length_in_event(text: str) -> int:
    """Return the number of bytes that a text takes in an event."""
    return size_of(text) - 2


def size_of(value: Json) -> int:
    """Return the bytes of a value in canonical JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def message_of(post: Post) -> Content:
    """Return a new message, in its thread if it has one."""
    return {**content_of(post), **({"m.relates_to": in_thread(post.thread)} if post.thread else {})}


def edit_of(post: Post) -> Content:
    """Return the message that replaces the one with this id."""
    new: Json = content_of(post)
    shown: Content = {"msgtype": "m.notice", "body": f"* {post.text[:CUT]}", "m.mentions": {}}
    return {**shown, "m.new_content": new, "m.relates_to": {"rel_type": "m.replace", "event_id": post.id}}


def content_of(post: Post) -> Content:
    """Return the content of a message, without HTML if that is too long."""
    if length_in_event(post.text) > MAX_TEXT:
        raise AppRejectedError(f"Matrix messages are limited to {MAX_TEXT:,} bytes.")
    plain: Content = {"msgtype": "m.notice", "body": post.text, "m.mentions": {}}
    if post.format != "markdown":
        return plain
    from openkoi_terminal.html import markdown_to_html

    rich: Content = {**plain, "format": "org.matrix.custom.html", "formatted_body": markdown_to_html(post.text)}
    return rich if size_of(rich) <= MAX_EVENT - 2 * CUT else plain


def file_of(file: Attachment, address: str) -> Content:
    """Return the message with a file."""
    kind = "m.image" if file.media_type.startswith("image/") else "m.file"
    info: Json = {"mimetype": file.media_type, "size": len(file.data)}
    return {"msgtype": kind, "body": file.name, "filename": file.name, "url": address, "info": info, "m.mentions": {}}


def in_thread(root: str) -> Content:
    """Return the relation of a message in a thread."""
    return {"rel_type": "m.thread", "event_id": root, "is_falling_back": True, "m.in_reply_to": {"event_id": root}}


def transaction_id(key: str, *more: str) -> str:
    """Return the id by which the server recognizes a repeated request; without a key, a new one each time."""
    return sha256("\0".join([key, *more]).encode()).hexdigest()[:32] if key else token_hex(16)
