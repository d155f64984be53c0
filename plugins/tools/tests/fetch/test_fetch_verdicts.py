"""Test which addresses are allowed, asked about and denied before anything is sent."""

from ipaddress import ip_address
from typing import TYPE_CHECKING

import pytest

from openkoi_base.ip_ranges import is_public
from openkoi_hookspecs import Allow, Ask, Deny
from openkoi_tools.fetch.address import parse_address

if TYPE_CHECKING:
    from plugins.tools.tests.fetch.conftest import Web

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("docs.python.org", "https://docs.python.org/3/"),
        ("docs.python.org", "HTTP://DOCS.Python.ORG./3/"),
        ("Docs.Python.org.", "https://docs.python.org/3/"),
        ("*.readthedocs.io", "https://a.b.readthedocs.io/"),
        ("bücher.de", "https://xn--bcher-kva.de/"),
        ("*.bücher.de", "https://www.bücher.de/"),
        ("*", "https://anything.example/"),
        ("host.example:*", "https://host.example:8443/"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("localhost:*", "http://localhost:5000/"),
        ("::1", "http://[0:0::1]/"),
        ("[::1]:81", "http://[::1]:81/"),
        ("169.254.169.254", "http://169.254.169.254/latest/"),
    ],
)
def test_what_is_listed_is_allowed(web: "Web", line: str, url: str) -> None:
    assert isinstance(web.reader(line).judge(url), Allow)


@pytest.mark.parametrize(
    ("line", "url"),
    [
        ("docs.python.org", "https://python.org/"),
        ("docs.python.org", "https://evil-docs.python.org/"),
        ("docs.python.org", "https://docs.python.org.evil.example/"),
        ("docs.python.org", "https://docs.python.org:8443/"),
        ("*.readthedocs.io", "https://readthedocs.io/"),
        ("*.readthedocs.io", "https://evilreadthedocs.io/"),
        ("host.example:81", "http://host.example/"),
        ("*:81", "http://host.example/"),
        ("bücher.de", "https://bucher.de/"),
        ("*.2.3.4", "http://8.2.3.4/"),
        ("8.8.8.8", "http://8.8.4.4/"),
    ],
)
def test_what_is_not_listed_is_asked_about(web: "Web", line: str, url: str) -> None:
    assert isinstance(web.reader(line).judge(url), Ask)


def test_the_question_names_the_host_and_says_what_an_address_can_do(web: "Web") -> None:
    reply = web.reader().judge("https://bücher.example:8443/?k=v")

    assert reply == Ask(
        "xn--bcher-kva.example:8443 is not an allowed host. The URL, which may contain data, would be sent to it. "
        "To allow it permanently, add it to [tools.fetch] allow: "
        "'xn--bcher-kva.example:8443'."
    )


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "data:text/html,hello",
        "ftp://ftp.example/",
        "javascript:alert(1)",
        "docs.python.org/3",
        "//docs.python.org/3",
        "http://",
        "http:/docs.python.org",
        "https://user:password@docs.python.org/",
        "https://docs.python.org\\@evil.example/",
        "https://docs.python.org%2f@evil.example/",
        "https://docs python.org/",
        "https://docs.python.org%00.evil.example/",
        "https://docs.python.org:99999/",
        "https://docs..python.org/",
        "https://docs.python.org/\r\nX-Evil: 1",
        "https://docs.python.org/\ud800",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://1.2.3.4.5/",
        "http://①②⑦.⓪.⓪.①/",
        "http://[fe80::1%25eth0]/",
        f"https://docs.python.org/{'a' * 5000}",
    ],
)
def test_what_is_never_fetched_is_denied_whatever_is_listed(web: "Web", url: str) -> None:
    assert isinstance(web.reader("*", "*:*", "docs.python.org").judge(url), Deny)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:8.8.8.8%25x]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[2001:db8::1]",
        "[fd00:ec2::254]",
        "[fc00::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[ff0e::1]",
        "localhost",
        "LOCALHOST.",
        "api.localhost",
    ],
)
def test_addresses_that_are_not_public_are_denied_and_patterns_do_not_take_them_in(web: "Web", host: str) -> None:
    assert isinstance(web.reader("*", "*:*").judge(f"http://{host}/"), Deny)
    assert isinstance(web.reader().judge(f"http://{host}:8080/"), Deny)


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_public(text: str) -> None:
    assert is_public(ip_address(text))


def test_a_denial_says_what_a_person_can_list(web: "Web") -> None:
    reply = web.reader("127.0.0.1:8000").judge("http://[::1]:8000/")

    assert isinstance(reply, Deny)
    assert reply.reason.endswith("The user can list it in [tools.fetch] allow: '[::1]:8000'.")


@pytest.mark.parametrize("start", [-1, 1.5, True, "ten", [1]])
def test_a_start_that_is_no_number_is_denied(web: "Web", start: object) -> None:
    reply = web.reader("*").judge("https://docs.python.org/", start=start)  # type: ignore[arg-type]  # what models send

    assert Deny("The argument 'start' must be a whole number, 0 or more.") == reply


def test_judging_looks_no_name_up(web: "Web") -> None:
    names = web.names(secret=[["8.8.8.8"]])

    web.reader("*", names=names).judge("https://secret.example/")
    web.reader(names=names).judge("https://secret.example/")

    assert [] == names.asked


def test_an_address_reads_back_as_itself() -> None:
    text = "https://xn--bcher-kva.de:8443/a%20b%2Fc/?q=%C3%BC&r=a+b"

    assert text == str(parse_address(text))
    assert text == str(parse_address("https://BÜCHER.de.:8443/a b%2Fc/?q=ü&r=a+b#part"))
