"""Every fault of the catalogue that has a counterpart here, and an answer cut or damaged at every byte."""

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_bedrock import Bedrock
from openkoi_bedrock.frames import Frames
from openkoi_hookspecs import (
    Chunk,
    Done,
    Message,
    ProviderError,
    Refused,
    Request,
    Text,
    Thought,
    ToolCall,
    Unavailable,
)
from openkoi_testing.servers import BedrockServer, Fault, Say
from openkoi_testing.servers.aws import STREAM, event, frame
from openkoi_testing.servers.bedrock import events
from openkoi_testing.servers.faults import After

FAULTS = Path(__file__).resolve().parents[3].parent / "shared" / "corpora" / "faults.json"
HELLO = Request([Message.user("Hello")], model="anthropic.claude-fake-v1:0")
CALL = ToolCall("a", "read", {"path": "ä"})
SAID = Say([Thought("Hm.", "c2ln"), "Héllo 😀", CALL], delta=50)
WHOLE = b"".join(events(SAID))
STATUS = {"headers-then-silence": Fault(cut=0, after=After.HANGS)}
ANOTHER_FORMAT = {"H16", "H20"}
THE_WIRE_S = {"H32"}
absent = pytest.mark.skipif(not FAULTS.exists(), reason=f"the catalogue of faults is not at {FAULTS}")


def cases() -> list[dict[str, Any]]:
    if not FAULTS.exists():
        return []
    found = json.loads(FAULTS.read_text(encoding="utf-8"))["cases"]
    return [
        case
        for case in found
        if case["layer"] == "http"
        and case["given"]["status"] != "dns-failure"
        and case["id"] not in ANOTHER_FORMAT | THE_WIRE_S
    ]


async def hear(provider: Bedrock) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    try:
        async for chunk in provider.chat(HELLO):
            chunks.append(chunk)
    except ProviderError as error:
        return chunks, error
    return chunks, None


async def hear_and_close(provider: Bedrock) -> tuple[list[Chunk], ProviderError | None]:
    """The same, of a provider that is not asked again."""
    async with provider:
        return await hear(provider)


def heard(fault: Fault, key: str = "a-token", idle: float = 5.0) -> tuple[list[Chunk], ProviderError | None]:
    with BedrockServer(replace(SAID, fault=fault)) as server:
        return asyncio.run(hear_and_close(Bedrock(api_key=key, base_url=server.url, idle_seconds=idle)))


def refused(status: int, message: str, kind: str = "") -> ProviderError:
    """The error that is made of a refusal."""
    headers = {"x-amzn-ErrorType": kind} if kind else {}
    _, error = heard(Fault(status=status, headers=headers, body=json.dumps({"message": message}).encode()))
    assert error is not None
    return error


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def outcomes(*bodies: bytes) -> list[tuple[list[Chunk], ProviderError | None]]:
    """What is heard of answers that end, as far as anyone can see, where these bodies end."""
    waiting = iter(bodies)
    headers = {"content-type": STREAM}
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=next(waiting), headers=headers))

    async def ask() -> list[tuple[list[Chunk], ProviderError | None]]:
        async with Bedrock(api_key="a-token", base_url="http://localhost", transport=wire) as provider:
            return [await hear(provider) for _ in bodies]

    return asyncio.run(ask())


@absent
@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case['id']} {case['why']}")
def test_answers_of_the_catalogue(case: dict[str, Any]) -> None:
    given, expect = case["given"], case["expect"]
    plain = {"content-type": "application/json", **given["headers"]}
    fault = STATUS.get(given["status"]) or Fault(status=given["status"], headers=plain, body=given["body"].encode())
    idle = 0.15 if fault.ending is After.HANGS else 5.0
    _, error = heard(fault, "sk-abcd1234efgh5678ijkl9012", idle)

    if expect["outcome"] == "retry":
        assert isinstance(error, Unavailable)
        low, _ = expect.get("after_s", (0, 0))
        assert (error.retry_after or 0) >= low
    else:
        assert isinstance(error, Refused)
        assert error.overflow is (expect["outcome"] == "compact_and_retry")
    assert "sk-abcd" not in str(error)


def test_an_answer_cut_at_any_byte_is_nothing_that_is_acted_upon() -> None:
    stopped = WHOLE.index(b"metadata") - len(":event-type") - 16
    *cut, whole = outcomes(*(WHOLE[:end] for end in range(len(WHOLE) + 1)))
    ended_well = [end for end, (_, error) in enumerate(cut) if error is None]

    assert whole[1] is None
    assert calls(whole[0]) == [CALL]
    assert len(ended_well) == 1
    assert stopped - 8 <= ended_well[0] <= stopped + 8
    assert all(isinstance(error, Unavailable) for end, (_, error) in enumerate(cut) if end not in ended_well)
    assert not any(calls(chunks) for end, (chunks, _) in enumerate(cut) if end not in ended_well)


def test_an_answer_damaged_at_any_byte_is_nothing_that_is_acted_upon() -> None:
    short = b"".join(events(Say(CALL, delta=50)))
    damaged = [short[:at] + bytes([short[at] ^ 0x20]) + short[at + 1 :] for at in range(len(short))]

    assert all(isinstance(error, Unavailable) and not calls(chunks) for chunks, error in outcomes(*damaged))


def test_a_damaged_frame_is_said_to_be_one() -> None:
    ((_, error),) = outcomes(WHOLE[:40] + b"\xff" + WHOLE[41:])

    assert str(error).endswith("sent a stream that cannot be read: a frame of it is damaged (ChecksumMismatch)")


