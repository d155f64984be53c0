"""Test addresses without a model server: asked once, never again, and the error says what to do."""

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from cli_process import shell
from tls_server import OTHER, TlsServer, certificate

from openkoi_testing.servers import AnthropicServer, GoogleServer, OllamaServer, OpenAIServer, Say, ServerFault
from openkoi_testing.servers.http_server import HttpServer, ServerResponse
from openkoi_testing.servers.vendor_server import VendorServer

LOGIN = b"<!DOCTYPE html>\n<html><head><title>Hotel</title></head><body><form>Please log in</form></body></html>"
HTML = "text/html; charset=utf-8"
EVENTS = "text/event-stream"
KEY = "sk-a-key-that-must-never-be-seen"
VENDORS = {
    "openai": ("openai/gpt-fake", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": ("anthropic/claude-fake", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "google": ("google/gemini-fake", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
    "ollama": ("ollama/llama-fake", "OLLAMA_HOST", "OLLAMA_API_KEY"),
    "bedrock": ("bedrock/anthropic.claude-fake-v1:0", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_BEARER_TOKEN_BEDROCK"),
    "groq": ("groq/llama-3.3-70b-versatile", "GROQ_BASE_URL", "GROQ_API_KEY"),
}
SERVERS: Mapping[str, Callable[[Say], VendorServer]] = {
    "openai": OpenAIServer,
    "anthropic": AnthropicServer,
    "google": GoogleServer,
    "ollama": OllamaServer,
}


def portal(status: int = 200, kind: str = HTML, body: bytes = LOGIN, **headers: str) -> HttpServer:
    """Return a network that answers everything itself."""
    fault = ServerFault(status=status, headers={"content-type": kind, **headers})
    return HttpServer(lambda _: ServerResponse([body], status=status, fault=fault))


def asked(tmp_path: Path, url: str, vendor: str = "openai", **variables: str) -> tuple[int, str]:
    """Ask a model something there; return the exit status and what was said about it."""
    model, address, key = VENDORS[vendor]
    openkoi = shell(tmp_path).with_environment(**{address: url, key: KEY, "AWS_REGION": "us-east-1", **variables})
    result = openkoi("-m", model, "What is it?")
    assert "Traceback" not in result.stderr
    assert KEY not in result.stdout + result.stderr
    return result.returncode, result.stderr


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_captive_portal_is_asked_once_and_named(vendor: str, tmp_path: Path) -> None:
    with portal() as server:
        status, errors = asked(tmp_path, server.url, vendor)

    assert 1 == status
    assert "web page instead of an API response" in errors
    assert "log in with a browser" in errors
    assert 1 == len([request for request in server.requests if request.path != "/api/show"])


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (HTML, b"  \r\n\xef\xbb\xbf" + LOGIN),
        (HTML, b"Please log in to the Wi-Fi."),
        (HTML, b"<HTML><meta http-equiv=refresh content='0; url=https://login.example/'>"),
        (EVENTS, LOGIN),
        ("application/json", LOGIN),
        ("text/plain", b"<html>Log in</html>"),
        ("application/xhtml+xml", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
    ],
)
@pytest.mark.parametrize("vendor", SERVERS)
def test_a_login_page_in_place_of_an_answer_is_one_under_whatever_name(
    vendor: str, kind: str, body: bytes, tmp_path: Path
) -> None:
    statement = Say("Hello", fault=ServerFault(headers={"content-type": kind}, body=body))
    with SERVERS[vendor](statement) as server:
        status, errors = asked(tmp_path, server.url, vendor)

    assert 1 == status
    assert "log in with a browser" in errors
    assert 1 == len(server.asked)


def test_json_is_read_whatever_the_server_calls_it(tmp_path: Path) -> None:
    with OpenAIServer(Say("Paris.", whole=True, fault=ServerFault(headers={"content-type": HTML}))) as server:
        assert 0 == asked(tmp_path, server.url)[0]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["https://login.example/?next=x", "/login", "", "http://[broken"])
def test_a_redirect_to_a_login_page_is_not_followed(status: int, location: str, tmp_path: Path) -> None:
    with portal(status, location=location) as server:
        code, errors = asked(tmp_path, server.url)

    assert 1 == code
    assert f"({status})" in errors
    assert "log in with a browser" in errors
    assert ("login.example" in location) is ("login.example" in errors)
    assert 1 == len(server.requests)


def test_a_network_that_wants_a_login_and_says_so_is_asked_once(tmp_path: Path) -> None:
    with portal(511) as server:
        code, errors = asked(tmp_path, server.url)

    assert (1, 1) == (code, len(server.requests))
    assert "log in with a browser" in errors


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_web_page_with_an_error_status_may_pass(status: int, tmp_path: Path) -> None:
    page = Say("Paris.", fault=ServerFault(status=status, headers={"content-type": HTML}, body=LOGIN))
    with OpenAIServer(page, "Paris.") as server:
        assert 0 == asked(tmp_path, server.url)[0]


