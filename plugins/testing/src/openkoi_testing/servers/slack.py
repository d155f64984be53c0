"""Fake Slack's Web API and Socket Mode: envelopes until they are acknowledged, limits, and expired tokens."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .faults import ServerFault
from .http_server import HttpServer, ReceivedRequest, ServerResponse
from .slack_canvases import SlackCanvases
from .slack_chats import BOT, BOT_ID, TEAM, Facts, event_of
from .slack_rules import check_content
from .slack_streams import SlackCallError
from .web_socket import ServerSocket

TOKEN, APP_TOKEN = "xoxb-000000000000-fake-bot-token", "xapp-1-A1-fake-app-token"
LIMITED = frozenset({"chat.postMessage", "chat.update", "files.completeUploadExternal"})
FORMS_ONLY = ("conversations.", "files.", "users.")  # in these, Slack does not read JSON
STRUCTURED = ("blocks", "changes", "criteria", "document_content", "files")
ADDRESSES = ("url_private", "url_private_download", "permalink")
FILE = {
    **{"created": 1, "filetype": "text", "pretty_type": "Plain Text", "mode": "hosted", "username": ""},
    **{"is_external": False, "external_type": "", "is_public": False, "public_url_shared": False},
    **{"editable": False, "display_as_bot": False, "channels": [], "groups": [], "ims": []},
}
OCTETS = "application/octet-stream"


class SlackServer(SlackCanvases, HttpServer):
    """A workspace with a bot. ``calls`` are the methods that were called, ``sockets`` the open connections.

    ``limits`` says until when a channel refuses messages, ``refused`` counts those refusals, and of the next ``drops``
    messages that are taken no answer arrives.
    """

    def __init__(self) -> None:
        SlackCanvases.__init__(self)
        HttpServer.__init__(self, self.route)
        self.calls: list[tuple[str, Facts]] = []
        self.sockets: list[ServerSocket] = []
        self.refused: list[float] = []
        self.unavailable = False
        self.drops = 0
        self.token, self.app_token = TOKEN, APP_TOKEN

    def __exit__(self, *error: object) -> None:
        for one in self.sockets:
            one.close()
        super().__exit__(*error)

    def route(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a call, take or send a file, or open a socket."""
        address = urlsplit(seen.path)
        path = address.path.removeprefix("/api")
        if self.unavailable:
            return ServerResponse([b"upstream connect error"], status=503, type="text/plain")
        if path == "/link":
            return ServerResponse([], upgrade=self.serve_socket)
        if path.startswith("/upload/"):
            name, _ = self.files[path.rpartition("/")[2]]
            self.files[path.rpartition("/")[2]] = (name, file_in(seen))
            return ServerResponse([b"OK - 1"], type="text/plain")
        arguments = parse_arguments(seen, address.query, method=path.removeprefix("/"))
        token = seen.headers.get("authorization", "").removeprefix("Bearer ") or str(arguments.pop("token", ""))
        if path.startswith("/files/"):
            if token != self.token:
                return ServerResponse([b"<html>"], type="text/html; charset=utf-8")
            name = path.rpartition("/")[2]
            if name not in self.files:
                return ServerResponse([b"<html>"], status=404, type="text/html; charset=utf-8")
            as_file = ServerFault(headers={"content-disposition": "attachment"})
            return ServerResponse([self.files[name][1]], type=self.types.get(name, OCTETS), fault=as_file)
        return self.answer_call(path.removeprefix("/"), token, arguments)

    def answer_call(self, method: str, token: str, arguments: Facts) -> ServerResponse:
        """Call a method of the API."""
        try:
            if token != (self.app_token if method == "apps.connections.open" else self.token):
                raise SlackCallError("invalid_auth" if token else "not_authed")
            self.calls.append((method, arguments))
            channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
            left = self.limits.get(channel, 0.0) - time.monotonic() if method in LIMITED else 0.0
            if left > 0:
                self.refused.append(time.monotonic())
                headers = {"retry-after": str(max(1, round(left + 0.5)))}
                body = b'{"ok":false,"error":"ratelimited"}'
                return ServerResponse([body], fault=ServerFault(status=429, headers=headers))
            do = getattr(self, f"do_{method.replace('.', '_')}", None)
            answer = do(**arguments) if do else {"ok": False, "error": "unknown_method"}
            if self.drops and method in LIMITED:
                self.drops -= 1
                return ServerResponse([b""], fault=ServerFault(cut=0))
            return ServerResponse([json.dumps({"ok": True, **answer}).encode()])
        except SlackCallError as refused:
            return ServerResponse([json.dumps({"ok": False, "error": str(refused)}).encode()])
        except (KeyError, TypeError) as error:
            return ServerResponse(
                [json.dumps({"ok": False, "error": "invalid_arguments", "why": repr(error)}).encode()]
            )

    # Methods

    def do_auth_test(self) -> Facts:
        """Return the bot and its workspace."""
        return {"url": self.url, "team": "Pond", "user": "koi", "team_id": TEAM, "user_id": BOT, "bot_id": BOT_ID}

    def do_apps_connections_open(self) -> Facts:
        """Return the address of a socket."""
        return {"url": f"{self.url.replace('http', 'ws')}/link?ticket=1"}

    def do_chat_postMessage(
        self, channel: str, text: str = "", blocks: Any = (), thread_ts: str = "", **_: Any
    ) -> Facts:
        """Add a message of the bot."""
        content = check_content(text, blocks)
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        message = self.add_message(channel, BOT, text, bot_id=BOT_ID, **content, **thread)
        self.deliver_event(event_of(channel, message))
        return {"channel": channel, "ts": message["ts"], "message": message}

    def do_chat_update(self, channel: str, ts: str, text: str = "", blocks: Any = (), **_: Any) -> Facts:
        """Change a message of the bot."""
        message = self.own_message(channel, ts)
        self.refuse_streaming(channel, ts)
        message.pop("blocks", None)
        message.update(text=text, **check_content(text, blocks))
        return {"channel": channel, "ts": ts, "text": text, "message": message}

    def do_chat_delete(self, channel: str, ts: str, **_: Any) -> Facts:
        """Delete a message of the bot."""
        self.own_message(channel, ts)
        del self.messages[channel, ts]
        return {"channel": channel, "ts": ts}

    def do_reactions_add(self, channel: str, timestamp: str, name: str) -> Facts:
        """Add a reaction of the bot."""
        reactions = self.message(channel, timestamp).setdefault("reactions", [])
        if name in reactions:
            raise SlackCallError("already_reacted")
        reactions.append(name)
        return {}

    def do_reactions_remove(self, channel: str, timestamp: str, name: str) -> Facts:
        """Remove a reaction of the bot."""
        reactions = self.message(channel, timestamp).setdefault("reactions", [])
        if name not in reactions:
            raise SlackCallError("no_reaction")
        reactions.remove(name)
        return {}

    def do_users_conversations(self, **_: Any) -> Facts:
        """List the channels of the bot."""
        channels = sorted({channel for channel, _ in self.messages})
        return {"channels": list(map(channel_facts, channels)), "response_metadata": {"next_cursor": ""}}

    def do_conversations_history(
        self, channel: str, limit: int = 100, oldest: str = "", cursor: str = "", **_: Any
    ) -> Facts:
        """Return the last messages of a channel that are not in threads, newest first."""
        there = [one for one in self.in_channel(channel) if one.get("thread_ts", one["ts"]) == one["ts"]]
        return {"pin_count": 0, **page_of([one for one in there if one["ts"] > oldest][::-1], int(limit), cursor)}

    def do_conversations_replies(
        self, channel: str, ts: str, limit: int = 100, oldest: str = "", cursor: str = "", **_: Any
    ) -> Facts:
        """Return a thread with the message that it began with, oldest first."""
        self.message(channel, ts)
        there = [one for one in self.in_channel(channel) if ts in (one["ts"], one.get("thread_ts"))]
        return page_of([one for one in there if one["ts"] > oldest or one["ts"] == ts], int(limit), cursor)

    def do_files_getUploadURLExternal(self, filename: str, length: int, **_: Any) -> Facts:
        """Return where the bytes of a file go."""
        id = f"F{self.number():08}"
        self.files[id] = (filename, b"")
        return {"upload_url": f"{self.url}/upload/{id}", "file_id": id}

    def do_files_completeUploadExternal(self, files: Any, channel_id: str = "", thread_ts: str = "", **_: Any) -> Facts:
        """Share uploaded files."""
        shared = [self.file_facts(one["id"], OCTETS) for one in files]
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        self.add_message(channel_id, BOT, "", files=shared, bot_id=BOT_ID, **thread)
        return {"files": shared}

    # Parts

    def message(self, channel: str, ts: str) -> Facts:
        """Return a message; raise SlackCallError if there is none."""
        if (channel, ts) not in self.messages:
            raise SlackCallError("message_not_found")
        return self.messages[channel, ts]

    def own_message(self, channel: str, ts: str) -> Facts:
        """Return a message of the bot; raise SlackCallError for any other."""
        message = self.message(channel, ts)
        if message["user"] != BOT:
            raise SlackCallError("cant_update_message")
        return message

    def in_channel(self, channel: str) -> list[Facts]:
        """Return the messages of a channel, oldest first."""
        return [one for (where, _), one in sorted(self.messages.items()) if where == channel]

    def keep_file(self, name: str, media_type: str, data: bytes) -> Facts:
        """Store a file of a user; return its description in a message."""
        id = f"F{self.number():08}"
        self.files[id] = (name, data)
        return self.file_facts(id, media_type)

    def file_facts(self, id: str, media_type: str) -> Facts:
        """Return the description of a file in a message."""
        name, data = self.files[id]
        self.types[id] = media_type
        facts = {"id": id, "name": name, "title": name, "mimetype": media_type, "size": len(data)}
        return {**FILE, **facts, **dict.fromkeys(ADDRESSES, f"{self.url}/files/{id}")}

    # Sockets

    def serve_socket(self, socket: ServerSocket) -> None:
        """Greet a client, resend unacknowledged envelopes, and read acknowledgements."""
        hello = {"type": "hello", "num_connections": len(self.sockets) + 1, "connection_info": {"app_id": "A1"}}
        with self.changed:
            socket.send({**hello, "debug_info": {"host": "fake", "approximate_connection_time": 18060}})
            self.sockets.append(socket)
        for attempt in list(self.envelopes.values()):
            socket.send({**attempt, "retry_attempt": 1, "retry_reason": "timeout"})
        for message in socket.receive_all():
            self.envelopes.pop(message.get("envelope_id", ""), None)
        if socket in self.sockets:
            self.sockets.remove(socket)

    def push(self, envelope: Facts) -> bool:
        """Send an envelope to the client that connected last."""
        with self.changed:
            sockets = self.sockets[::-1]
        return any(one.send(envelope) for one in sockets)

    def disconnect(self) -> None:
        """Ask all clients to connect again, as Slack does every few hours."""
        for one in self.sockets[:]:
            one.send({"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "fake"}})

    def limit(self, channel: str, seconds: float) -> None:
        """Refuse messages to a channel for this many seconds."""
        self.limits[channel] = time.monotonic() + seconds

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Answer every call with "unavailable"; close all sockets."""
        self.unavailable = True
        for one in self.sockets[:]:
            one.close()
        yield
        self.unavailable = False


def channel_facts(id: str) -> Facts:
    """Return Slack's description of a channel in its own workspace."""
    name, about = id.lower(), {"value": "", "creator": "", "last_set": 0}
    if id.startswith("D"):
        return {"id": id, "created": 1, "is_im": True, "is_org_shared": False, "user": "U0000ANN", "priority": 0}
    kinds = {"is_channel": True, "is_group": False, "is_im": False, "is_mpim": False, "is_private": False}
    state = {"is_archived": False, "is_general": False, "is_shared": False, "is_org_shared": False}
    named = {"id": id, "name": name, "name_normalized": name, "created": 1, "creator": "U0000ANN"}
    return {**named, **kinds, **state, "topic": about, "purpose": about}


def page_of(messages: list[Facts], limit: int, cursor: str) -> Facts:
    """Return a page of messages, and where the next one begins."""
    begin = int(cursor or 0)
    more = begin + limit < len(messages)
    place = {"next_cursor": str(begin + limit) if more else ""}
    return {"messages": messages[begin : begin + limit], "has_more": more, "response_metadata": place}


def parse_arguments(seen: ReceivedRequest, query: str, *, method: str) -> Facts:
    """Return the arguments of a call: JSON, or a form whose lists and objects are JSON."""
    found: Facts = dict(parse_qsl(query))
    if seen.headers.get("content-type", "").startswith("application/json"):
        if method.startswith(FORMS_ONLY):
            return found
        return {**found, **(json.loads(seen.body) if seen.body else {})}
    form = parse_qsl(seen.body.decode(errors="replace"))
    return {**found, **{name: json.loads(value) if name in STRUCTURED else value for name, value in form}}


def file_in(seen: ReceivedRequest) -> bytes:
    """Return the file of an upload: the body, or the part of a form."""
    if not seen.headers.get("content-type", "").startswith("multipart/"):
        return seen.body
    boundary = seen.body.partition(b"\r\n")[0]
    return seen.body.partition(b"\r\n\r\n")[2].rpartition(b"\r\n" + boundary)[0]