@pytest.mark.parametrize(
    "frame",
    [
        frame({":event-type": "messageStop", ":message-type": "event"}, b"no json"),
        frame({":event-type": "messageStop", ":message-type": "event"}, b"\xff"),
        frame({":event-type": "messageStop", ":message-type": "event"}, b"[]"),
        frame({":message-type": "event"}, b"{}"),
        frame({}, b""),
        bytes(64),
        b"\x00\xff" * 500,
        b"data: {}\n\n",
        b"HTTP/1.1 200 OK\n\n",
    ],
)
def test_garbage_is_never_a_crash(frame: bytes) -> None:
    ((chunks, error),) = outcomes(frame)

    assert isinstance(error, Unavailable) or chunks == [Done(chunks[-1].usage)]  # type: ignore[union-attr]  # it is Done


@pytest.mark.parametrize("end", [0, 1, 150, 700])
def test_a_connection_that_breaks_is_unavailable(end: int) -> None:
    chunks, error = heard(Fault(cut=end))

    assert isinstance(error, Unavailable)
    assert not calls(chunks)


@pytest.mark.parametrize("slice", [1, 2, 7])
def test_a_stream_in_the_smallest_pieces_is_heard_as_one(slice: int) -> None:
    chunks, error = heard(Fault(slice=slice, keep_alives=1))

    assert error is None
    assert text(chunks) == "Héllo 😀"
    assert calls(chunks) == [CALL]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(cut=0, after=After.HANGS),
        Fault(cut=0, after=After.DRIPS),
        Fault(cut=len(WHOLE) // 2, after=After.HANGS),
        Fault(body=b"", after=After.DRIPS),
        Fault(body=event("messageStart", {"role": "assistant"}), after=After.DRIPS),
    ],
    ids=["silence", "keep-alives", "silence in the middle", "only keep-alives", "a start and keep-alives"],
)
def test_silence_is_not_waited_for_for_ever(fault: Fault) -> None:
    begun = time.monotonic()
    chunks, error = heard(fault, idle=0.15)

    assert isinstance(error, Unavailable)
    assert "nothing new" in str(error)
    assert not calls(chunks)
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize(("headers", "after"), [({}, None), ({"retry-after": "2"}, 2.0)])
@pytest.mark.parametrize("kind", ["ThrottlingException", "ModelNotReadyException"])
def test_too_many_requests_may_pass(kind: str, headers: dict[str, str], after: float | None) -> None:
    fault = Fault(status=429, headers={"x-amzn-ErrorType": kind, **headers}, body=b'{"message": "Too many tokens"}')
    _, error = heard(fault)

    assert isinstance(error, Unavailable)
    assert error.retry_after == after


@pytest.mark.parametrize("status", [408, 424, 500, 503, 529])
def test_what_may_pass_is_unavailable(status: int) -> None:
    error = refused(status, "The model could not be asked.")

    assert isinstance(error, Unavailable)
    assert "could not be asked" in str(error)


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (403, "The security token included in the request is expired", "Log in again"),
        (403, "The security token included in the request is invalid.", "must belong together"),
        (403, "The request signature we calculated does not match the signature you provided.", "this machine's clock"),
        (403, "Signature expired: 20260101T000000Z is now earlier than 20260102T000000Z", "this machine's clock"),
        (403, "Authentication failed: Please make sure your API Key is valid.", "AWS_BEARER_TOKEN_BEDROCK"),
        (403, "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel", "the permission"),
        (403, "You don't have access to the model with the specified model ID.", "Ask for access to the model"),
        (400, "Invocation of model ID x with on-demand throughput isn't supported.", "inference profile"),
        (400, "Your account has reached its quota.", "quota"),
        (404, "Could not resolve the foundation model.", "Check the model's name"),
    ],
)
def test_refusals_say_what_to_do(status: int, message: str, advice: str) -> None:
    error = refused(status, message)

    assert isinstance(error, Refused)
    assert advice in str(error)
    assert not error.overflow


@pytest.mark.parametrize(
    "message",
    [
        "Input is too long for requested model.",
        "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
        "The model returned the following errors: Input length and `max_tokens` exceed context limit: 1 + 2 > 2",
        "This model's maximum context length is 8192 tokens.",
        "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
    ],
)
def test_a_prompt_that_is_too_long_is_known_as_one(message: str) -> None:
    error = refused(400, message, "ValidationException")

    assert isinstance(error, Refused)
    assert error.overflow


def test_a_name_that_is_not_known_is_unavailable() -> None:
    _, error = asyncio.run(hear_and_close(Bedrock(api_key="a-token", base_url="http://nowhere.invalid")))

    assert isinstance(error, Unavailable)
    assert "nowhere.invalid could not be reached" in str(error)


@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_end_is_not_read_to_its_end(status: int) -> None:
    mega = bytes(1024 * 1024)
    fault = Fault(status=status, body=[mega] * 100) if status != 200 else Fault(body=[endless(), *[mega] * 100])
    _, error = heard(fault)

    assert isinstance(error, Unavailable)


def endless() -> bytes:
    """The beginning of a frame of 20 MB."""
    return frame({":event-type": "contentBlockDelta"}, bytes(20 * 1024 * 1024))[:100]


def test_a_long_answer_is_read_in_no_time() -> None:
    said = Say("x" * 12_000)
    begun = time.monotonic()
    ((chunks, error),) = outcomes(b"".join(events(said)))

    assert error is None
    assert len(text(chunks)) == 12_000
    assert time.monotonic() - begun < 5


def test_frames_tell_how_much_of_one_is_waiting() -> None:
    frames = Frames()
    first = event("messageStart", {"role": "assistant"})

    assert len(list(frames.feed(first + first[:30]))) == 1
    assert frames.waiting == 30
    assert [json.loads(told) for told in frames.feed(first[30:])] == [
        {"headers": {":event-type": "messageStart"}, "payload": {"role": "assistant"}}
    ]
    assert frames.waiting == 0
