"""Test that changes by the user during a run are distinguished from the run's own, and stay."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    """A store whose hook reports calls."""
    return watched(tmp_path / "kept")


def watched(folder: Path) -> CheckpointStore:
    store = CheckpointStore(folder=folder)
    store.watched = True
    return store


def take(store: CheckpointStore, root: Path, run: str = "run") -> str:
    return asyncio.run(store.create(root, run=run))


def restore(store: CheckpointStore, root: Path, id: str, since: str = "") -> dict[str, str]:
    restoration = asyncio.run(store.restore(root, id, since=since))
    return {**restoration.conflicts, **restoration.left}


def call(store: CheckpointStore, root: Path, act: Callable[[], object], run: str = "run") -> None:
    """A tool call with this effect."""
    asyncio.run(store.start_call(root, f"{run} call"))
    act()
    asyncio.run(store.finish_call(root, f"{run} call"))


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text)


def texts(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.iterdir())}


def test_what_a_person_does_between_calls_stays(store: CheckpointStore, root: Path) -> None:
    write(root, "k.txt", "k\n")
    take(store, root)
    call(store, root, lambda: write(root, "a.txt", "better\n"))
    best = take(store, root)
    call(store, root, lambda: write(root, "a.txt", "worse\n"))
    write(root, "k.txt", "k\nby a person\n")
    write(root, "mine.txt", "mine\n")
    take(store, root)

    left = restore(store, root, best)

    assert [] == [*left]
    assert {"a.txt": "better\n", "k.txt": "k\nby a person\n", "mine.txt": "mine\n"} == texts(root)


def test_what_a_person_did_between_two_tasks_outlasts_the_undoing_of_both(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    call(store, root, lambda: write(root, "a.txt", "by task 1\n"))
    end = take(store, root)
    write(root, "a.txt", "by a person\n")
    write(root, "mine.txt", "mine\n")
    second = take(store, root, run="next")
    call(store, root, lambda: write(root, "a.txt", "by task 2\n"), run="next")
    take(store, root, run="next")

    assert {} == restore(store, root, second)
    assert ["a.txt"] == [*restore(store, root, first, since=end)]
    assert {"a.txt": "by a person\n", "mine.txt": "mine\n"} == texts(root)


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_file_that_a_person_changed_between_calls_that_changed_it_too_is_left(
    store: CheckpointStore, root: Path, attempts: int
) -> None:
    first = take(store, root)
    call(store, root, lambda: write(root, "a.txt", "by the run\n"))
    write(root, "a.txt", "by the run\nby a person\n")
    write(root, "mine.txt", "mine\n")
    call(store, root, lambda: write(root, "b.txt", "by the run\n"))
    if attempts == 2:
        take(store, root)
    call(store, root, lambda: write(root, "a.txt", "by the run again\nby a person\n"))
    call(store, root, lambda: write(root, "mine.txt", "mine, mended\n"))
    take(store, root)

    assert "a.txt" in restore(store, root, first)
    assert {"a.txt": "by the run again\nby a person\n", "mine.txt": "mine, mended\n"} == texts(root)


def test_the_next_run_s_changes_of_a_person_s_file_are_its_own(store: CheckpointStore, root: Path) -> None:
    take(store, root)
    call(store, root, lambda: write(root, "b.txt", "by the run\n"))
    write(root, "a.txt", "by a person\n")
    call(store, root, lambda: write(root, "b.txt", "by the run again\n"))
    take(store, root)
    second = take(store, root, run="next")
    call(store, root, lambda: write(root, "a.txt", "by the next run\n"), run="next")
    take(store, root, run="next")

    assert {} == restore(store, root, second)
    assert {"a.txt": "by a person\n", "b.txt": "by the run again\n"} == texts(root)


def test_what_a_person_does_after_the_run_wrote_it_is_the_person_s(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    call(store, root, lambda: write(root, "a.txt", "by the run\n"))
    write(root, "a.txt", "by a person\n")
    take(store, root)

    assert ["a.txt"] == [*restore(store, root, first)]
    assert {"a.txt": "by a person\n"} == texts(root)


def test_what_a_run_did_that_ended_within_a_call_of_another_is_not_the_other_s(
    store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    """Each run is a process of its own; the second ends, with its last checkpoint, before the first one's call."""
    other = watched(tmp_path / "kept")
    first, second = take(store, root, run="one"), take(other, root, run="two")
    asyncio.run(store.start_call(root, "one call"))
    call(other, root, lambda: write(root, "two.txt", "by two\n"), run="two")
    take(other, root, run="two")
    write(root, "one.txt", "by one\n")
    asyncio.run(store.finish_call(root, "one call"))
    end = take(store, root, run="one")

    assert {} == restore(store, root, first, since=end)
    assert {"a.txt": "first\n", "two.txt": "by two\n"} == texts(root)
    assert {} == restore(other, root, second)


