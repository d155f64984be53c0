"""Ids that are made up for calls: unlike each other, and the same again when the same happens again."""

from openkoi_wire import Calls


def ids(asked: bytes, *given: str) -> list[str]:
    calls = Calls(asked)
    return [calls.make(id, "read", '{"path": "x"}').id for id in given]


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
