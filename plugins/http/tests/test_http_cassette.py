"""Test that exchanges are recorded unchanged but without secrets, and replayed without a server."""

import asyncio
import base64
import json
import os
import stat
from collections.abc import Sequence
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    ConfigError,
    Json,
    KoiError,
    ProviderError,
    ProviderUnavailableError,
    RequestRejectedError,
    WrongServerError,
)
from openkoi_http import ApiClient, ResponseLimits, is_replay
from openkoi_testing.servers.faults import AfterResponse, ServerFault
from openkoi_testing.servers.http_server import EVENTS, HttpServer, ReceivedRequest, ServerResponse

KEY = "Opaque/Canary+0123456789"
STRANGERS = "sk-canary1234efgh5678ijkl9012"
HELLO = [b"data: h\xc3\xa9llo\n\n", b"data: \xf0\x9f\x98\x80\n\n", b"data: [END]\n\n"]
QUICK = ResponseLimits(idle_seconds=0.2, error_seconds=0.3)
UNREACHABLE = "http://127.0.0.1:9/v1"


class Pieces:
    """A parser of events; [END] is the end."""

    def __init__(self) -> None:
        self.over = False

    def event(self, data: str) -> Sequence[str]:
        self.over = data == "[END]"
        return [] if self.over else [data]

    def document(self, data: bytes) -> Sequence[str]:
        return [f"whole: {data.decode()}"]


def server(*pieces: bytes, type: str = EVENTS, fault: ServerFault = ServerFault()) -> HttpServer:  # noqa: B008 - frozen
    return HttpServer(lambda _: ServerResponse(pieces or HELLO, type=type, fault=fault))


async def hear(wire: ApiClient, body: bytes = b'{"say": "hello"}') -> list[str]:
    async with aclosing(wire.stream("/say", body, Pieces())) as words:
        return [word async for word in words]


async def outcome(wire: ApiClient, body: bytes = b'{"say": "hello"}') -> tuple[list[str], ProviderError | None]:
    """The events until the stream ends or fails."""
    words: list[str] = []
    try:
        async with aclosing(wire.stream("/say", body, Pieces())) as heard:
            async for word in heard:
                words.append(word)
    except ProviderError as error:
        return words, error
    return words, None


def recorded(
    file: Path, from_server: HttpServer, *bodies: bytes, path: str = "/v1"
) -> list[tuple[list[str], ProviderError | None]]:
    async def ask() -> list[tuple[list[str], ProviderError | None]]:
        headers = {"Authorization": f"Bearer {KEY}"}
        url = f"{listening.url}{path}"
        async with ApiClient(url, headers=headers, bounds=QUICK, cassette=f"record:{file}") as wire:
            return [await outcome(wire, body) for body in bodies or (b'{"say": "hello"}',)]

    with from_server as listening:
        return asyncio.run(ask())


def replayed(file: Path, *bodies: bytes, base_url: str = UNREACHABLE) -> list[tuple[list[str], ProviderError | None]]:
    async def ask() -> list[tuple[list[str], ProviderError | None]]:
        async with ApiClient(base_url, bounds=QUICK, cassette=f"replay:{file}") as wire:
            return [await outcome(wire, body) for body in bodies or (b'{"say": "hello"}',)]

    return asyncio.run(ask())


