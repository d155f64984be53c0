"""Test that a small query returns transcripts if nothing else matches."""

import pytest

from openkoi_hookspecs import Passage, Query
from openkoi_search.hit_selection import FoundDocument, select_hits

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("shown", "limit"), [(0, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 8)])
def test_of_what_was_said_one_piece_at_least_is_shown(shown: int, limit: int) -> None:
    reply = [FoundDocument(1.0, "", str(number), "transcript", False, "It is blue.") for number in range(9)]

    hits = select_hits(reply, Query("blue", limit=limit), lambda one: Passage(one.id, one.text))

    assert [str(number) for number in range(shown)] == [hit.item.id for hit in hits]
