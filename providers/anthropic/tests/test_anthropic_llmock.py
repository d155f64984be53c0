"""Test the provider with a third-party server."""

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Provider
from openkoi_testing.contracts.foreign_server import ForeignServerContract


class TestPeer(ForeignServerContract):
    model = "claude-sonnet-4-5"

    def provider(self, address: str) -> Provider:
        return Anthropic(api_key="sk-test", base_url=address)
