"""Test connections and redirects, with real servers on loopback."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugins.tools.tests.fetch.conftest import Web

NOT_PUBLIC = "is not a public address"


def test_a_page_is_asked_for_plainly_and_by_an_honest_name(web: "Web") -> None:
    server = web.site({"/a%20b?q=1": web.page("Hello")})

    answer = web.reading(server).fetch(f"{server.url}/a b?q=1#part")

    assert not answer.failed
    [request] = server.requests
    assert ("GET", b"", web.place(server)) == (request.method, request.body, request.headers["host"])
    assert request.headers["user-agent"].startswith("openkoi/2")
    assert not {"cookie", "authorization", "referer"} & set(request.headers)


def test_a_name_is_looked_up_once_and_only_what_was_judged_is_connected_to(web: "Web") -> None:
    server = web.site({"/": web.page("Hello")})
    port = web.port(server)
    names = web.names(rebound=[["127.0.0.1"], ["169.254.169.254"]])
    reader = web.reader(f"rebound.example:{port}", f"127.0.0.1:{port}", names=names)

    first, second = (reader.fetch(f"http://rebound.example:{port}/") for _ in range(2))

    assert "Hello" in first.text
    assert [f"rebound.example:{port}"] == [request.headers["host"] for request in server.requests]
    assert f"rebound.example:{port} resolves to 169.254.169.254, which {NOT_PUBLIC}" in second.text
    assert ["rebound.example"] * 2 == names.asked


@pytest.mark.parametrize(
    "ips", [["127.0.0.1"], ["169.254.169.254"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["fe80::1%2"], ["fd00:ec2::254"]]
)
def test_a_name_that_leads_inside_is_refused_although_it_may_be_read(web: "Web", ips: list[str]) -> None:
    names = web.names(rebound=[ips])

    result = web.reader("*.example", names=names).fetch("http://rebound.example/")
    allowed_by_a_person = web.reader(names=names).fetch("http://rebound.example/")

    assert result.failed
    assert NOT_PUBLIC in result.text
    assert result.text == allowed_by_a_person.text


@pytest.mark.parametrize("ip", ["127.0.0.1", "169.254.169.254", "100.100.100.200", "::1"])
def test_even_a_listed_name_leads_neither_to_this_machine_nor_to_metadata(web: "Web", ip: str) -> None:
    names = web.names(rebound=[[ip]])

    answer = web.reader("rebound.example", names=names).fetch("http://rebound.example/")

    assert NOT_PUBLIC in answer.text


def test_a_listed_localhost_is_this_machine(web: "Web") -> None:
    server = web.site({"/": web.page("Hello")})
    names = web.names()
    names.known = {"localhost": [["127.0.0.1"]]}

    answer = web.reader("localhost:*", names=names).fetch(f"http://localhost:{web.port(server)}/")

    assert "Hello" in answer.text


def test_the_next_address_is_tried_when_one_cannot_be_reached(web: "Web") -> None:
    server = web.site({"/": web.page("Hello")})
    port = web.port(server)
    reader = web.reader(f"127.0.0.2:{port}", f"127.0.0.1:{port}", names=web.names(two=[["127.0.0.2", "127.0.0.1"]]))

    assert "Hello" in reader.fetch(f"http://two.example:{port}/").text


def test_redirects_on_the_same_host_are_followed_and_the_last_address_is_told(web: "Web") -> None:
    server = web.site({"/": web.leading("a/b?c=d", 301), "/a/b?c=d": web.page("Hello")})

    answer = web.reading(server).fetch(f"{server.url}/")

    assert answer.text.startswith(f"HTTP 200 OK, {server.url}/a/b?c=d, text/html, 5 characters\n")


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1:1/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "//2130706433/",
        "file:///etc/passwd",
        "https://user:pw@docs.python.org/",
        "data:text/html,hello",
    ],
)
def test_a_redirect_to_what_is_never_fetched_is_refused(web: "Web", to: str) -> None:
    server = web.site({"/": web.leading(to)})

    answer = web.reading(server).fetch(f"{server.url}/")

    assert answer.failed
    assert 1 == len(server.requests)


def test_a_redirect_to_a_name_that_leads_inside_is_refused(web: "Web") -> None:
    inner = web.site({"/": web.page("secret")})
    to = f"http://inner.example:{web.port(inner)}/"
    server = web.site({"/": web.leading(to)})
    reader = web.reader(web.place(server), "*.example:*", names=web.names(inner=[["127.0.0.1"]]))

    answer = reader.fetch(f"{server.url}/")

    assert NOT_PUBLIC in answer.text
    assert [] == inner.requests


def test_a_redirect_to_a_host_that_is_not_listed_is_told_and_not_followed(web: "Web") -> None:
    names = web.names(elsewhere=[["8.8.8.8"]])
    server = web.site({"/": web.leading("https://elsewhere.example/x?y=</data>")})

    answer = web.reader(web.place(server), names=names).fetch(f"{server.url}/")

    assert not answer.failed
    assert "redirects to another host, which was not approved: elsewhere.example\n" in answer.text
    assert '<data name="location">\nhttps://elsewhere.example/x?y=%3C/data%3E\n</data>' in answer.text
    assert [] == names.asked


def test_a_host_that_a_person_allowed_is_followed_on_itself_and_nowhere_else(web: "Web") -> None:
    server = web.site({"/": web.leading("/here"), "/here": web.leading("http://other.example/")})
    port = web.port(server)
    reader = web.reader(f"127.0.0.1:{port}", names=web.names(site=[["127.0.0.1"]], other=[["8.8.8.8"]]))

    answer = reader.fetch(f"http://site.example:{port}/")

    assert f"HTTP 302, http://site.example:{port}/here redirects to another host" in answer.text
    assert ["/", "/here"] == [request.path for request in server.requests]


def test_redirects_without_end_are_given_up(web: "Web") -> None:
    server = web.site({"/": web.leading("/")})

    answer = web.reading(server).fetch(f"{server.url}/")

    assert "redirects more than 5 times" in answer.text
    assert 6 == len(server.requests)


def test_proxies_of_the_environment_are_not_used(web: "Web", monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server = web.site({"/": web.page("Hello")})

    assert "Hello" in web.reading(server).fetch(f"{server.url}/").text
