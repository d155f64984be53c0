"""Without an id, redo takes the task that was undone last, whichever task is older."""

from pathlib import Path

from verdict_runs import DONE, EDIT, folder_with_test, write_script_outside

OTHER = EDIT.replace("a.py", "b.py")


def test_redo_reapplies_the_task_that_was_undone_last(tmp_path: Path) -> None:
    openkoi = folder_with_test(tmp_path)
    for turns in (EDIT, OTHER):
        ran = openkoi("Edit it", "--executor", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "0")
        assert [0, 0] == [ran.returncode, openkoi("undo").returncode], ran.stderr

    assert 0 == openkoi("redo").returncode
    assert ("x = 0\n", True) == ((openkoi.folder / "a.py").read_text(), (openkoi.folder / "b.py").exists())


def test_redo_goes_back_through_what_was_undone_in_turn(tmp_path: Path) -> None:
    openkoi = folder_with_test(tmp_path)
    for turns in (EDIT, OTHER):
        assert (
            0
            == openkoi(
                "Edit it", "--executor", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "0"
            ).returncode
        )
    assert [0, 0] == [openkoi("undo").returncode, openkoi("undo").returncode]

    assert 0 == openkoi("redo").returncode
    assert ("x = 3\n", False) == ((openkoi.folder / "a.py").read_text(), (openkoi.folder / "b.py").exists())


def test_what_is_in_place_already_is_not_called_done(tmp_path: Path) -> None:
    openkoi = folder_with_test(tmp_path)
    assert (
        0
        == openkoi(
            "Edit it", "--executor", write_script_outside(openkoi, EDIT + DONE), "--no-judge", "-i", "0"
        ).returncode
    )
    reply = [openkoi(command).stdout for command in ("redo", "undo", "redo")]
    (openkoi.folder / "a.py").write_text("x = 0\n")
    reply.append(openkoi("undo").stdout)

    assert ["Nothing to reapply", "Undid", "Reapplied", "Nothing to undo"] == [
        text.partition(":")[0].partition(" task")[0] for text in reply
    ]
