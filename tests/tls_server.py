"""A model server behind TLS, with certificates as they are found in the wild: real ones, made for a test."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from openkoi_testing.servers import OpenAIServer

LOCAL: x509.GeneralName = x509.IPAddress(ip_address("127.0.0.1"))
OTHER: x509.GeneralName = x509.DNSName("wifi.example")


class TlsServer(OpenAIServer):
    """A fake of OpenAI that shows a certificate. ``connections`` counts who tried to speak to it."""

    def __init__(self, certificate: Path, *answers: str) -> None:
        super().__init__(*answers)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.tls = context


def certificate(file: Path, *, name: x509.GeneralName = LOCAL, days: tuple[int, int] = (-1, 30)) -> Path:
    """Write a key and a certificate that it signed itself, valid between these days from now."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fake")])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(pem))
    return file
