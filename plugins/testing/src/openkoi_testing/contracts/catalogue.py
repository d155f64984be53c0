"""How every provider survives a catalogue of faults. Inherit it, with your vendor's fake and the catalogue's file::

    class TestStreams(StreamsContract):
        catalogue = Path("faults.json")
        server, model, said = AcmeServer, "acme-fake", SAID

Its streams and documents are written in the words of Chat Completions: ``streamed`` and ``body`` translate them. What
has no counterpart in a vendor's words is ``left_out``, what is written in its own has its ``dialect``, and
``expected`` says where the outcome is another one.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from openkoi_hookspecs import ProviderUnavailableError, RequestRejectedError, ToolCall

from ..servers import Fault, Say
from ..servers.faults import After
from .hearing import KEY, Speaker

JSON = "application/json"
ENDLESS = frozenset({"S24"})
NO_SERVER = "dns-failure"
STATUS = {
    "headers-then-silence": Fault(cut=0, after=After.HANGS),
    "429 with a body that never ends": Fault(status=429, body=b"", after=After.DRIPS),
}

Case = Mapping[str, Any]  # the catalogue is JSON whose fields differ from case to case


class CatalogueContract(Speaker):
    """Set ``catalogue`` and what a ``Speaker`` needs."""

    catalogue: ClassVar[Path]
    left_out: ClassVar[frozenset[str]] = frozenset()
    layers: ClassVar[Sequence[str]] = ()
    dialect: ClassVar[str] = ""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Take the cases of a layer for those tests that ask for one."""
        for layer in self.layers:
            if layer in metafunc.fixturenames:
                metafunc.parametrize(layer, self.cases(layer), ids=named)

    def cases(self, layer: str) -> list[Any]:
        """Return the cases of a layer that have a counterpart."""
        found = json.loads(self.catalogue.read_text(encoding="utf-8"))["cases"]
        return [case for case in found if case["layer"] == layer and self.concerns(case)]

    def concerns(self, case: Case) -> bool:
        """Whether a case is about what is heard of a server."""
        given = case["given"]
        calls = case["layer"] != "proto" or "tool_calls" in given
        return calls and given.get("status") != NO_SERVER and case["id"] not in self.left_out

    def expected(self, case: Case) -> Case:
        """What is to come of it."""
        outcome: Case = case["expect"]
        return outcome


class StreamsContract(CatalogueContract):
    """The catalogue's streams, and its turns of many calls."""

    layers = ("sse", "proto")

    def streamed(self, case: Case) -> Sequence[bytes]:
        """The pieces of a stream, in the vendor's words; what is broken in it stays as it is."""
        return [base64.b64decode(piece) for piece in case["given"]["chunks_b64"]]

    def calling(self, calls: Sequence[ToolCall]) -> Fault:
        """An answer that asks for these tools, whatever is wrong with them; as the server says it, if not said here."""
        return Fault()

    def test_streams_of_the_catalogue(self, sse: Case) -> None:
        """Whole or not, and in no case half a tool call."""
        expect, endless = self.expected(sse), sse["id"] in ENDLESS
        heard = self.heard(Fault(body=self.streamed(sse), after=After.DRIPS if endless else After.ENDS))

        assert (heard.error is None) is heard.whole
        match expect["outcome"]:
            case "ok":
                assert heard.error is None
            case "incomplete":
                assert isinstance(heard.error, ProviderUnavailableError)
            case "tools":
                assert [call.arguments for call in heard.calls] == expect["args"]
            case "truncated_tool":
                assert not heard.calls
        if expect.get("executed") is False:
            assert not heard.calls
        if "text" in expect and expect.get("dialect", self.dialect) == self.dialect:
            assert heard.text == expect["text"]

    def test_tool_calls_of_the_catalogue_get_ids_of_their_own(self, proto: Case) -> None:
        """None at all, the same twice, and two hundred."""
        given = proto["given"]["tool_calls"]
        asked = [ToolCall(call["id"], call["name"], json.loads(call["arguments"])) for call in given]
        heard = self.heard(self.calling(asked), Say(asked))

        assert heard.error is None
        assert len({call.id for call in heard.calls}) == len(given)


class AnswersContract(CatalogueContract):
    """The catalogue's answers over HTTP, refusals and failures among them."""

    layers = ("http",)

    def body(self, case: Case) -> bytes:
        """The document of an answer, in the vendor's words."""
        said: str = case["given"]["body"]
        return said.encode()

    def test_answers_of_the_catalogue(self, http: Case) -> None:
        """What may pass, what will not, when to ask again, and no key in any sentence."""
        given, expect = http["given"], self.expected(http)
        fault = STATUS.get(given["status"]) or Fault(
            status=given["status"], headers={"content-type": JSON, **given["headers"]}, body=self.body(http)
        )
        heard = self.heard(fault, api_key=KEY)

        match expect["outcome"]:
            case "ok":
                assert heard.whole
            case "retry":
                assert isinstance(heard.error, ProviderUnavailableError)
                assert (heard.error.retry_after or 0) >= expect.get("after_s", (0, 0))[0]
            case "fail" | "compact_and_retry" as outcome:
                assert isinstance(heard.error, RequestRejectedError)
                assert (outcome == "compact_and_retry") is heard.error.context_overflow
        assert KEY[:7] not in str(heard.error)


def named(case: Case) -> str:
    """Return a case's id and what it is about."""
    return f"{case['id']} {case['why']}"
