"""Every fault of the catalogue that has a counterpart here, and an answer cut or damaged at every byte."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from data_files import FAULTS

from openkoi_bedrock import Bedrock
from openkoi_hookspecs import Provider, ProviderUnavailableError, Reasoning, StreamEnd, ToolCall
from openkoi_testing.contracts.catalogue import AnswersContract
from openkoi_testing.contracts.faults import SILENCES, WITHIN, FaultsContract
from openkoi_testing.contracts.hearing import Speaker
from openkoi_testing.servers import BedrockServer, Fault, Say
from openkoi_testing.servers.aws import event, frame
from openkoi_testing.servers.bedrock import events
from openkoi_testing.servers.faults import After

CALL = ToolCall("a", "read", {"path": "ä"})
SAID = Say([Reasoning("Hm.", "c2ln"), "Héllo 😀", CALL], delta=50)
SPOKEN = (*events(SAID),)
WHOLE = b"".join(SPOKEN)
ENDLESS = frame({":event-type": "contentBlockDelta"}, bytes(20 * 1024 * 1024))[:100]
ANOTHER_FORMAT = {"H16", "H20"}
THE_WIRE_S = {"H32"}


class Converse(Speaker):
    server, model, said = BedrockServer, "anthropic.claude-fake-v1:0", SAID

    def provider(self, **settings: Any) -> Provider:
        return Bedrock(**{"api_key": "a-token", **settings})


class TestAnswers(Converse, AnswersContract):
    catalogue = FAULTS
    left_out = frozenset(ANOTHER_FORMAT | THE_WIRE_S)


class TestFaults(Converse, FaultsContract):
    spoken = SPOKEN
    breaks = (0, 1, 150, 700)
    slices = (1, 2, 7)
    silences = (
        *SILENCES,
        ("only keep-alives", Fault(body=b"", after=After.DRIPS)),
        ("a start and keep-alives", Fault(body=event("messageStart", {"role": "assistant"}), after=After.DRIPS)),
    )

    def ends_well(self, lengths: Sequence[int], well: Sequence[int]) -> bool:
        """What it cost may be missing: it comes after the end."""
        return [len(WHOLE) - len(SPOKEN[-1]), len(WHOLE)] == list(well)

    @pytest.mark.campaign
    def test_an_answer_damaged_at_any_byte_is_nothing_that_is_acted_upon(self) -> None:
        self.no_damage_is_acted_upon(1)

    def test_an_answer_damaged_anywhere_is_nothing_that_is_acted_upon(self) -> None:
        self.no_damage_is_acted_upon(7)

    def no_damage_is_acted_upon(self, step: int) -> None:
        short = b"".join(events(Say(CALL, delta=50)))
        places = range(0, len(short), step)
        damaged = [short[:at] + bytes([short[at] ^ 0x20]) + short[at + 1 :] for at in places]

        assert all(isinstance(one.error, ProviderUnavailableError) and not one.calls for one in self.told(damaged))

    def test_a_damaged_frame_is_said_to_be_one(self) -> None:
        (heard,) = self.told([WHOLE[:40] + b"\xff" + WHOLE[41:]])

        assert str(heard.error).endswith("sent an invalid stream: a frame of it is damaged (ChecksumMismatch)")

    @pytest.mark.parametrize(
        "frame",
        [
            frame({":event-type": "messageStop", ":message-type": "event"}, b"no json"),
            frame({":event-type": "messageStop", ":message-type": "event"}, b"\xff"),
            frame({":event-type": "messageStop", ":message-type": "event"}, b"[]"),
            frame({":message-type": "event"}, b"{}"),
            frame({}, b""),
            bytes(64),
            b"data: {}\n\n",
        ],
    )
    def test_a_frame_of_nonsense_is_never_a_crash(self, frame: bytes) -> None:
        (heard,) = self.told([frame])

        assert isinstance(heard.error, ProviderUnavailableError) or all(
            isinstance(chunk, StreamEnd) for chunk in heard.chunks
        )

    def test_silence_in_the_middle_is_not_waited_for_for_ever(self) -> None:
        begun = time.monotonic()
        heard = self.heard(Fault(cut=len(WHOLE) // 2, after=After.HANGS))

        assert isinstance(heard.error, ProviderUnavailableError)
        assert "no new content" in str(heard.error)
        assert not heard.calls
        assert time.monotonic() - begun < WITHIN

    def test_a_frame_without_end_is_not_read_to_its_end(self) -> None:
        heard = self.heard(Fault(body=[ENDLESS, *[bytes(4 * 1024 * 1024)] * 25]))

        assert isinstance(heard.error, ProviderUnavailableError)

    def test_a_long_answer_is_read_in_no_time(self) -> None:
        begun = time.monotonic()
        (heard,) = self.told([b"".join(events(Say("x" * 12_000)))])

        assert heard.error is None
        assert len(heard.text) == 12_000
        assert time.monotonic() - begun < WITHIN
