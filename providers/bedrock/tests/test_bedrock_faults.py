"""Test every applicable fault of the catalogue, and an answer cut or damaged at every byte."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from data_files import FAULTS

from openkoi_bedrock import Bedrock
from openkoi_hookspecs import Provider, ProviderUnavailableError, Reasoning, StreamEnd, ToolCall
from openkoi_testing.contracts.fault_catalogue import ResponsesContract
from openkoi_testing.contracts.faults import SILENCES, TIMEOUT_SECONDS, FaultsContract
from openkoi_testing.contracts.provider_harness import ProviderHarness
from openkoi_testing.servers import BedrockServer, Say, ServerFault
from openkoi_testing.servers.aws import build_frame, event_frame
from openkoi_testing.servers.bedrock import stream_events
from openkoi_testing.servers.faults import AfterResponse

CALL = ToolCall("a", "read", {"path": "ä"})
REPLY = Say([Reasoning("Hm.", "c2ln"), "Héllo 😀", CALL], delta=50)
SPOKEN = (*stream_events(REPLY),)
WHOLE = b"".join(SPOKEN)
ENDLESS = build_frame({":event-type": "contentBlockDelta"}, bytes(20 * 1024 * 1024))[:100]
ANOTHER_FORMAT = {"H16", "H20"}
THE_WIRE_S = {"H32"}


class Converse(ProviderHarness):
    server, model, answer = BedrockServer, "anthropic.claude-fake-v1:0", REPLY

    def provider(self, **settings: Any) -> Provider:
        return Bedrock(**{"api_key": "a-token", **settings})


class TestAnswers(Converse, ResponsesContract):
    catalogue = FAULTS
    left_out = frozenset(ANOTHER_FORMAT | THE_WIRE_S)


class TestFaults(Converse, FaultsContract):
    spoken = SPOKEN
    breaks = (0, 1, 150, 700)
    slices = (1, 2, 7)
    silences = (
        *SILENCES,
        ("only keep-alives", ServerFault(body=b"", after=AfterResponse.DRIPS)),
        (
            "a start and keep-alives",
            ServerFault(body=event_frame("messageStart", {"role": "assistant"}), after=AfterResponse.DRIPS),
        ),
    )

    def may_be_complete(self, lengths: Sequence[int], well: Sequence[int]) -> bool:
        """The usage may be missing, because it comes after the end."""
        return [len(WHOLE) - len(SPOKEN[-1]), len(WHOLE)] == list(well)

    @pytest.mark.campaign
    def test_an_answer_damaged_at_any_byte_is_nothing_that_is_acted_upon(self) -> None:
        self.no_damage_is_acted_upon(1)

    def test_an_answer_damaged_anywhere_is_nothing_that_is_acted_upon(self) -> None:
        self.no_damage_is_acted_upon(7)

    def no_damage_is_acted_upon(self, step: int) -> None:
        short = b"".join(stream_events(Say(CALL, delta=50)))
        places = range(0, len(short), step)
        damaged = [short[:at] + bytes([short[at] ^ 0x20]) + short[at + 1 :] for at in places]

        assert all(
            isinstance(one.error, ProviderUnavailableError) and not one.calls for one in self.receive_bodies(damaged)
        )

    def test_a_damaged_frame_is_said_to_be_one(self) -> None:
        (response,) = self.receive_bodies([WHOLE[:40] + b"\xff" + WHOLE[41:]])

        assert str(response.error).endswith("sent an invalid stream: one of its frames is damaged (ChecksumMismatch)")

    @pytest.mark.parametrize(
        "frame",
        [
            build_frame({":event-type": "messageStop", ":message-type": "event"}, b"no json"),
            build_frame({":event-type": "messageStop", ":message-type": "event"}, b"\xff"),
            build_frame({":event-type": "messageStop", ":message-type": "event"}, b"[]"),
            build_frame({":message-type": "event"}, b"{}"),
            build_frame({}, b""),
            bytes(64),
            b"data: {}\n\n",
        ],
    )
    def test_a_frame_of_nonsense_is_never_a_crash(self, frame: bytes) -> None:
        (response,) = self.receive_bodies([frame])

        assert isinstance(response.error, ProviderUnavailableError) or all(
            isinstance(chunk, StreamEnd) for chunk in response.chunks
        )

    def test_silence_in_the_middle_is_not_waited_for_for_ever(self) -> None:
        start = time.monotonic()
        response = self.receive(ServerFault(cut=len(WHOLE) // 2, after=AfterResponse.HANGS))

        assert isinstance(response.error, ProviderUnavailableError)
        assert "no new content" in str(response.error)
        assert not response.calls
        assert time.monotonic() - start < TIMEOUT_SECONDS

    def test_a_frame_without_end_is_not_read_to_its_end(self) -> None:
        response = self.receive(ServerFault(body=[ENDLESS, *[bytes(4 * 1024 * 1024)] * 25]))

        assert isinstance(response.error, ProviderUnavailableError)

    def test_a_long_answer_is_read_in_no_time(self) -> None:
        start = time.monotonic()
        (response,) = self.receive_bodies([b"".join(stream_events(Say("x" * 12_000)))])

        assert response.error is None
        assert len(response.text) == 12_000
        assert time.monotonic() - start < TIMEOUT_SECONDS
