"""What a person types for a server is understood as it is meant."""

import pytest

from openkoi_cli.setup.addresses import ServerAddress, candidate_urls, mask_input, parse_address, parse_model_names
from openkoi_hookspecs import ConfigError


@pytest.mark.row("ONB-16", "C58")
@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("https://a.example/v1", ServerAddress("https://a.example/v1")),
        (" https://a.example/v1/  sk-1 ", ServerAddress("https://a.example/v1", "sk-1")),
        ("a.example/v1 sk-1", ServerAddress("https://a.example/v1", "sk-1")),
        ("localhost:8080", ServerAddress("http://localhost:8080")),
        ("192.168.1.5:1234/v1", ServerAddress("http://192.168.1.5:1234/v1")),
        ("[::1]:1234", ServerAddress("http://[::1]:1234")),
        ("http://a.example\tsk-1", ServerAddress("http://a.example", "sk-1")),
        ("my-gpu-01-inference:8080", ServerAddress("https://my-gpu-01-inference:8080")),
    ],
)
def test_an_address_may_have_a_key_behind_it(line: str, address: ServerAddress) -> None:
    assert address == parse_address(line)
    assert "sk-1" not in repr(parse_address(line))


@pytest.mark.row("ONB-16", "C58")
@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("", "No address entered"),
        ("http://[::1", "not a web address"),
        ("[::1", "not a web address"),
        ("http://canary:99999/v1", "not a web address"),
        ("ftp://canary.example", "not a web address"),
        ("canary", "not a web address"),
        ("http://", "not a web address"),
        ("http://canary\x00/v1", "not a web address"),
        ("sk-canary", "looks like an API key"),
        ("https://sk-canary", "looks like an API key"),
        ("canary-0123456789-abcdefghijklmn", "looks like an API key"),
        ("sk-canary https://a.example/v1", "looks like an API key"),
    ],
)
def test_what_is_no_address_is_a_sentence_that_does_not_repeat_it(line: str, output: str) -> None:
    with pytest.raises(ConfigError, match=output) as caught:
        parse_address(line)

    assert "canary" not in str(caught.value)


def test_an_address_is_repeated_without_a_login_or_a_query() -> None:
    assert "http://a:1/v1" == ServerAddress("http://me:canary@a:1/v1?key=canary").printable


def test_the_usual_path_is_tried_too_unless_it_was_named() -> None:
    assert ["http://a:1/v1", "http://a:1"] == candidate_urls("http://a:1")
    assert ["http://a:1/api", "http://a:1/api/v1"] == candidate_urls("http://a:1/api")
    assert ["http://a:1/v1beta"] == candidate_urls("http://a:1/v1beta")


def test_models_are_read_from_any_list_that_has_some() -> None:
    assert ["a", "b"] == parse_model_names({"data": [{"id": "a"}, {"id": 7}, "x", {"id": "\x1b[2J"}, {"id": "b"}]})
    assert ["a"] == parse_model_names([{"id": "a"}])
    assert [] == parse_model_names({"data": "none"})


def test_all_behind_the_first_word_is_masked() -> None:
    assert "  http://a **** **" == mask_input("  http://a sk-1 xy")
    assert "http://a" == mask_input("http://a")
    assert "http://a*****" == mask_input("http://a\tsk-1")
    assert "" == mask_input("")


def test_a_key_is_masked_wherever_it_stands() -> None:
    assert "*" * 8 + " " + "*" * 8 == mask_input("sk-canar http://a")
    assert "*" * 24 == mask_input("0123456789abcdefghijklmn")
    assert "http://*****@a:1/v1" == mask_input("http://me:pw@a:1/v1")
    assert "*****@a:1/v1" == mask_input("me:pw@a:1/v1")
