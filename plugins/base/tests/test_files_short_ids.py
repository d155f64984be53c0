"""What is named by the beginning of its id is found, where only one begins so."""

import pytest

from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import KoiError, PluginNotFoundError

pytestmark = pytest.mark.unit

THERE = {"4f2a91c07d": "one", "4f7700aa12": "other", "77aa000000": "third"}


@pytest.mark.parametrize(("id", "found"), [("77aa000000", "third"), ("7", "third"), ("4f2", "one")])
def test_a_prefix_names_the_only_one_that_begins_so(id: str, found: str) -> None:
    assert found == find_by_prefix(id, THERE, "task")


def test_a_prefix_of_several_names_none_of_them() -> None:
    with pytest.raises(
        KoiError, match=r"Several tasks start with '4f': 4f2a91c0, 4f7700aa. Use more characters of the id"
    ):
        find_by_prefix("4f", THERE, "task")


def test_ids_that_begin_alike_are_shown_as_far_as_they_differ() -> None:
    with pytest.raises(KoiError, match="start with 'user-ca1': user-ca15f00, user-ca1f22e"):
        find_by_prefix("user-ca1", {"user-ca15f00d": "one", "user-ca1f22ee": "other"}, "entry", "entries")


def test_what_is_not_there_is_said_with_what_is() -> None:
    with pytest.raises(PluginNotFoundError, match=r"No task named '9'.*4f2a91c0, 4f7700aa, 77aa0000"):
        find_by_prefix("9", THERE, "task")
