"""What a person types for a server is understood as it is meant."""

import pytest

from openkoi_onboarding.addresses import Address, address_in, bases, names_in
from openkoi_onboarding.moving import masked


@pytest.mark.row("ONB-16", "C58")
@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("https://a.example/v1", Address("https://a.example/v1")),
        (" https://a.example/v1/  sk-1 ", Address("https://a.example/v1", "sk-1")),
        ("a.example/v1 sk-1", Address("https://a.example/v1", "sk-1")),
        ("localhost:8080", Address("http://localhost:8080")),
        ("192.168.1.5:1234/v1", Address("http://192.168.1.5:1234/v1")),
        ("[::1]:1234", Address("http://[::1]:1234")),
        ("", Address("")),
    ],
)
def test_an_address_may_have_a_key_behind_it(line: str, address: Address) -> None:
    assert address == address_in(line)
    assert "sk-1" not in repr(address_in(line))


def test_where_only_a_server_was_named_the_usual_path_is_tried_first() -> None:
    assert ["http://a:1/v1", "http://a:1"] == bases("http://a:1")
    assert ["http://a:1/api"] == bases("http://a:1/api")


def test_models_are_read_from_any_list_that_has_some() -> None:
    assert ["a", "b"] == names_in({"data": [{"id": "a"}, {"id": 7}, "x", {"id": "\x1b[2J"}, {"id": "b"}]})
    assert ["a"] == names_in([{"id": "a"}])
    assert [] == names_in({"data": "none"})


def test_all_behind_the_first_word_is_masked() -> None:
    assert "  http://a **** **" == masked("  http://a sk-1 xy")
    assert "http://a" == masked("http://a")
    assert "" == masked("")
