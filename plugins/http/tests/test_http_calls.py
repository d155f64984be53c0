"""Test generated ids of calls: all different, and the same for the same request."""

import pytest

from openkoi_hookspecs import Json
from openkoi_http import Server, ToolCallFactory, parse_count, parse_object, to_vendor_id, to_vendor_name


def ids(data: bytes, *texts: str) -> list[str]:
    calls = ToolCallFactory(data)
    return [calls.make(id, "read", '{"path": "x"}').id for id in texts]


def test_ids_of_the_server_are_kept() -> None:
    assert ["a", "b"] == ids(b"", "a", "b")


def test_each_call_has_an_id_of_its_own() -> None:
    assert 4 == len(set(ids(b"asked", "", "a", "a", "")))


def test_made_up_ids_are_the_same_when_the_same_is_asked_and_answered() -> None:
    assert ids(b"asked", "", "") == ids(b"asked", "", "")


def test_another_turn_has_other_ids() -> None:
    assert not set(ids(b"asked", "", "")) & set(ids(b"asked again", "", ""))


def test_without_the_request_they_are_random() -> None:
    assert ids(b"", "") != ids(b"", "")


def deep(levels: int) -> Json:
    """Lists in lists."""
    return [deep(levels - 1)] if levels else []


@pytest.mark.parametrize(
    "written",
    [None, 5, "x", [], ["x"], {"n": float("nan")}, {"of": [float("-inf")]}, {"a": deep(120)}],
    ids=lambda written: str(written)[:20],
)
def test_a_call_without_arguments_that_can_be_relied_upon_says_so(written: Json) -> None:
    call = ToolCallFactory().make("a", "read", written)

    assert call.arguments == {}
    assert "not a valid JSON object" in call.parse_error


def test_a_call_without_a_name_and_arguments_quotes_nothing() -> None:
    assert "The call had no tool name. Send it again." == ToolCallFactory().make("a", "", "").parse_error


def test_what_is_said_twice_in_an_object_is_not_lost_with_the_rest_of_an_answer() -> None:
    frame = parse_object('{"good": {"a": 1}, "bad": {"of": [{"a": 1, "a": 2}]}}', Server("models.example"))

    assert not ToolCallFactory().make("a", "read", frame["good"]).parse_error
    assert ToolCallFactory().make("a", "read", frame["bad"]).parse_error


@pytest.mark.parametrize("number", [-1, 10**12 + 1, 10**400, 1.0, True, "1", None])
def test_a_number_that_makes_no_sense_counts_nothing(number: Json) -> None:
    assert parse_count(number) == 0
    assert parse_count(10**12) == 10**12


@pytest.mark.parametrize("given", ["call_1", "toolu_01AbC-9", "x" * 64])
def test_names_that_are_taken_stay(given: str) -> None:
    assert given == to_vendor_name(given) == to_vendor_id(given)


def test_names_that_had_to_be_changed_stay_apart() -> None:
    texts = ["a b", "a/b", "a_b", "x" * 65, "x" * 5000, "", "ü", "7/", "\ud800", "?", to_vendor_name("a b")]
    names = list(map(to_vendor_name, texts))

    assert len(set(names)) == len(texts)
    assert max(map(len, names)) <= 64
    assert names == list(map(to_vendor_name, texts))
    assert all(name.isascii() and name.replace("-", "_").isidentifier() for name in names)


def test_ids_may_be_whatever_can_be_read() -> None:
    assert to_vendor_id("functions.read:0") == "functions.read:0"
    assert to_vendor_id("a b") == to_vendor_name("a b")
