"""Check what is sent to the fake Telegram, as the Bot API does."""

import json
from collections.abc import Mapping, Sequence
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

MAX_TEXT, MAX_CAPTION, MAX_CALLBACK = 4096, 1024, 64
MAX_DOWNLOAD = (
    20 * 1024 * 1024
)  # of a file that a bot may get: "up to 20 MB in size", core.telegram.org/bots/api#getfile
ENTITIES = frozenset(
    [
        "mention",
        "hashtag",
        "cashtag",
        "bot_command",
        "url",
        "email",
        "phone_number",
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "spoiler",
        "blockquote",
        "expandable_blockquote",
        "code",
        "pre",
        "text_link",
        "text_mention",
        "custom_emoji",
    ]
)
CODE = frozenset({"code", "pre"})
STYLES = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})  # these and code exclude each other
NUMBERS = frozenset(["message_id", "message_thread_id", "offset", "timeout", "limit", "draft_id"])


class TelegramRequestError(Exception):
    """A request that Telegram refuses, with the status and description."""

    def __init__(self, text: str, status: int = 400, **parameters: int) -> None:
        super().__init__(text)
        self.status, self.text, self.parameters = status, text, parameters


def parse_arguments(kind: str, body: bytes, query: str) -> dict[str, Any]:
    """Return the arguments of a call: JSON, or a form whose values are text or JSON; files are bytes with a name."""
    found: dict[str, Any] = dict(parse_qsl(query))
    if kind.startswith("application/json"):
        return {**found, **(json.loads(body) if body else {})}
    if kind.startswith("multipart/form-data"):
        return attach({**found, **parse_form(kind, body)})
    return {**found, **{name: as_json(name, value) for name, value in parse_qsl(body.decode())}}


def parse_form(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a multipart form."""
    whole = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    found: dict[str, Any] = {}
    for part in whole.iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        file = part.get_filename()
        found[name] = (file, part.get_content_type(), data) if file else as_json(name, data.decode())
    return found


def attach(fields: dict[str, Any]) -> dict[str, Any]:
    """Replace the fields that name files by ``attach://`` with the files."""
    names = {name: value[9:] for name, value in fields.items() if isinstance(value, str) and value[:9] == "attach://"}
    kept = {name: value for name, value in fields.items() if name not in names.values()}
    return {**kept, **{name: fields[file] for name, file in names.items()}}


def as_json(name: str, value: str) -> Any:
    """Parse a form field: in forms, objects, arrays and booleans are encoded as JSON."""
    if name in NUMBERS and value.lstrip("-").isdecimal():
        return int(value)
    if value[:1] in "[{" or value in ("true", "false"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def utf16(text: str) -> int:
    """Return how long Telegram considers a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_text(text: object, limit: int = MAX_TEXT) -> str:
    """Return a text that may be sent; raise TelegramRequestError for an empty or long one."""
    if not isinstance(text, str) or not text.strip():
        raise TelegramRequestError("Bad Request: message text is empty")
    if utf16(text) > limit:
        raise TelegramRequestError("Bad Request: message is too long")
    return text


def check_entities(text: str, entities: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return entities that lie within a text and in each other; raise TelegramRequestError for others."""
    open_ends: list[tuple[int, str]] = []
    for one in sorted(entities, key=lambda one: (one["offset"], -one["length"], one["type"] in CODE)):
        start, end = one["offset"], one["offset"] + one["length"]
        if one["type"] not in ENTITIES or start < 0 or one["length"] <= 0 or end > utf16(text):
            raise TelegramRequestError(f"Bad Request: can't parse entities: {one}")
        if one["type"] == "text_link" and "://" not in one.get("url", "") and "mailto:" not in one["url"]:
            raise TelegramRequestError(f"Bad Request: can't parse entities: wrong url {one}")
        open_ends = [(close, kind) for close, kind in open_ends if close > start]
        if any(close < end for close, _ in open_ends):
            raise TelegramRequestError("Bad Request: can't parse entities: they overlap")
        if any(kind in CODE or (one["type"] in CODE and kind in STYLES) for _, kind in open_ends):
            raise TelegramRequestError("Bad Request: can't parse entities: code in or around another one")
        open_ends.append((end, one["type"]))
    return list(entities)


def check_markdown(text: str, mode: str) -> None:
    """Raise TelegramRequestError for a text that is sent with a parse mode and has an unclosed mark."""
    marks = "*_`" if mode == "Markdown" else "*_~`"
    plain = text.replace("\\\\", "")
    for mark in marks:
        if (plain.count(mark) - plain.count(f"\\{mark}")) % 2:
            raise TelegramRequestError(
                f"Bad Request: can't parse entities: Can't find end of the entity starting with {mark}"
            )


def check_buttons(markup: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """Return the rows of buttons; raise TelegramRequestError for a button that Telegram does not take."""
    rows = markup.get("inline_keyboard", [])
    for button in (one for row in rows for one in row):
        data = button.get("callback_data", "")
        if not button.get("text") or not 0 < len(data.encode()) <= MAX_CALLBACK:
            raise TelegramRequestError("Bad Request: BUTTON_DATA_INVALID")
    return list(rows)
