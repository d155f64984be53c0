"""Test that servers must prove their names although connections use their addresses."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from openkoi_tools.fetch import Fetch

if TYPE_CHECKING:
    from plugins.tools.tests.fetch.conftest import Web


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for docs.example, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "docs.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("docs.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path_factory.mktemp("tls") / "docs.pem"
    file.write_bytes(private + certificate.public_bytes(pem))
    return file


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[int]:
    """The port of a site that has this certificate, on loopback."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Greeting) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


class Greeting(BaseHTTPRequestHandler):
    """A handler that greets every client."""

    def do_GET(self) -> None:
        """Stream the text."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Hello")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.mark.parametrize(
    ("host", "trusted", "expected"),
    [
        ("docs.example", True, "Hello"),
        ("other.example", True, "has an invalid certificate (Hostname mismatch"),
        ("docs.example", False, "has an invalid certificate (self-signed certificate"),
    ],
)
def test_a_server_proves_its_name_although_its_address_is_connected_to(
    web: "Web", certificate: Path, encrypted: int, host: str, trusted: bool, expected: str
) -> None:
    authorities = ssl.create_default_context(cafile=str(certificate)) if trusted else None
    names = web.names(docs=[["127.0.0.1"]], other=[["127.0.0.1"]])
    tool = Fetch(allow=["*:*", f"127.0.0.1:{encrypted}"], resolver=names, authorities=authorities).tool()

    answer = web.holding(tool).fetch(f"https://{host}:{encrypted}/")

    assert expected in answer.text
