"""Test that frames are extracted from the bytes as they arrive."""

import json

import pytest

from openkoi_bedrock.event_stream import EventStreamDecoder
from openkoi_testing.servers.aws import event_frame

pytestmark = pytest.mark.unit


def test_frames_tell_how_much_of_one_is_waiting() -> None:
    frames = EventStreamDecoder()
    first = event_frame("messageStart", {"role": "assistant"})

    assert len(list(frames.feed(first + first[:30]))) == 1
    assert frames.waiting == 30
    assert [json.loads(output) for output in frames.feed(first[30:])] == [
        {"headers": {":event-type": "messageStart"}, "payload": {"role": "assistant"}}
    ]
    assert frames.waiting == 0
