"""Test that direct connections read what h11 reads: families of responses, in pieces of every size."""

from collections.abc import Iterator
from random import Random

import h11
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_http.api_request import ApiRequest
from openkoi_http.http_body import body_of
from openkoi_http.http_head import MAX_HEAD_BYTES, take_head
from openkoi_http.network_errors import NetworkError
from openkoi_http.origin import find_origin, is_plain

STATUSES = (200, 201, 204, 304, 400, 429, 503)
HEADERS = (
    b"Content-Type: text/event-stream",
    b"X-Empty:",
    b"x-blanks: \t both ends \t",
    b"X-Twice: one\r\nx-twice: two",
    b"X-Folded: begun\r\n  and continued",
    "X-Latin: é".encode("latin-1"),
    b"Connection: close",
    b"Connection: keep-alive, x",
)
WRONG = (
    b"HTP/1.1 200 OK\r\n\r\n",
    b"\x15\x03\x01\x00\x02\x02",
    b"HTTP/1.1 20 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nwith blank : x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nx: a\x00b\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\n1",
    b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n1",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab",
    b"",
)
Read = tuple[int, dict[str, str], bytes, bool]


def chunked(random: Random, body: bytes) -> bytes:
    cuts = sorted(random.randrange(len(body) + 1) for _ in range(random.randrange(5)))
    pieces = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    lines = [b"%x%b\r\n%b\r\n" % (len(piece), random.choice((b"", b"; a=b")), piece) for piece in pieces if piece]
    trailer = random.choice((b"", b"X-Trailer: yes\r\n"))
    return b"".join(lines) + b"0\r\n" + trailer + b"\r\n"


def generated(seed: int) -> bytes:
    """A response as servers send it; without a length, it ends with the connection."""
    random = Random(seed)
    status, body = random.choice(STATUSES), random.randbytes(random.choice((0, 1, 40, 3_000)))
    kind = random.choice(("sized", "chunked", "both", "open"))
    headers = random.sample(HEADERS, random.randrange(len(HEADERS)))
    if kind in ("chunked", "both"):
        headers.append(b"Transfer-Encoding: Chunked")
    if kind in ("sized", "both"):
        headers.append(b"Content-Length: %d" % len(body))
    bodiless = status in (204, 304)
    early = random.choice((b"", b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"))
    version = random.choice((b"1.1", b"1.1", b"1.0"))
    head = b"HTTP/%b %d %b\r\n" % (version, status, random.choice((b"OK", b"", b"Not so")))
    sent = b"" if bodiless else chunked(random, body) if kind in ("chunked", "both") else body
    end = random.choice((b"\r\n", b"\r\n", b"\n"))
    return (early + head + b"".join(line + b"\r\n" for line in headers) + b"\r\n").replace(b"\r\n", end) + sent


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def read(data: bytes, size: int) -> Read:
    """Read a response as the client does, in pieces of a size; leftover bytes mean another connection."""
    buffer, pieces, body, head, out = bytearray(), cut(data, size), None, None, b""
    while body is None or not body.over:
        if head is None or body is None:
            head = take_head(buffer)
            if head and not head.is_informational:
                body = body_of(head, "POST")
                continue
            if head:
                continue
        elif piece := body.take(buffer):
            out += piece
            continue
        elif body.over:
            break
        if more := next(pieces, b""):
            buffer += more
        elif body is None:
            raise NetworkError
        else:
            body.end()
    assert head
    return head.status, dict(head.headers), out, head.keeps_alive


def read_by_h11(data: bytes, size: int) -> Read:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("host", "x"), ("content-length", "0")]))
    connection.send(h11.EndOfMessage())
    pieces, response, out = cut(data, size), None, b""
    while True:
        event = connection.next_event()
        match event:
            case h11.Response():
                response = event
            case h11.Data(data=piece):
                out += piece
            case h11.EndOfMessage():
                break
            case h11.NEED_DATA:
                connection.receive_data(next(pieces, b""))
            case _:
                pass
    assert response
    headers = httpx2.Headers([(name, value) for name, value in response.headers])
    named = {name: value.encode(headers.encoding).decode("latin-1") for name, value in headers.items()}
    return response.status_code, named, out, connection.our_state is h11.DONE


@pytest.mark.parametrize("size", [1, 2, 7, 100, 10_000])
def test_every_response_is_read_as_h11_reads_it(size: int) -> None:
    for seed in range(300):
        data = generated(seed)
        status, headers, body, keeps = read_by_h11(data, size)
        ours = read(data, size)

        assert (status, body) == (ours[0], ours[2]), data
        assert {**headers, "transfer-encoding": ""} == {**ours[1], "transfer-encoding": ""}, data
        assert is_open(ours) or keeps == ours[3], data


def is_open(found: Read) -> bool:
    """Whether a body ends with the connection, which h11 does not count."""
    status, headers, _, _ = found
    return status not in (204, 304) and not {"content-length", "transfer-encoding"} & set(headers)


@pytest.mark.parametrize("data", WRONG)
@pytest.mark.parametrize("size", [1, 1_000])
def test_what_h11_refuses_is_refused(data: bytes, size: int) -> None:
    with pytest.raises((h11.RemoteProtocolError, h11.LocalProtocolError)):
        read_by_h11(data, size)
    with pytest.raises(NetworkError):
        read(data, size)


def test_heads_and_chunk_lines_have_a_limit() -> None:
    for start in (b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;"):
        with pytest.raises(NetworkError):
            read(start + b"a" * 2 * MAX_HEAD_BYTES, 1_000)


PARTS = st.text("abcXYZ019-._~!$&'()*+,;=:@%/", max_size=12)
QUERIES = st.text("abcXYZ019-._~!$&'()*+,;=:@%/?", max_size=12)
BASES = ("http://127.0.0.1:1234/v1", "https://API.example.com", "https://api.example.com:443/v1beta/", "http://[::1]/a")


@given(st.sampled_from(BASES), PARTS, QUERIES, st.booleans())
def test_paths_that_are_sent_as_they_are_have_the_address_that_httpx2_gives_them(
    base: str, path: str, query: str, asks: bool
) -> None:
    whole = f"/{path}?{query}" if asks else f"/{path}"
    if not is_plain(whole):
        return
    asked = httpx2.AsyncClient(base_url=base).build_request("POST", whole, content=b"{}")
    origin = find_origin(base, {})
    assert origin
    first, host, *_ = origin.head_of(ApiRequest("POST", whole, b"{}")).decode().split("\r\n")

    assert f"POST {asked.url.raw_path.decode()} HTTP/1.1" == first
    assert f"host: {asked.headers['host']}" == host


@pytest.mark.parametrize(
    "path",
    ["models", "//other.example/x", "http://other.example/x", "/a/../b", "/./a", "/a b", "/ä", "/a#b", "/a%2", ""],
)
def test_other_paths_are_left_to_httpx2(path: str) -> None:
    assert not is_plain(path)


@pytest.mark.parametrize("base", ["http://name:word@host/v1", "http://höst/v1", "http://host/a b", "http://host/?a=b"])
def test_other_servers_are_left_to_httpx2(base: str) -> None:
    assert find_origin(base, {}) is None