BAD = {
    "expired": ({"days": (-30, -1)}, "certificate has expired", "clock"),
    "not yet valid": ({"days": (2, 30)}, "not yet valid", "clock"),
    "self-signed": ({}, "self-signed certificate", "SSL_CERT_FILE"),
    "wrong host": ({"name": OTHER}, "mismatch", "base URL"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("vendor", ["openai", "anthropic", "ollama"])
def test_a_bad_certificate_is_met_once_and_its_remedy_named(name: str, vendor: str, tmp_path: Path) -> None:
    made, why, remedy = BAD[name]
    file = certificate(tmp_path / "server.pem", **made)  # type: ignore[arg-type]  # each case has its own
    trusted = {} if name == "self-signed" else {"SSL_CERT_FILE": str(file)}
    with TlsServer(file, "Paris.") as server:
        status, errors = asked(tmp_path, server.url, vendor, **trusted)

    assert 1 == status
    assert why in errors
    assert remedy in errors
    assert (1, 0) == (server.connections, len(server.requests))


def test_a_server_without_tls_at_a_secure_address_is_met_once(tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as server:
        status, errors = asked(tmp_path, server.url.replace("http:", "https:"))

    assert (1, 0) == (status, len(server.requests))
    assert "start the base URL with http://" in errors
    assert "Retrying in" not in errors


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_server_with_tls_at_an_address_without_is_met_once(vendor: str, tmp_path: Path) -> None:
    with TlsServer(certificate(tmp_path / "server.pem"), "Paris.") as server:
        status, errors = asked(tmp_path, server.url.replace("https:", "http:"), vendor)

    assert (1, 0) == (status, len(server.requests))
    assert "Start the base URL with https://" in errors
    assert "Retrying in" not in errors


@pytest.mark.parametrize(
    "page",
    [
        "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
        "Client sent an HTTP request to an HTTPS server.\n",
        "<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br /></p>",
    ],
    ids=["nginx", "go", "apache"],
)
def test_a_server_that_says_that_it_wants_tls_is_met_once(page: str, tmp_path: Path) -> None:
    with portal(400, body=page.encode()) as server:
        status, errors = asked(tmp_path, server.url)

    assert (1, 1) == (status, len(server.requests))
    assert "https://" in errors


@pytest.mark.parametrize(
    ("scheme", "reply", "advice"),
    [
        ("http", b"\x15\x03\x01\x00\x02\x02\x28", "Start the base URL with https://"),
        ("http", b"", ""),
        ("https", b"", ""),
        ("https", b"SSH-2.0-OpenSSH_9.2\r\n", "start the base URL with http://"),
    ],
    ids=["an alert", "nothing", "nothing in TLS", "a banner"],
)
def test_what_breaks_off_is_named_where_its_scheme_is_known(
    scheme: str, reply: bytes, advice: str, tmp_path: Path
) -> None:
    with RawServer(reply) as port:
        status, errors = asked(tmp_path, f"{scheme}://127.0.0.1:{port}")

    assert (1 if advice else 75) == status
    assert advice in errors
    assert bool(advice) is ("Retrying in" not in errors)


class RawServer:
    """Answer everything with the same bytes, and close the connection."""

    def __init__(self, reply: bytes) -> None:
        self.reply = reply
        self.socket = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> int:
        threading.Thread(target=self.serve, daemon=True).start()
        port: int = self.socket.getsockname()[1]
        return port

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def serve(self) -> None:
        """Serve until the socket is closed."""
        with suppress(OSError):
            while True:
                self.answer(self.socket.accept()[0])

    def answer(self, connection: socket.socket) -> None:
        """Answer one connection."""
        with suppress(OSError), connection:
            connection.recv(65_536)
            connection.sendall(self.reply)


def test_a_certificate_that_the_environment_trusts_is_trusted(tmp_path: Path) -> None:
    file = certificate(tmp_path / "server.pem")
    with TlsServer(file, "Paris.") as server:
        assert 0 == asked(tmp_path, server.url, SSL_CERT_FILE=str(file))[0]


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_bundle_that_cannot_be_read_is_named(content: str | None, tmp_path: Path) -> None:
    file = tmp_path / "bundle.pem"
    if content is not None:
        file.write_text(content)
    with TlsServer(certificate(tmp_path / "server.pem"), "Paris.") as server:
        status, errors = asked(tmp_path, server.url, SSL_CERT_FILE=str(file))

    assert 2 == status
    assert "SSL_CERT_FILE" in errors
