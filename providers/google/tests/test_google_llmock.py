"""Test the provider with a third-party server."""

from openkoi_google import Google
from openkoi_hookspecs import Provider
from openkoi_testing.contracts.foreign_server import ForeignServerContract


class TestPeer(ForeignServerContract):
    model = "gemini-2.5-pro"

    def provider(self, address: str) -> Provider:
        return Google(api_key="AIza-test", base_url=address)
