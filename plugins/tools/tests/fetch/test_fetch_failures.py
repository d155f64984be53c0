"""Test timeouts, truncation and refusals, and their messages."""

import gzip
import socket
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from openkoi_testing.servers.faults import AfterResponse, ServerFault
from openkoi_testing.servers.http_server import ServerResponse

if TYPE_CHECKING:
    from plugins.tools.tests.fetch.conftest import Web


def test_a_page_that_is_not_there_is_a_sentence_without_the_servers_words(web: "Web") -> None:
    server = web.site({})

    answer = web.reading(server).fetch(f"{server.url}/gone")

    assert answer.failed
    assert (
        f"{web.place(server)} answered 404 Not Found for {server.url}/gone. "
        "Check the address, or start from a page that links to it."
    ) == answer.text


def test_a_refused_connection_is_a_sentence(web: "Web") -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = f"127.0.0.1:{free.getsockname()[1]}"

    answer = web.reader(place).fetch(f"http://{place}/")

    assert answer.failed
    assert f"{place} could not be reached (" in answer.text
    assert "proxies are not used" in answer.text


def test_a_name_that_does_not_exist_is_a_sentence(web: "Web") -> None:
    answer = web.reader("*.example").fetch("https://nowhere.example/")

    assert "Cannot resolve nowhere.example: Name or service not known. Check its spelling." == answer.text


@pytest.mark.parametrize(
    "fault",
    [ServerFault(delay=60), ServerFault(cut=20, after=AfterResponse.HANGS), ServerFault(after=AfterResponse.DRIPS)],
)
def test_a_slow_page_is_given_up_in_time(web: "Web", fault: ServerFault) -> None:
    server = web.site({"/": web.page("x" * 100, fault=fault)})

    answer = web.reading(server, seconds=0.5).fetch(f"{server.url}/")

    assert f"{web.place(server)} did not send the page within 0.5 seconds." == answer.text


def test_an_answer_that_breaks_off_is_a_sentence(web: "Web") -> None:
    server = web.site({"/": web.page("x" * 100, fault=ServerFault(cut=20))})

    assert "ended its response early" in web.reading(server).fetch(f"{server.url}/").text


def test_a_server_that_speaks_no_http_is_a_sentence(web: "Web") -> None:
    server = web.site({"/": web.page("x")})

    answer = web.reader(web.place(server)).fetch(f"https://{web.place(server)}/")

    assert "No secure connection" in answer.text


def test_a_huge_page_is_cut_and_that_is_said(web: "Web") -> None:
    server = web.site({"/": ServerResponse([b"0123456789abcde\n" * 4096] * 200, type="text/plain")})

    answer = web.reading(server, max_mb=0.5).fetch(f"{server.url}/")

    assert "text/plain, 524,288 characters, cut: only the first 512.0 KB were read\n" in answer.text
    assert len(answer.text.encode()) <= 24 * 1024


def test_what_unpacks_to_far_too_much_is_cut_on_the_way(web: "Web") -> None:
    bomb = gzip.compress(b"\0" * 100_000_000, 1)
    server = web.site({"/": web.page(bomb, "text/plain", content_encoding="gzip")})
    reader = web.reading(server, max_mb=1)

    tracemalloc.start()
    answer = reader.fetch(f"{server.url}/")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert "only the first 1.0 MB were read" in answer.text
    assert most < 24 * 1024**2


def test_what_is_packed_twice_is_not_unpacked(web: "Web") -> None:
    twice = gzip.compress(gzip.compress(b"Hello"))
    server = web.site({"/": web.page(twice, "text/plain", content_encoding="gzip, gzip")})

    assert "used an unsupported content encoding" in web.reading(server).fetch(f"{server.url}/").text


def test_a_packed_page_is_unpacked_and_one_that_is_broken_is_a_sentence(web: "Web") -> None:
    packed = gzip.compress(b"Hello")
    pages = {
        "/": web.page(packed, "text/plain", content_encoding="gzip"),
        "/broken": web.page(b"\x1f\x8b" + packed, "text/plain", content_encoding="gzip"),
        "/odd": web.page(packed, "text/plain", content_encoding="zstd"),
    }
    server = web.site(pages)
    reader = web.reading(server)

    assert "Hello" in reader.fetch(f"{server.url}/").text
    assert "cannot be decompressed" in reader.fetch(f"{server.url}/broken").text
    assert "used an unsupported content encoding" in reader.fetch(f"{server.url}/odd").text
