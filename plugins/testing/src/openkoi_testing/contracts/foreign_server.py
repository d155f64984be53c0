"""Test what every provider promises with a third-party server. Inherit it, with your provider::

    class TestPeer(PeerContract):
        model = "acme-large"

        def provider(self, address):
            return Acme(api_key="secret", base_url=address)

The server is ``LLMock``, one for all tests of a session. If it is unavailable, the tests are skipped with the reason.
"""

import asyncio
from typing import ClassVar

from openkoi_hookspecs import FinishReason, Message, Provider, Request, RequestRejectedError, Role, ToolResult

from .provider_harness import ReceivedResponse, receive_once

GREETING = "Hello, wörld 😀! How can I help?"
CITIES = ("Zürich", "Bern")
CALLS = [{"name": "weather", "arguments": {"city": city}} for city in CITIES]
FIXTURES = (
    {"match": {"userMessage": "hello"}, "response": {"content": GREETING}},
    {"match": {"userMessage": "weather", "hasToolResult": False}, "response": {"toolCalls": CALLS}},
    {"match": {"userMessage": "weather", "hasToolResult": True}, "response": {"content": "Sunny in both."}},
)
WEATHER = Message.user("weather")


class ForeignServerContract:
    """Set ``model``, and create the ``provider`` for a server at an address."""

    model: ClassVar[str]

    def provider(self, address: str) -> Provider:
        """Return a provider for the server at this address, which has no path."""
        raise TypeError(f"{type(self).__name__} must override provider()")

    def receive(self, address: str, *messages: Message) -> ReceivedResponse:
        """Return what is received from the server when it gets these messages."""
        return asyncio.run(receive_once(self.provider(address), Request(messages, model=self.model)))

    def test_words_stream_in_pieces(self, foreign_server: str) -> None:
        """Characters of all kinds arrive as sent."""
        response = self.receive(foreign_server, Message.user("hello"))

        assert response.text == GREETING
        assert len(response.chunks) > 3

    def test_tools_are_called_and_their_results_read(self, foreign_server: str) -> None:
        """Two calls at once, then the answer to both results."""
        response = self.receive(foreign_server, WEATHER)
        results = [ToolResult("sunny", call=call.id) for call in response.calls]
        story = (WEATHER, Message(Role.ASSISTANT, tuple(response.calls)), Message.user(*results))

        assert tuple(call.arguments["city"] for call in response.calls) == CITIES
        assert getattr(response.chunks[-1], "stop", None) is FinishReason.TOOLS
        assert len(response.chunks) == len(CITIES) + 1
        assert self.receive(foreign_server, *story).text == "Sunny in both."

    def test_what_it_does_not_know_is_refused(self, foreign_server: str) -> None:
        """The error contains the server's own message."""
        error = self.receive(foreign_server, Message.user("something else")).error

        assert isinstance(error, RequestRejectedError)
        assert "No fixture matched" in str(error)