def lines(file: Path) -> list[dict[str, Json]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_an_exchange_is_one_line_that_a_person_can_read(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server())
    (line,) = lines(file)

    assert ("POST", "/say", '{"say": "hello"}') == (line["method"], line["path"], line["body"])
    assert ["data: héllo\n\n", "data: 😀\n\n", "data: [END]\n\n"] == line["pieces"]
    assert (200, {"content-type": EVENTS}, "") == (line["status"], line["headers"], line["cut"])
    assert "héllo" in file.read_text(encoding="utf-8")


def test_it_is_played_without_a_server_and_below_any_base_url(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(), path="/some/where")

    assert [(["héllo", "😀"], None)] == replayed(file) == replayed(file, base_url="https://elsewhere.example/v7/")


def test_a_stream_comes_in_the_pieces_in_which_it_came(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(fault=ServerFault(slice=4, pause=0.01)))

    assert [(["héllo", "😀"], None)] == replayed(file)
    (line,) = lines(file)
    assert isinstance(line["pieces"], list)
    assert len(line["pieces"]) > 5
    assert any(isinstance(piece, dict) for piece in line["pieces"])


@pytest.mark.parametrize("cut", [0, 9, 16])
def test_a_cut_is_a_cut_again(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "cassette.jsonl"
    ((words, error),) = recorded(file, server(fault=ServerFault(cut=cut)))
    ((again, error_again),) = replayed(file)

    assert (isinstance(error, ProviderUnavailableError), isinstance(error_again, ProviderUnavailableError)) == (
        True,
        True,
    )
    assert words == again


def test_silence_is_recorded_as_a_cut(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(fault=ServerFault(cut=16, after=AfterResponse.HANGS)))

    assert [["héllo"]] == [words for words, error in replayed(file) if isinstance(error, ProviderUnavailableError)]


def test_no_answer_at_all_is_none_again(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"

    async def ask() -> None:
        async with ApiClient(UNREACHABLE, cassette=f"record:{file}") as wire:
            with suppress(ProviderUnavailableError):
                await hear(wire)

    asyncio.run(ask())
    ((_, error),) = replayed(file)

    assert isinstance(error, ProviderUnavailableError)
    assert "could not be reached" in str(error)


def test_a_server_that_never_begins_to_answer_is_silent_again(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(fault=ServerFault(delay=30)))
    ((words, error),) = replayed(file)

    assert [] == words
    assert isinstance(error, ProviderUnavailableError)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, ProviderUnavailableError),
        (503, ProviderUnavailableError),
        (400, RequestRejectedError),
        (302, WrongServerError),
    ],
)
def test_an_error_is_the_same_error_again(tmp_path: Path, status: int, kind: type[ProviderError]) -> None:
    file = tmp_path / "cassette.jsonl"
    fault = ServerFault(status=status, headers={"retry-after": "7"}, body=b'{"error": {"message": "Not so."}}')
    ((_, error),) = recorded(file, server(fault=fault))
    ((_, again),) = replayed(file)

    assert kind is type(error) is type(again)
    assert str(error).split(" ", 1)[1] == str(again).split(" ", 1)[1]
    assert getattr(error, "retry_after", 7.0) == 7.0
    assert getattr(again, "retry_after", None) is None


def test_equal_requests_are_answered_in_their_order(tmp_path: Path) -> None:
    file, count = tmp_path / "cassette.jsonl", iter(range(9))
    recorded(
        file, HttpServer(lambda _: ServerResponse([b"data: %d\n\n" % next(count)], type=EVENTS)), b"{}", b"{}", b"[]"
    )

    assert [["0"], ["2"], ["1"]] == [words for words, _ in replayed(file, b"{}", b"[]", b"{}")]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (b'{"a": 1, "b": 2}', b'{"b":2,"a":1}'),
        (b'{"s": "Today is 2026-11-21."}', b'{"s": "Today is 2027-01-02."}'),
        (b'{"s": "at 2026-11-21T10:00:00.5+01:00"}', b'{"s": "at 2026-11-22T11:30:00Z"}'),
        (b'{"s": "3 passed in 0.12s"}', b'{"s": "3 passed in 14.02s"}'),
        (b'["call_%s", "call_%s"]' % (b"a" * 24, b"b" * 24), b'["call_%s", "call_%s"]' % (b"1" * 24, b"2" * 24)),
    ],
    ids=["the order of keys", "dates", "moments", "durations", "ids made up"],
)
def test_what_is_volatile_does_not_matter(tmp_path: Path, then: bytes, now: bytes) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(), then)

    assert [(["héllo", "😀"], None)] == replayed(file, now)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (b'{"s": "2 + 2"}', b'{"s": "2 + 3"}'),
        (b'{"s": ["1", "2"]}', b'{"s": ["2", "1"]}'),
        (b'["call_%s", "call_%s"]' % (b"a" * 24, b"b" * 24), b'["call_%s", "call_%s"]' % (b"a" * 24, b"a" * 24)),
    ],
)
def test_what_was_not_recorded_is_refused_in_words(tmp_path: Path, then: bytes, now: bytes) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(), then)
    ((_, error),) = replayed(file, now)

    assert isinstance(error, RequestRejectedError)
    assert "The request POST /say (" in str(error)
    assert f"was not recorded: {file} contains 1 exchanges." in str(error)
    assert str(error).endswith("Record again.")


def test_what_was_recorded_once_is_answered_once(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server())
    _, (_, error) = replayed(file, *[b'{"say": "hello"}'] * 2)

    assert isinstance(error, RequestRejectedError)
    assert "was recorded only once" in str(error)


