"""Fake Telegram's Bot API: chats, updates until they are confirmed, buttons, files and limits."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from .faults import ServerFault
from .http_server import HttpServer, ReceivedRequest, ServerResponse
from .telegram_chats import BOT, Facts, TelegramChats
from .telegram_rules import (
    MAX_CAPTION,
    MAX_DOWNLOAD,
    TelegramRequestError,
    check_buttons,
    check_entities,
    check_markdown,
    check_text,
    parse_arguments,
)

TOKEN = "123456789:AAF-fake-token-of-the-bot-0123456789abc"
LIMITED = frozenset({"sendMessage", "sendMessageDraft", "editMessageText", "sendDocument"})


class TelegramServer(TelegramChats, HttpServer):
    """A Bot API for one bot. Chats with positive ids are private, others are groups.

    ``calls`` are the methods that were called with their arguments, ``messages`` all that is in chats now, by chat and
    id. ``limits`` says until when a chat refuses messages, ``refused`` counts those refusals. ``drops`` is how many
    coming answers are lost after the call was done.
    """

    def __init__(self) -> None:
        TelegramChats.__init__(self)
        HttpServer.__init__(self, self.route)
        self.calls: list[tuple[str, Facts]] = []
        self.drafts: dict[tuple[int, int], str] = {}
        self.refused: list[float] = []
        self.drops = 0
        self.unavailable = False
        self.token = TOKEN
        self.pollers = 0

    # What bots call

    def __exit__(self, *error: object) -> None:
        self.end_waits()
        with self.changed:
            self.changed.notify_all()
        super().__exit__(*error)

    def route(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a call, or send a file."""
        address = urlsplit(seen.path)
        if self.unavailable:
            return failure(502, "Bad Gateway")
        if address.path.startswith(f"/file/bot{self.token}/"):
            name, data = self.files.get(address.path.rpartition("/")[2], ("", b""))
            return ServerResponse([data], type="application/octet-stream") if name else failure(404, "Not Found")
        prefix, _, method = address.path.removeprefix("/bot").partition("/")
        if prefix != self.token:
            return failure(401, "Unauthorized")
        if len(seen.body) < int(seen.headers.get("content-length", 0)):  # the client was killed while it wrote
            return failure(400, "Bad Request")
        try:
            arguments = parse_arguments(seen.headers.get("content-type", ""), seen.body, address.query)
            return self.answer_call(method, arguments)
        except TelegramRequestError as refused:
            return failure(refused.status, refused.text, **refused.parameters)
        except (KeyError, ValueError, TypeError) as error:
            return failure(400, f"Bad Request: {error!r}")

    def answer_call(self, method: str, arguments: Facts) -> ServerResponse:
        """Call a method of the API."""
        do = getattr(self, f"do_{method}", None)
        if do is None:
            raise TelegramRequestError("Not Found", 404)
        with self.changed:
            self.calls.append((method, arguments))
            if moved := self.moved.get(int(arguments.get("chat_id", 0))):
                text = "Bad Request: group chat was upgraded to a supergroup chat"
                raise TelegramRequestError(text, 400, migrate_to_chat_id=moved)
            if method in LIMITED:
                self.check_limit(int(arguments["chat_id"]))
        result = do(**arguments)
        if self.drops and method in LIMITED:
            self.drops -= 1
            return ServerResponse([b""], fault=ServerFault(cut=0))
        return ServerResponse([json.dumps({"ok": True, "result": result}).encode()])

    def check_limit(self, chat: int) -> None:
        """Refuse a message that exceeds the rate limit."""
        left = self.limits.get(chat, 0.0) - time.monotonic()
        if left > 0:
            self.refused.append(time.monotonic())
            seconds = max(1, round(left + 0.5))
            raise TelegramRequestError(f"Too Many Requests: retry after {seconds}", 429, retry_after=seconds)

    def do_getMe(self) -> Facts:
        """Return the bot."""
        return BOT

    def do_getUpdates(self, offset: int = 0, timeout: int = 0, limit: int = 100, **_: object) -> list[Facts]:
        """Wait for updates; all before the offset are forgotten. A later call ends an earlier one."""
        with self.changed:
            self.pollers += 1
            own = self.pollers
            self.changed.notify_all()
            if offset < 0:
                self.updates = self.updates[offset:]
            else:
                self.updates = [one for one in self.updates if one["update_id"] >= offset]
            self.changed.wait_for(lambda: self.updates or self.pollers != own or self.is_ending, timeout)
            if self.unavailable:
                raise TelegramRequestError("Bad Gateway", 502)
            if self.pollers != own:
                raise TelegramRequestError("Conflict: terminated by other getUpdates request", 409)
            return self.updates[: min(limit, 100)]

    def do_sendMessage(self, chat_id: int | str, text: str = "", **more: Any) -> Facts:
        """Add a message of the bot."""
        content = {"text": check_text(text), **self.content(text, more)}
        return self.add_message(int(chat_id), BOT, **content, **topic_of(more))

    def do_editMessageText(self, chat_id: int | str, message_id: int, text: str = "", **more: Any) -> Facts:
        """Change a message of the bot."""
        message = self.own_message(int(chat_id), int(message_id))
        content = {"text": check_text(text), **self.content(text, more)}
        before = {name: message.get(name) for name in ("text", "entities", "reply_markup")}
        if before == {name: content.get(name) for name in before}:
            raise TelegramRequestError(
                "Bad Request: message is not modified: specified new message content and reply markup are the same"
            )
        for name in before:
            message.pop(name, None)
        message.update(content, edit_date=int(time.time()))
        return message

    def do_deleteMessage(self, chat_id: int | str, message_id: int) -> bool:
        """Delete a message of the bot."""
        self.own_message(int(chat_id), int(message_id))
        del self.messages[int(chat_id), int(message_id)]
        return True

    def do_sendDocument(self, chat_id: int | str, document: Any, caption: str = "", **more: Any) -> Facts:
        """Add a file of the bot."""
        name, media_type, data = document
        if caption:
            check_text(caption, MAX_CAPTION)
        return self.add_message(int(chat_id), BOT, document=self.keep_file(name, media_type, data), **topic_of(more))

    def do_sendMessageDraft(self, chat_id: int | str, draft_id: int, text: str = "", **_: object) -> bool:
        """Show a draft, which is possible only in private chats."""
        if int(chat_id) < 0 or not draft_id:
            raise TelegramRequestError("Bad Request: DRAFT_PEER_INVALID")
        self.drafts[int(chat_id), int(draft_id)] = text
        return True

    def do_answerCallbackQuery(self, callback_query_id: str, **_: object) -> bool:
        """Let a button look pressed."""
        return bool(callback_query_id)

    def do_setMessageReaction(self, chat_id: int | str, message_id: int, reaction: Any = (), **_: object) -> bool:
        """Set the bot's reactions."""
        message = self.messages.get((int(chat_id), int(message_id)))
        if message is None:
            raise TelegramRequestError("Bad Request: message to react not found")
        return True

    def do_getFile(self, file_id: str) -> Facts:
        """Return where a file is."""
        if file_id not in self.files:
            raise TelegramRequestError("Bad Request: invalid file_id")
        if len(self.files[file_id][1]) > MAX_DOWNLOAD:
            raise TelegramRequestError("Bad Request: file is too big")
        return {"file_id": file_id, "file_unique_id": file_id, "file_path": f"documents/{file_id}"}

    def do_sendChatAction(self, chat_id: int | str, action: str, **_: object) -> bool:
        """Show that the bot is typing."""
        return bool(chat_id and action)

    def do_deleteWebhook(self, **_: object) -> bool:
        """Accept the deletion of a webhook; there is none."""
        return True

    # What is in chats

    def content(self, text: str, more: Facts) -> Facts:
        """Return the entities and buttons of a message."""
        if mode := more.get("parse_mode"):
            check_markdown(text, str(mode))
        entities = check_entities(text, more.get("entities") or [])
        rows = check_buttons(more.get("reply_markup") or {})
        return {
            **({"entities": entities} if entities else {}),
            **({"reply_markup": {"inline_keyboard": rows}} if rows else {}),
        }

    def own_message(self, chat: int, id: int) -> Facts:
        """Return a message of the bot; raise TelegramRequestError for any other."""
        message = self.messages.get((chat, id))
        if message is None:
            raise TelegramRequestError("Bad Request: message to edit not found")
        if message["from"]["id"] != BOT["id"]:
            raise TelegramRequestError("Bad Request: message can't be edited")
        return message

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Answer every call with "unavailable"; end open polls."""
        self.unavailable = True
        with self.changed:
            self.pollers += 1
            self.changed.notify_all()
        yield
        self.unavailable = False


def topic_of(more: Facts) -> Facts:
    """Return the topic that a message is sent to."""
    topic = more.get("message_thread_id")
    return {"message_thread_id": int(topic), "is_topic_message": True} if topic else {}


def failure(status: int, text: str, **parameters: int) -> ServerResponse:
    """Return an error as Telegram words it."""
    body: Facts = {"ok": False, "error_code": status, "description": text}
    if parameters:
        body["parameters"] = parameters
    return ServerResponse([json.dumps(body).encode()], status=status)
