"""Test how every provider survives a catalogue of faults. Inherit it with your vendor's fake and the catalogue's file::

    class TestStreams(StreamsContract):
        catalogue = Path("faults.json")
        server, model, answer = AcmeServer, "acme-fake", ANSWER

Its streams and documents are written in the words of Chat Completions: ``streamed`` and ``body`` translate them. Cases
without a counterpart in the vendor's format are ``left_out``, cases in its own format have its ``dialect``, and
``expected`` lists different outcomes.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from openkoi_hookspecs import ProviderUnavailableError, RequestRejectedError, ToolCall

from ..servers import Say, ServerFault
from ..servers.faults import AfterResponse
from .provider_harness import KEY, ProviderHarness

JSON = "application/json"
ENDLESS = frozenset({"S24"})
NO_SERVER = "dns-failure"
FAULTS_OF_STATUS = {
    "headers-then-silence": ServerFault(cut=0, after=AfterResponse.HANGS),
    "429 with a body that never ends": ServerFault(status=429, body=b"", after=AfterResponse.DRIPS),
}

CatalogueCase = Mapping[str, Any]  # the catalogue is JSON whose fields differ from case to case


class CatalogueContract(ProviderHarness):
    """Set ``catalogue`` and the attributes of ``ProviderHarness``."""

    catalogue: ClassVar[Path]
    left_out: ClassVar[frozenset[str]] = frozenset()
    layers: ClassVar[Sequence[str]] = ()
    dialect: ClassVar[str] = ""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrize the tests that ask for a layer with its cases."""
        for layer in self.layers:
            if layer in metafunc.fixturenames:
                metafunc.parametrize(layer, self.cases(layer), ids=case_id)

    def cases(self, layer: str) -> list[Any]:
        """Return the cases of a layer that have a counterpart."""
        found = json.loads(self.catalogue.read_text(encoding="utf-8"))["cases"]
        return [case for case in found if case["layer"] == layer and self.is_relevant(case)]

    def is_relevant(self, case: CatalogueCase) -> bool:
        """Return whether a case concerns data received from a server."""
        given = case["given"]
        calls = case["layer"] != "proto" or "tool_calls" in given
        return calls and given.get("status") != NO_SERVER and case["id"] not in self.left_out

    def expected_of(self, case: CatalogueCase) -> CatalogueCase:
        """Return the expected outcome."""
        outcome: CatalogueCase = case["expect"]
        return outcome


class StreamsContract(CatalogueContract):
    """Test the catalogue's streams, and its turns of many calls."""

    layers = ("sse", "proto")

    def stream_of(self, case: CatalogueCase) -> Sequence[bytes]:
        """Return the pieces of a stream in the vendor's format; broken parts stay broken."""
        return [base64.b64decode(piece) for piece in case["given"]["chunks_b64"]]

    def calls_fault(self, calls: Sequence[ToolCall]) -> ServerFault:
        """Return an answer that asks for these tools, valid or not, in the server's default format."""
        return ServerFault()

    def test_streams_of_the_catalogue(self, sse: CatalogueCase) -> None:
        """Check that streams are complete or not, and never contain half a tool call."""
        expect, endless = self.expected_of(sse), sse["id"] in ENDLESS
        response = self.receive(
            ServerFault(body=self.stream_of(sse), after=AfterResponse.DRIPS if endless else AfterResponse.ENDS)
        )

        assert (response.error is None) is response.is_complete
        match expect["outcome"]:
            case "ok":
                assert response.error is None
            case "incomplete":
                assert isinstance(response.error, ProviderUnavailableError)
            case "tools":
                assert [call.arguments for call in response.calls] == expect["args"]
            case "truncated_tool":
                assert not response.calls
        if expect.get("executed") is False:
            assert not response.calls
        if "text" in expect and expect.get("dialect", self.dialect) == self.dialect:
            assert response.text == expect["text"]

    def test_tool_calls_of_the_catalogue_get_ids_of_their_own(self, proto: CatalogueCase) -> None:
        """Check calls without ids, with the same id twice, and two hundred calls."""
        given = proto["given"]["tool_calls"]
        calls = [ToolCall(call["id"], call["name"], json.loads(call["arguments"])) for call in given]
        response = self.receive(self.calls_fault(calls), Say(calls))

        assert response.error is None
        assert len({call.id for call in response.calls}) == len(given)


class ResponsesContract(CatalogueContract):
    """Test the catalogue's answers over HTTP, including refusals and failures."""

    layers = ("http",)

    def body_of(self, case: CatalogueCase) -> bytes:
        """Return the document of an answer, in the vendor's format."""
        body: str = case["given"]["body"]
        return body.encode()

    def test_answers_of_the_catalogue(self, http: CatalogueCase) -> None:
        """Check which answers pass, which fail, when to retry, and that no message contains a key."""
        given, expect = http["given"], self.expected_of(http)
        fault = FAULTS_OF_STATUS.get(given["status"]) or ServerFault(
            status=given["status"], headers={"content-type": JSON, **given["headers"]}, body=self.body_of(http)
        )
        response = self.receive(fault, api_key=KEY)

        match expect["outcome"]:
            case "ok":
                assert response.is_complete
            case "retry":
                assert isinstance(response.error, ProviderUnavailableError)
                assert (response.error.retry_after or 0) >= expect.get("after_s", (0, 0))[0]
            case "fail" | "compact_and_retry" as outcome:
                assert isinstance(response.error, RequestRejectedError)
                assert (outcome == "compact_and_retry") is response.error.context_overflow
        assert KEY[:7] not in str(response.error)


def case_id(case: CatalogueCase) -> str:
    """Return a case's id and what it is about."""
    return f"{case['id']} {case['why']}"
