"""What undo cannot take back is told, with the command that does."""

import pytest

from openkoi_cli.remaining_changes import list_remaining
from openkoi_hookspecs import Record, events

pytestmark = pytest.mark.unit

A, B, C = (letter * 40 for letter in "abc")


def moved(ref: str, before: str, after: str, *, current: bool = False) -> Record:
    return Record("1", "", "run", events.GitRefChanged(ref, before, after, current=current))


@pytest.mark.parametrize(
    ("move", "reply"),
    [
        (
            moved("refs/heads/main", A, B, current=True),
            "commit bbbbbbb was made on main (undo with `git reset --soft aaaaaaa",
        ),
        (
            moved("refs/heads/main", "", B, current=True),
            "branch main was created on commit bbbbbbb (undo with `git update-ref -d HEAD",
        ),
        (moved("refs/heads/a b", "", B), "branch a b was created on commit bbbbbbb (undo with `git branch -D 'a b'"),
        (moved("refs/heads/side", A, ""), "branch side was deleted (undo with `git branch side aaaaaaa"),
        (
            moved("refs/heads/side", A, B),
            "branch side was moved to commit bbbbbbb (undo with `git branch -f side aaaaaaa",
        ),
        (moved("refs/tags/v1", "", B), "tag v1 was created (undo with `git tag -d v1"),
        (moved("refs/tags/v1", A, ""), "tag v1 was deleted (undo with `git tag v1 aaaaaaa"),
        (moved("refs/tags/v1", A, B), "tag v1 was moved to bbbbbbb (undo with `git tag -f v1 aaaaaaa"),
        (moved("refs/stash", "", B), "stash bbbbbbb was created (undo with `git stash drop"),
        (moved("refs/stash", A, ""), "stash aaaaaaa was deleted (undo with `git stash store aaaaaaa"),
        (moved("HEAD", "ref: refs/heads/main", "ref: refs/heads/side"), "side is checked out instead of main"),
        (
            moved("HEAD", "ref: refs/heads/main", B),
            "commit bbbbbbb is checked out instead of main (undo with `git switch main",
        ),
        (
            moved("HEAD", A, "ref: refs/heads/main"),
            "main is checked out instead of aaaaaaa (undo with `git switch --detach",
        ),
        (moved("HEAD", A, B), "commit bbbbbbb was made on a detached HEAD (undo with `git reset --soft aaaaaaa"),
    ],
)
def test_each_kind_of_move_is_told_with_the_way_back(move: Record, reply: str) -> None:
    (output,) = list_remaining([move], "run")

    assert output.startswith(reply)
    assert output.endswith("`)")


def test_only_what_is_left_in_the_end_is_told() -> None:
    there_and_back = [moved("refs/tags/v1", "", A), moved("refs/tags/v1", A, "")]
    two_commits = [moved("refs/heads/main", *ends, current=True) for ends in ((A, B), (B, C))]

    assert ["commit ccccccc was made on main (undo with `git reset --soft aaaaaaa`)"] == list_remaining(
        [*there_and_back, *two_commits], "run"
    )
    assert [] == list_remaining(two_commits, "another run")


def test_a_new_branch_that_is_checked_out_is_left_before_it_is_deleted() -> None:
    switched = [
        moved("refs/heads/side", "", A, current=True),
        moved("HEAD", "ref: refs/heads/main", "ref: refs/heads/side"),
    ]

    assert [
        "side is checked out instead of main (undo with `git switch main`)",
        "branch side was created on commit aaaaaaa (undo with `git branch -D side`)",
    ] == list_remaining(switched, "run")


def test_files_outside_the_workspace_are_named_once() -> None:
    wrote = Record("1", "", "run", events.OutsideFileWritten("/etc/x"))

    assert ["/etc/x is outside the workspace; check it yourself"] == list_remaining([wrote, wrote], "run")


@pytest.mark.parametrize(
    ("move", "reply"),
    [
        (moved("config", A, B), ".git/config was changed"),
        (moved("hooks/pre-commit", "", B), ".git/hooks/pre-commit was created"),
        (moved("info/exclude", A, ""), ".git/info/exclude was deleted"),
    ],
)
def test_settings_of_the_repository_are_named(move: Record, reply: str) -> None:
    assert [reply] == list_remaining([move], "run")
