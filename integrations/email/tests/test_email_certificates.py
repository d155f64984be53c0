"""Test which certificates a mailbox trusts, over connections to a server on this machine."""

import socket
import ssl
from pathlib import Path
from threading import Thread

import pytest
from tls_server import certificate

from openkoi_email.mailbox import connect
from openkoi_email.writing import open_smtp


def test_certificates_are_read_once_for_all_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are megabytes, and take 30 ms: the second connection works although the file is gone."""
    made = certificate(tmp_path / "server.pem")
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(made.read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for greeting in (b"* PREAUTH hello\r\n* CAPABILITY IMAP4rev1\r\n", b"220 hello\r\n"):
                with context.wrap_socket(listener.accept()[0], server_side=True) as one:
                    one.sendall(greeting)
                    while data := one.recv(1000):
                        one.sendall(data.split(b" ")[0] + b" OK fine\r\n")

        server, port = Thread(target=serve), listener.getsockname()[1]
        server.start()
        imap = connect(f"imaps://127.0.0.1:{port}", 5.0)
        imap.shutdown()
        trusted.unlink()
        open_smtp("smtps", "127.0.0.1", port).close()
        server.join()

    assert imap.state == "AUTH"
