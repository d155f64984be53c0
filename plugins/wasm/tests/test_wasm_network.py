"""Test a module's requests: only to granted addresses, also after redirects; a slow server costs only the deadline."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from wasm_plugins import TOOL, passing_request, write_plugin

from openkoi_hookspecs import KoiError, Run
from openkoi_http.granted_fetch import may_connect
from openkoi_testing import make_run
from openkoi_wasm.discovery import WasmPlugins
from openkoi_wasm.manifest import read_manifest
from openkoi_wasm.plugin import WasmPlugin

Answers = list[dict[str, Any] | str]


class Handler(BaseHTTPRequestHandler):
    """Answers by path: the request's content, a redirect, a flood, or nothing for a long time."""

    def do_GET(self) -> None:
        self.server.seen.append(self.path)  # type: ignore[attr-defined]  # set below
        if self.path.startswith("/v1/to/"):
            self.send_response(307 if "keep" in self.path else 302)
            self.send_header("Location", bytes.fromhex(self.path.rpartition("/")[2]).decode())
            self.end_headers()
        elif self.path == "/v1/wait":
            self.server.over.wait(60)  # type: ignore[attr-defined]  # as above
        else:
            self.send_body(b"x" * (2 << 20) if self.path == "/v1/flood" else self.described())

    do_POST = do_GET

    def described(self) -> bytes:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        return json.dumps({"method": self.command, "path": self.path, "body": body, **dict(self.headers)}).encode()

    def send_body(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(name="server")
def start_server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen, server.over = [], threading.Event()  # type: ignore[attr-defined]  # for the handler
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.over.set()  # type: ignore[attr-defined]  # as above
    server.shutdown()
    thread.join()
    server.server_close()


async def call(plugin: WasmPlugin, run: Run, fields: dict[str, Any]) -> dict[str, Any] | str:
    try:
        answer: dict[str, Any] = await plugin.call("tool", {"method": "GET", **fields}, run)
        return answer
    except KoiError as error:
        return str(error)


def fetch_all(folder: Path, network: list[str], *requests: dict[str, Any], seconds: float = 30.0) -> Answers:
    """Return the responses that a module gets for these requests."""
    granted = f"[capabilities]\nnetwork = {json.dumps(network)}\n[limits]\nseconds = {seconds}\n"
    made = write_plugin(folder / "made", passing_request("fetch"), TOOL + granted)

    async def work() -> Answers:
        async with make_run(folder) as run, WasmPlugins(folder=folder / "wasm") as source:
            plugin = source.plugin_of(read_manifest(made / "plugin.toml"), run.koi)
            await plugin.load()
            return [await call(plugin, run, one) for one in requests]

    return asyncio.run(work())


def test_granted_addresses_are_fetched_and_every_redirect_is_checked(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    base = f"http://127.0.0.1:{server.server_port}"
    other = f"http://localhost:{server.server_port}/v1/koi"

    def to(url: str, kind: str = "go") -> dict[str, Any]:
        return {"url": f"{base}/v1/to/{kind}/{url.encode().hex()}", "headers": {"Authorization": "Bearer pond"}}

    good, kept, onward, *refused = fetch_all(
        tmp_path,
        [f"{base}/v1/*"],
        {"url": f"{base}/v1/koi?a=1", "method": "POST", "body": "fish", "headers": {"X-Pond": "yes"}},
        {**to("/v1/carp", "keep"), "method": "POST", "body": "fish"},
        to(f"{base}/v1/carp"),
        *(
            to(one)
            for one in (other, f"{base}/v2/secret", "file:///etc/passwd", "//localhost/v1/x", "/v1/../v2/secret")
        ),
        to("/v1/%2e%2e/v2/secret"),
        *({"url": one} for one in (other, f"{base}/v2/secret", f"{base}/v1/../v2", f"{base}/v1/%2e%2E/v2/secret")),
        *(
            {"url": one}
            for one in (f"http://u:p@127.0.0.1:{server.server_port}/v1/x", "http://[::1]/v1/", base + "@evil/")
        ),
        {"url": f"{base}/v1/koi", "method": "CONNECT"},
        {"url": f"{base}/v1/koi", "headers": {"Host": "evil.example"}},
        {"url": f"{base}/v1/koi", "headers": {"X-Pond": "a\r\nHost: evil.example"}},
        {"url": f"{base}/v1/flood"},
    )

    assert {"method": "POST", "path": "/v1/koi?a=1", "body": "fish", "X-Pond": "yes"}.items() <= body_of(good).items()
    assert {"method": "POST", "body": "fish", "Authorization": "Bearer pond"}.items() <= body_of(kept).items()
    assert {"method": "GET", "path": "/v1/carp", "body": ""}.items() <= body_of(onward).items()
    assert [] == [one for one in refused if not isinstance(one, str)]
    assert not [path for path in server.seen if "v2" in path and "/to/" not in path]  # type: ignore[attr-defined]
    assert {f"127.0.0.1:{server.server_port}"} == {body_of(one)["Host"] for one in (good, kept, onward)}


def body_of(answer: dict[str, Any] | str) -> dict[str, Any]:
    assert isinstance(answer, dict), answer
    found: dict[str, Any] = json.loads(answer["text"])
    return found


def test_a_server_that_does_not_answer_costs_the_call_its_deadline(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    base = f"http://127.0.0.1:{server.server_port}"
    began = monotonic()
    (late,) = fetch_all(tmp_path, [f"{base}/*"], {"url": f"{base}/v1/wait"}, seconds=0.7)

    assert "did not answer" in str(late)
    assert monotonic() - began < 30


@pytest.mark.parametrize(
    ("address", "host", "network", "allowed"),
    [
        ("93.184.216.34", "a.example.com", "https://*.example.com/*", True),
        ("127.0.0.1", "a.example.com", "https://*.example.com/*", False),
        ("127.0.0.1", "a.example.com", "https://a.example.com/*", False),
        ("10.0.0.7", "wiki", "https://wiki/*", True),
        ("10.0.0.7", "wiki.example.com", "https://*/*", False),
        ("169.254.169.254", "169.254.169.254", "http://169.254.169.254/*", False),
        ("169.254.169.254", "a.example.com", "http://*/*", False),
        ("::1", "localhost", "http://localhost:8080/*", True),
        ("::ffff:127.0.0.1", "a.example.com", "http://a.example.com/*", False),
        ("fe80::1%eth0", "a.example.com", "http://a.example.com/*", False),
    ],
)
def test_a_name_leads_into_this_machine_or_its_network_only_if_it_is_named(
    address: str, host: str, network: str, allowed: bool, tmp_path: Path
) -> None:
    file = write_plugin(tmp_path, passing_request("fetch"), f'{TOOL}[capabilities]\nnetwork = ["{network}"]')
    granted = read_manifest(file / "plugin.toml").capabilities

    assert allowed == may_connect(address, host, granted)
