"""Test the provider with a third-party server."""

from openkoi_hookspecs import Provider
from openkoi_ollama import Ollama
from openkoi_testing.contracts.foreign_server import ForeignServerContract


class TestPeer(ForeignServerContract):
    """The server does not describe its models."""

    model = "llama3.3"

    def provider(self, address: str) -> Provider:
        return Ollama(base_url=address)