def test_files_that_two_runs_write_at_the_same_time_belong_to_the_one_that_names_them(
    store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    other = watched(tmp_path / "kept")
    first, second = take(store, root, run="one"), take(other, root, run="two")
    asyncio.run(store.start_call(root, "one call", [Path("new/one.txt")]))
    asyncio.run(other.start_call(root, "two call", [Path("two.txt")]))
    write(root, "two.txt", "by two\n")
    (root / "new").mkdir()
    write(root, "new/one.txt", "by one\n")
    doubts = [asyncio.run(store.finish_call(root, "one call")), asyncio.run(other.finish_call(root, "two call"))]
    ends = take(store, root, run="one"), take(other, root, run="two")

    assert "diff --git a/new/one.txt b/new/one.txt" == diff_of(store, root, first, ends[0])
    assert "diff --git a/two.txt b/two.txt" == diff_of(other, root, second, ends[1])
    assert [(), ()] == [tuple(one.in_doubt) for one in doubts]


def test_what_two_commands_change_at_the_same_time_is_in_doubt_for_both(
    store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    other = watched(tmp_path / "kept")
    take(store, root, run="one")
    take(other, root, run="two")
    asyncio.run(store.start_call(root, "one call"))
    asyncio.run(other.start_call(root, "two call"))
    write(root, "one.txt", "by one\n")
    early = asyncio.run(other.finish_call(root, "two call"))
    take(other, root, run="two")
    write(root, "late.txt", "by one\n")
    late = asyncio.run(store.finish_call(root, "one call"))
    call(store, root, lambda: write(root, "alone.txt", "by one\n"), run="one")

    assert ["one.txt"] == early.in_doubt
    assert ["one.txt"] == late.in_doubt


def test_a_doubt_ends_with_the_calls_that_ran_at_the_same_time(
    store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    other = watched(tmp_path / "kept")
    take(store, root, run="one")
    take(other, root, run="two")
    asyncio.run(store.start_call(root, "one call"))
    asyncio.run(other.start_call(root, "two call"))
    write(root, "one.txt", "by one\n")
    ended = [asyncio.run(other.finish_call(root, "two call")), asyncio.run(store.finish_call(root, "one call"))]
    take(other, root, run="two")
    asyncio.run(store.start_call(root, "one next"))
    write(root, "one.txt", "again by one\n")
    alone = asyncio.run(store.finish_call(root, "one next"))

    assert [["one.txt"], ["one.txt"]] == [one.in_doubt for one in ended]
    assert [] == alone.in_doubt


def diff_of(store: CheckpointStore, root: Path, since: str, until: str) -> str:
    """The headers of a diff."""
    patch = asyncio.run(store.diff(root, since, until))
    return "\n".join(line for line in patch.splitlines() if line.startswith("diff "))


def test_of_a_file_that_two_runs_changed_in_turn_the_diff_shows_all_changes_and_nothing_is_restored(
    store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    other = watched(tmp_path / "kept")
    (root / "run.sh").write_text("1\n2\n3\n")
    (root / "run.sh").chmod(0o755)
    first = take(store, root, run="one")
    take(other, root, run="two")
    call(store, root, lambda: write(root, "run.sh", "one\n2\n3\n"), run="one")
    call(other, root, lambda: write(root, "run.sh", "one\n2\ntwo\n"), run="two")
    call(store, root, lambda: write(root, "run.sh", "one\nmore\ntwo\n"), run="one")
    end = take(store, root, run="one")

    output = asyncio.run(store.diff(root, first, end))

    assert "-1\n-2\n-3\n+one\n+more\n+two\n" in output
    assert "mode" not in output
    assert ["run.sh"] == [*restore(store, root, first, since=end)]
    assert "one\nmore\ntwo\n" == (root / "run.sh").read_text()


@pytest.mark.parametrize(
    ("act", "shown"),
    [
        (Path.unlink, "deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n"),
        (lambda file: (file.unlink(), file.mkdir()), "deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n"),
        (lambda file: (file.unlink(), file.symlink_to("b.txt")), "new file mode 120000\n--- /dev/null\n+++ b/a.txt\n"),
    ],
)
def test_a_file_that_a_run_changed_and_another_one_removed_is_not_shown_as_binary(
    act: Callable[[Path], object], shown: str, store: CheckpointStore, root: Path, tmp_path: Path
) -> None:
    other = watched(tmp_path / "kept")
    write(root, "a.txt", "1\n")
    first = take(store, root, run="one")
    take(other, root, run="two")
    call(store, root, lambda: write(root, "a.txt", "one\n"), run="one")
    call(other, root, lambda: act(root / "a.txt"), run="two")
    end = take(store, root, run="one")

    output = asyncio.run(store.diff(root, first, end))

    assert shown in output
    assert "Binary" not in output
    assert ["a.txt"] == [*restore(store, root, first, since=end)]


def test_the_diff_is_the_run_s_until_it_ends(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    write(root, "mine.txt", "mine\n")
    call(store, root, lambda: write(root, "a.txt", "by the run\n"))
    last = take(store, root)

    output = asyncio.run(store.diff(root, first, last))
    assert (True, False) == ("+by the run" in output, "mine" in output)
    write(root, "late.txt", "later\n")
    assert "+later" in asyncio.run(store.diff(root, first))


def test_of_a_run_that_was_killed_in_a_call_both_are_known(store: CheckpointStore, root: Path, tmp_path: Path) -> None:
    write(root, "k.txt", "k\n")
    first = take(store, root)
    call(store, root, lambda: write(root, "new.txt", "new\n"))
    write(root, "k.txt", "by a person\n")
    asyncio.run(store.start_call(root, "run killed"))
    write(root, "a.txt", "half")
    other = watched(tmp_path / "kept")
    take(other, root)

    assert {} == restore(other, root, first)
    assert {"a.txt": "first\n", "k.txt": "by a person\n"} == texts(root)


@pytest.mark.parametrize("resumed", [False, True])
def test_what_a_person_does_after_a_call_was_interrupted_stays(
    store: CheckpointStore, root: Path, tmp_path: Path, *, resumed: bool
) -> None:
    """Its process continues, like a chat, or ended normally: nothing else shows when the call was over."""
    write(root, "k.txt", "k\n")
    first = take(store, root)
    asyncio.run(store.start_call(root, "run interrupted"))
    write(root, "a.txt", "half")
    store.interrupt_call(root, "run interrupted")
    time.sleep(0.01)  # by how much the clock of files is late
    write(root, "k.txt", "by a person\n")
    write(root, "mine.txt", "mine\n")
    if resumed:
        call(store, root, lambda: write(root, "b.txt", "b\n"))
    take(watched(tmp_path / "kept"), root)

    assert {} == restore(store, root, first)
    assert {"a.txt": "first\n", "k.txt": "by a person\n", "mine.txt": "mine\n"} == texts(root)


def test_what_is_already_as_it_is_wanted_counts_as_brought_back(store: CheckpointStore, root: Path) -> None:
    """The state after a restore that was killed halfway."""
    first = take(store, root)
    call(store, root, lambda: write(root, "a.txt", "by the run\n"))
    call(store, root, lambda: write(root, "b.txt", "new\n"))
    second = take(store, root)
    write(root, "a.txt", "first\n")

    assert {} == restore(store, root, first)
    assert {} == restore(store, root, second)
    assert {"a.txt": "by the run\n", "b.txt": "new\n"} == texts(root)


@pytest.mark.parametrize("folder", ["node_modules", "tagged"])
def test_what_a_tool_wrote_in_a_folder_that_is_skipped_comes_back(
    store: CheckpointStore, root: Path, folder: str
) -> None:
    (root / folder).mkdir()
    write(root, f"{folder}/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")
    write(root, f"{folder}/old.js", "old")
    before = take(store, root)
    for name in ("old.js", "new.js"):
        asyncio.run(store.save(root, Path(folder, name)))
        call(store, root, lambda name=name: write(root, f"{folder}/{name}", "by a tool"))  # type: ignore[misc]  # bound
    after = take(store, root)

    for _ in range(2):
        assert {} == restore(store, root, before)
        assert (False, "old") == ((root / folder / "new.js").exists(), (root / folder / "old.js").read_text())
        assert {} == restore(store, root, after)
        assert "by a tool" == (root / folder / "new.js").read_text() == (root / folder / "old.js").read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are POSIX's")
def test_a_pipe_that_a_task_made_is_named(store: CheckpointStore, root: Path) -> None:
    first = take(store, root)
    call(store, root, lambda: os.mkfifo(root / "pipe"))
    take(store, root)

    assert ["pipe"] == [*restore(store, root, first)]


@pytest.mark.parametrize("folder", ["node_modules", "tagged"])
def test_what_a_command_did_in_a_folder_that_is_skipped_is_reported(
    store: CheckpointStore, root: Path, folder: str
) -> None:
    (root / folder).mkdir()
    write(root, f"{folder}/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")
    take(store, root)
    asyncio.run(store.start_call(root, "call"))
    write(root, f"{folder}/new.js", "by a command")

    assert [folder] == asyncio.run(store.finish_call(root, "call")).skipped
