"""Test that renames are one to one: by similarity, then by the longest common end of the path, then by folder."""

import pytest

from openkoi_checkpoints.rename_assignment import Candidate, assign_renames


def all_pairs(olds: str, news: str, score: float = 1.0) -> list[Candidate]:
    return [(score, old, new) for old in olds.split() for new in news.split()]


@pytest.mark.parametrize(
    ("candidates", "renamed", "unclear"),
    [
        (all_pairs("p/a/f p/b/f", "s/b/f s/a/f"), {"p/a/f": "s/a/f", "p/b/f": "s/b/f"}, set()),
        (all_pairs("p/a/f p/b/f", "s/b/f"), {"p/b/f": "s/b/f"}, set()),
        ([(0.6, "a/f", "x/f"), (0.9, "b/f", "x/f"), (0.6, "a/f", "y/g")], {"b/f": "x/f", "a/f": "y/g"}, set()),
        (all_pairs("a/f b/f", "x/f y/f"), {}, {"a/f", "b/f"}),
        (
            [*all_pairs("a/f b/f", "x/f y/f"), (1.0, "a/only", "y/only")],
            {"a/only": "y/only", "a/f": "y/f", "b/f": "x/f"},
            set(),
        ),
        ([*all_pairs("a/f b/f", "x/f y/f"), (0.6, "a/f", "z/a/f")], {}, {"a/f", "b/f"}),
        (all_pairs("a", "x y"), {}, {"a"}),
        ([], {}, set()),
    ],
)
def test_each_old_file_gets_its_own_new_name(
    candidates: list[Candidate], renamed: dict[str, str], unclear: set[str]
) -> None:
    for rows in (candidates, candidates[::-1]):
        found = assign_renames(rows, lambda _: False)

        assert (renamed, unclear) == (found.new, found.unclear)


@pytest.mark.parametrize(("news", "count"), [("x/f y/f", 2), ("x/f", 1), ("x/f y/f z/f", 0)])
def test_which_is_which_of_files_that_are_alike_does_not_matter_unless_some_are_copies(news: str, count: int) -> None:
    found = assign_renames(all_pairs("a/f b/f", news), lambda _: True)

    assert (count, count) == (len(found.new), len(set(found.new.values())))
    assert (count == 0) == bool(found.unclear)