def test_a_list_that_was_fetched_once_may_be_fetched_again(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"

    async def fetch(cassette: str, url: str) -> list[Json]:
        async with ApiClient(url, cassette=cassette) as wire:
            return [await wire.get("/models"), await wire.get("/models") if is_replay(cassette) else None]

    with server(b'{"data": []}', type="application/json") as listening:
        asyncio.run(fetch(f"record:{file}", listening.url))

    assert [{"data": []}, {"data": []}] == asyncio.run(fetch(f"replay:{file}", UNREACHABLE))


def test_secrets_are_nowhere_in_it(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    wrapped = base64.b64encode(f"x{KEY}".encode()).decode()
    data = json.dumps({"key": KEY, "wrapped": wrapped, "text": f"\n{STRANGERS}\n"}).encode()

    def echo(seen: ReceivedRequest) -> ServerResponse:
        text = f"{KEY} {wrapped} {STRANGERS}"
        events = [b"data: " + json.dumps({"text": text[n : n + 5]}).encode() + b"\n\n" for n in range(0, len(text), 5)]
        leaking = {"content-type": EVENTS, "x-request-id": KEY, "retry-after": STRANGERS}
        return ServerResponse(
            [*events, f": {KEY}\n\n".encode()], type=EVENTS, fault=ServerFault(slice=7, headers=leaking)
        )

    recorded(file, HttpServer(echo), data)
    found = file.read_bytes().decode()
    ((words, _),) = replayed(file, str(lines(file)[0]["body"]).encode())
    message = "".join(json.loads(word)["text"] for word in words)

    assert not [secret for secret in (KEY, STRANGERS, wrapped[4:-4], "Canary", "canary1234") if secret in found]
    assert "[redacted]" in found
    assert "authorization" not in found.lower()
    assert "[redacted] eE[redacted]Q== [redacted]" == message


def test_a_secret_in_a_request_does_not_keep_it_from_being_found(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server(), json.dumps({"text": f"\n{STRANGERS}\n"}).encode())

    assert [(["héllo", "😀"], None)] == replayed(file, b'{"text": "\\n[redacted]\\n"}')


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_it_is_its_owner_s_alone(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server())

    assert 0o600 == stat.S_IMODE(file.stat().st_mode)


WIRES, PIECES = 8, 40  # a piece takes 10 ms, and so many already alternate in the file


def test_many_wires_may_record_to_one_file_at_the_same_time(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"

    async def ask(url: str, number: int) -> None:
        async with ApiClient(url, cassette=f"record:{file}") as wire:
            await hear(wire, b'{"n": "%d"}' % number)

    async def all_at_once(url: str) -> None:
        await asyncio.gather(*(ask(url, number) for number in range(WIRES)))

    with HttpServer(lambda seen: ServerResponse([b"data: " + seen.body + b"\n\n"] * PIECES, type=EVENTS)) as listening:
        asyncio.run(all_at_once(listening.url))

    bodies = [b'{"n": "%d"}' % number for number in range(WIRES)]
    assert [[body.decode()] * PIECES for body in bodies] == [words for words, _ in replayed(file, *bodies)]


def test_an_answer_that_was_left_early_is_kept_as_far_as_it_was_heard(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"

    async def ask(url: str) -> str:
        wire = ApiClient(url, cassette=f"record:{file}")
        async with wire, aclosing(wire.stream("/say", b'{"say": "hello"}', Pieces())) as words:
            return await anext(words)

    with server(fault=ServerFault(pause=0.1)) as listening:
        first = asyncio.run(ask(listening.url))
    ((words, error),) = replayed(file)

    assert words == [first]
    assert isinstance(error, ProviderUnavailableError)


@pytest.mark.parametrize("cassette", ["cassette.jsonl", "record:", "replay:", "rewind:file", "record"])
def test_a_cassette_is_one_of_two_words_and_a_file(cassette: str) -> None:
    with pytest.raises(ConfigError, match="record:FILE or replay:FILE"):
        ApiClient(UNREACHABLE, cassette=cassette)


@pytest.mark.parametrize("word", ["record", "replay"])
def test_a_folder_that_is_not_there_is_said_at_once(tmp_path: Path, word: str) -> None:
    with pytest.raises(ConfigError, match=r"Cannot re.*cassette\.jsonl: No such file or directory"):
        ApiClient(UNREACHABLE, cassette=f"{word}:{tmp_path / 'none' / 'cassette.jsonl'}")


@pytest.mark.parametrize("line", [b"hello", b"{}", b"[]", b"\xff\xfe", b"", b'{"method": "GET"', b"[" * 9_999])
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server())
    file.write_bytes(file.read_bytes() + line + b"\n")

    with pytest.raises(ConfigError, match=r"Cannot replay .*cassette\.jsonl, line 2: "):
        ApiClient(UNREACHABLE, cassette=f"replay:{file}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to be had")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"

    async def ask(url: str) -> None:
        async with ApiClient(url, cassette=f"record:{file}") as wire:
            file.unlink()
            file.symlink_to("/dev/full")
            await hear(wire)

    with server() as listening, pytest.raises(KoiError, match=r"No space left on device\. Free disk space"):
        asyncio.run(ask(listening.url))


def test_a_replay_signs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, server())

    def sign(method: str, url: str, body: bytes) -> dict[str, str]:
        raise ConfigError("There are no credentials.")

    async def ask() -> list[str]:
        async with ApiClient(UNREACHABLE, sign=sign, cassette=f"replay:{file}") as wire:
            return await hear(wire)

    assert ["héllo", "😀"] == asyncio.run(ask())
