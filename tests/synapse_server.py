"""Run a real homeserver: synapse, in an environment of its own, on a loopback port and in a temporary folder."""

import base64
import json
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

RELEASE = "matrix-synapse==1.163.2"
SECONDS = 90.0
CONFIG = """\
server_name: koi.test
pid_file: "{folder}/homeserver.pid"
listeners:
  - {{bind_addresses: ["127.0.0.1"], port: {port}, type: http, tls: false, resources: [{{names: [client]}}]}}
database: {{name: sqlite3, args: {{database: "{folder}/homeserver.db"}}}}
log_config: "{folder}/log.yaml"
media_store_path: "{folder}/media"
signing_key_path: "{folder}/signing.key"
report_stats: false
macaroon_secret_key: koi
refreshable_access_token_lifetime: 3s
enable_registration: true
enable_registration_without_verification: true
bcrypt_rounds: 4
presence: {{enabled: false}}
trusted_key_servers: []
federation_domain_whitelist: []
max_upload_size: 50M
rc_login: {{address: &free {{per_second: 1000, burst_count: 1000}}, account: *free, failed_attempts: *free}}
rc_registration: *free
rc_message: *free
rc_joins: {{local: *free, remote: *free}}
rc_joins_per_room: *free
rc_invites: {{per_room: *free, per_user: *free, per_issuer: *free}}
rc_room_creation: *free
rc_admin_redaction: *free
rc_media_create: *free
"""
LOG = """\
version: 1
handlers: {file: {class: logging.FileHandler, filename: '%s'}}
root: {level: WARNING, handlers: [file]}
"""


class Synapse:
    """A running homeserver."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder = port, folder
        self.url = f"http://127.0.0.1:{port}"

    def call(self, method: str, path: str, body: object = None, *, token: str = "") -> Any:
        """Call the Client-Server API."""
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode() if method != "GET" else None
        request = urllib.request.Request(f"{self.url}{path}", data=data, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def register(self, name: str) -> str:
        """Make an account; return its access token. The password is its name."""
        account = {"username": name, "password": name, "auth": {"type": "m.login.dummy"}}
        return str(self.call("POST", "/_matrix/client/v3/register", account)["access_token"])


class User:
    """An account as a test has it."""

    def __init__(self, server: Synapse, name: str) -> None:
        self.server, self.id = server, f"@{name}:koi.test"
        self.token = server.register(name)
        self.sent = 0

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Call the Client-Server API as this user."""
        return self.server.call(method, f"/_matrix/client/v3{path}", body, token=self.token)

    def make_room(self, *others: "User", **more: object) -> str:
        """Make a room and invite others, who do not join yet; return its id."""
        wanted = {"preset": "private_chat", "invite": [one.id for one in others], **more}
        return str(self.call("POST", "/createRoom", wanted)["room_id"])

    def join(self, room: str) -> None:
        """Join a room."""
        self.call("POST", f"/join/{quote(room)}")

    def send(self, room: str, content: dict[str, Any], kind: str = "m.room.message") -> str:
        """Send an event; return its id."""
        self.sent += 1
        return str(self.call("PUT", f"/rooms/{quote(room)}/send/{kind}/{self.sent}", content)["event_id"])

    def say(self, room: str, text: str, thread: str = "", **more: Any) -> str:
        """Send a text; return its id."""
        relation = {"m.relates_to": {"rel_type": "m.thread", "event_id": thread}} if thread else {}
        return self.send(room, {"msgtype": "m.text", "body": text, **relation, **more})

    def read(self, room: str) -> list[dict[str, Any]]:
        """Return the events of a room that are messages, oldest first."""
        kinds, events, place = quote(json.dumps({"types": ["m.room.message"]})), [], ""
        while True:
            found = self.call("GET", f"/rooms/{quote(room)}/messages?dir=b&limit=500&filter={kinds}{place}")
            events += [one for one in found["chunk"] if "msgtype" in one["content"]]
            if not (found["chunk"] and found.get("end")):
                return events[::-1]
            place = f"&from={quote(found['end'])}"

    def upload(self, data: bytes) -> str:
        """Upload a file; return its address."""
        found = self.server.call("POST", "/_matrix/media/v3/upload", data, token=self.token)
        return str(found["content_uri"])


def answers_of(koi: User, room: str) -> list[tuple[str, str]]:
    """Return the assistant's messages in a room after edits, with their threads."""
    texts: dict[str, tuple[str, str]] = {}
    for event in koi.read(room):
        content = event["content"]
        relation = content.get("m.relates_to", {})
        if event["sender"] == koi.id and relation.get("rel_type") == "m.replace":
            texts[relation["event_id"]] = content["m.new_content"]["body"], texts[relation["event_id"]][1]
        elif event["sender"] == koi.id:
            texts[event["event_id"]] = content["body"], relation.get("event_id", "")
    return list(texts.values())


def texts_of(koi: User, room: str) -> list[str]:
    """Return the texts of the assistant's messages in a room."""
    return [text for text, _ in answers_of(koi, room)]


@contextmanager
def run_synapse(folder: Path) -> Iterator[Synapse]:
    """Run a homeserver; skip the test if it cannot be installed."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "log.yaml").write_text(LOG % (folder / "synapse.log"))
    (folder / "homeserver.yaml").write_text(CONFIG.format(folder=folder, port=port))
    key = base64.b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    (folder / "signing.key").write_text(f"ed25519 koi {key}\n")
    isolated = ["uv", "run", "--no-project", "--isolated", "--with", RELEASE, "python", "-m"]
    start = [*isolated, "synapse.app.homeserver", "-c", str(folder / "homeserver.yaml")]
    with (folder / "out.txt").open("wb") as out:
        process = subprocess.Popen(start, stdout=out, stderr=out, cwd=folder)
    try:
        server = Synapse(port, folder)
        wait_until_up(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(30)


def wait_until_up(server: Synapse, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a homeserver answers."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        text = (server.folder / "out.txt").read_text()
        if "No solution found" in text or "Failed to fetch" in text:
            pytest.skip(f"{RELEASE} cannot be installed here; to do it, run: pip install {RELEASE}")
        assert process.poll() is None, text
        with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            server.call("GET", "/_matrix/client/versions")
            return
        time.sleep(0.1)
    raise AssertionError((server.folder / "out.txt").read_text())
