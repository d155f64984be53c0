"""Test that without checkpoints nothing is changed without approval, and nothing unknown is claimed."""

from pathlib import Path

import pytest
from cli_process import Shell
from pseudo_terminal import terminal
from verdict_runs import DONE, EDIT, TASK, configure, folder_with_test, judge_of, play, result, write_script_outside

WAIVED = "[safety]\nrequire_checkpoint = false\n"


@pytest.fixture(params=["too many files", "a store that cannot be written"])
def unwritable_store(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    """A folder of which no checkpoint can be kept."""
    openkoi = folder_with_test(tmp_path)
    (tmp_path / "full").write_text("in the way")
    limits = {"too many files": "max_files = 1", "a store that cannot be written": f'folder = "{tmp_path}/full"'}
    configure(openkoi, f"[checkpoints.store]\n{limits[request.param]}\n")
    return openkoi


def allow_without_checkpoint(openkoi: Shell) -> Shell:
    """Return the same where the user has said that files may be changed all the same."""
    with (openkoi.home / "config.toml").open("a") as file:
        file.write(WAIVED)
    return openkoi


def test_a_run_without_a_terminal_stops_before_its_first_write(unwritable_store: Shell) -> None:
    result = play(unwritable_store, EDIT + DONE, judge=judge_of(0.9))

    assert (8, "x = 0\n") == (result.returncode, (unwritable_store.folder / "a.py").read_text()), result.stderr
    assert "openkoi undo" in result.stderr
    assert "require_checkpoint = false" in result.stderr


def test_it_goes_on_when_the_question_was_answered(unwritable_store: Shell) -> None:
    play(unwritable_store, EDIT + DONE, judge=judge_of(0.9))
    id = unwritable_store("approvals").stdout.split()[0]

    assert 0 == unwritable_store("approve", id).returncode
    resumed = unwritable_store("resume")
    assert (0, "x = 3\n") == (resumed.returncode, (unwritable_store.folder / "a.py").read_text()), resumed.stderr


def test_a_setting_allows_it_and_undo_says_before_the_write_that_it_cannot_work(unwritable_store: Shell) -> None:
    result = play(allow_without_checkpoint(unwritable_store), EDIT + DONE, "--format", "text", judge=judge_of(0.9))
    stderr = result.stderr

    assert (0, "x = 3\n") == (result.returncode, (unwritable_store.folder / "a.py").read_text()), stderr
    assert 0 <= stderr.find("`openkoi undo`, `diff` and `redo` cannot work") < stderr.find("a.py"), stderr
    for word in ("undo", "diff", "redo"):
        output = unwritable_store(word)
        assert (1, True) == (output.returncode, "ran without a checkpoint" in output.stderr), output.stderr


def test_no_evaluation_is_reused_and_nothing_is_said_to_be_unchanged(unwritable_store: Shell) -> None:
    """The second iteration says the same words and calls no tool; what was done before is in no diff."""
    process = play(allow_without_checkpoint(unwritable_store), EDIT + DONE, judge=judge_of(0.4, finding="not yet"))
    output = result(process)

    assert "x = 3\n" == (unwritable_store.folder / "a.py").read_text(), process.stderr
    modes = [one["eval_mode"] for one in output["iterations"]]  # type: ignore[attr-defined]  # a list
    assert (True, {"full"}) == (len(modes) > 1, set(modes)), process.stderr
    assert [] == [words for words in ("changed nothing", "nothing was") if words in process.stdout + process.stderr]


def test_at_a_terminal_it_is_asked_first(unwritable_store: Shell) -> None:
    model = write_script_outside(unwritable_store, EDIT + DONE, "executor.yaml")
    with terminal(unwritable_store, "-m", model, "-i", "0", TASK) as there:
        there.shows("[yes/no]")
        before = (unwritable_store.folder / "a.py").read_text()
        there.type("yes\n")
        assert 0 == there.ends(), there.screen

    assert ("x = 0\n", "x = 3\n") == (before, (unwritable_store.folder / "a.py").read_text())
