"""Test that the app's calls and synapse's answers match the specification of Matrix."""

import asyncio
import http.client
import json
import re
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from data_files import schema_errors
from synapse_server import Synapse, User, run_synapse

from openkoi_hookspecs.integrations import Attachment, Post
from openkoi_matrix import Matrix
from openkoi_matrix.sign_in import refresh_tokens, sign_in
from openkoi_testing.servers.http_server import HttpServer, ReceivedRequest, ServerResponse

CALLS = (
    *("POST /login", "POST /refresh", "GET /account/whoami", "GET /profile/{userId}", "GET /joined_rooms"),
    *("GET /rooms/{roomId}/joined_members", "GET /rooms/{roomId}/event/{eventId}", "GET /rooms/{roomId}/messages"),
    *("GET /sync", "POST /join/{roomIdOrAlias}", "POST /rooms/{roomId}/leave", "POST /search"),
    *("PUT /rooms/{roomId}/send/{eventType}/{txnId}", "PUT /rooms/{roomId}/redact/{eventId}/{txnId}"),
    "GET /rooms/{roomId}/relations/{eventId}/{relType}",
    "GET /rooms/{roomId}/relations/{eventId}/{relType}/{eventType}",
    "POST /media/v3/upload",
)
BY_SYNAPSE = ("GET /rooms/{roomId}/joined_members.result: None is not of type 'string'",)  # an avatar that is not there
DOWNLOAD = re.compile("GET /media/download/[^/]+/[^/]+")  # its answer is the file
PATTERNS = {name: re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(name))) for name in CALLS}
PREFIX = re.compile(r"/_matrix/(client/v\d+|(?=media/v3/upload))")


class CheckingProxy(HttpServer):
    """A proxy for a homeserver that checks each call and its answer against the specification."""

    def __init__(self, server: Synapse) -> None:
        super().__init__(self.pass_on)
        self.server = server
        self.checked: set[str] = set()
        self.problems: list[str] = []

    def pass_on(self, seen: ReceivedRequest) -> ServerResponse:
        """Forward a call to the homeserver, and check the call and its answer."""
        far = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        kept = ("authorization", "content-type", "accept")
        far.request(seen.method, seen.path, seen.body or None, {n: v for n, v in seen.headers.items() if n in kept})
        response = far.getresponse()
        body, kind = response.read(), response.headers["content-type"]
        far.close()
        if response.status == 200:
            self.check(seen, body)
        return ServerResponse([body], status=response.status, type=kind)

    def check(self, seen: ReceivedRequest, body: bytes) -> None:
        """Record violations of the specification."""
        address = urlsplit(seen.path)
        called = f"{seen.method} {PREFIX.sub('', address.path)}".replace(" media", " /media")
        if DOWNLOAD.fullmatch(called):
            return
        name = next((name for name, pattern in PATTERNS.items() if pattern.fullmatch(called)), called)
        parts: dict[str, Any] = {f"{name}.query": dict(parse_qsl(address.query)), f"{name}.result": json.loads(body)}
        if seen.body and "upload" not in name:
            parts[f"{name}.body"] = seen.json
        if "/send/" in called:
            parts[f"{event_type(called, seen.json)}.content"] = seen.json
        for part, value in parts.items():
            self.problems += [f"{part}: {one}" for one in schema_errors("matrix", part, value)]
        self.checked.add(name)


def event_type(called: str, content: Any) -> str:
    """Return the name of the schema for a sent content."""
    kind = unquote(called.split("/")[-2])
    return f"{kind}.{content['msgtype']}" if "msgtype" in content else kind


async def use(proxy: CheckingProxy, koi: User, ann: User, folder: Path) -> list[str]:
    """Use all functions of the app; return the texts that arrived."""
    tokens = await sign_in(proxy.url, koi.id, "koi")
    tokens = await refresh_tokens(proxy.url, tokens.refresh)
    texts: list[str] = []
    async with Matrix(folder=folder, base_url=proxy.url, token=koi.token, users=(ann.id,), poll_seconds=1) as app:
        await app.health()
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            room = ann.make_room(koi)
            encryption = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
            secret = ann.make_room(koi, initial_state=[encryption])
            root = ann.say(room, "@koi:koi.test look")
            ann.send(room, {"msgtype": "m.file", "body": "a.txt", "url": ann.upload(b"koi"), "filename": "a.txt"})
            async for one in deliveries:
                files = one.post.attachments if one.post else ()
                texts += [one.post.text] if one.post else []
                for file in files:
                    texts.append(b"".join([piece async for piece in app.download(file)]).decode())
                if files and secret not in koi.call("GET", "/joined_rooms")["joined_rooms"]:
                    break
        await write(app, room, root)
    return texts


async def write(app: Matrix, room: str, root: str) -> None:
    """Send every kind of message; change, react to, delete and find them."""
    id = await app.send(Post("**bold**", app="matrix", channel=room, thread=root, format="markdown", key="a"))
    await app.edit(Post("changed", app="matrix", channel=room, id=id))
    app.own.clear()
    await app.edit(Post("changed again", app="matrix", channel=room, id=id))
    files = (Attachment("a.md", data=b"# Koi"), Attachment("a.png", media_type="image/png", data=b"\x89PNG"))
    await app.send(Post("", app="matrix", channel=room, attachments=files))
    await app.add_reaction(room, id, "\U0001f440")
    await app.remove_reaction(room, id, "\U0001f440")
    await app.history(room)
    await app.history(room, thread=root)
    await app.search_posts("look")
    await app.delete(room, id)


def test_calls_and_answers_are_what_the_specification_says(tmp_path: Path) -> None:
    with run_synapse(tmp_path) as server, CheckingProxy(server) as proxy:
        koi, ann = User(server, "koi"), User(server, "ann")
        texts = asyncio.run(asyncio.wait_for(use(proxy, koi, ann, tmp_path), 120))

    assert [] == [one for one in proxy.problems if one not in BY_SYNAPSE]
    assert proxy.checked == set(CALLS)
    assert ["@koi:koi.test look", "", "koi"] == texts
