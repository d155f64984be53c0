"""Test what users of other chats do in their first minutes, without reading anything."""

from contextlib import closing
from pathlib import Path

import pytest
from chat_terminal import chat, runs, says, writes
from cli_process import Shell, shell, write_script
from pseudo_terminal import terminal

from openkoi_chat.input_history import MessageHistory
from openkoi_chat.open_sessions import OpenSession

WELL = says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_keys_and_commands_are_named_in_a_terminal_of_80_columns(openkoi: Shell) -> None:
    with chat(openkoi, WELL, columns=80, name="a-model-with-a-long-name.yaml") as tty:
        tty.shows("? for keys · / for commands")
        assert "(Shift-Tab) · ? for keys" in tty.display  # the model is in the banner
        tty.resize(120)
        tty.shows("a-model-with-a-long-name.yaml · ? for keys · / for commands")


def test_what_is_said_after_an_interruption_is_done_before_what_waits(openkoi: Shell) -> None:
    turns = says("I wait.", "slow", calls=runs("sleep 30"))
    turns += says("In rust.", "rust") + says("Tests added.", "a test") + says("Docs written.", "the docs")
    with chat(openkoi, turns) as tty:
        tty.send("slow please")
        tty.shows("Running sleep 30…")
        tty.send("add a test")
        tty.shows("will be added before the next model call")
        tty.type("write the docs")
        tty.shows("> write the docs")
        tty.type("\t")
        tty.shows("will run when the current task ends")
        tty.type("\x1b")
        tty.shows("waits; Enter sends it", times=2)
        tty.send("do it in rust")
        tty.shows("[done]", times=3)

        text = tty.display
        assert text.index("In rust.") < text.index("Tests added.") < text.index("Docs written.")


def test_the_diff_and_undo_are_of_the_last_task_that_changed_something(openkoi: Shell) -> None:
    with chat(openkoi, says("I write.", "write it", calls=writes("one.txt", "1\n")) + WELL) as tty:
        tty.send("write it")
        tty.shows("one.txt +1 -0")
        tty.send("was that right?")
        tty.shows("[done]", times=2)
        tty.send("/diff")
        tty.shows("one.txt +1 -0", times=3)
        tty.send("/undo")
        tty.shows("0 files restored, 1 deleted")


def test_a_paste_with_a_line_end_has_as_many_lines_as_its_file(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as tty:
        lines = "line of it\r" * 300
        tty.inner.type(f"\x1b[200~{lines}\x1b[201~")
        tty.shows("> [Pasted text #1, 300 lines]")


def test_a_home_that_cannot_be_written_is_named(openkoi: Shell) -> None:
    (openkoi.home / "data").write_text("a file where a folder should be")
    model = write_script(openkoi.folder, WELL)
    for variables in ({}, {"ACCESSIBLE": "1"}):
        with terminal(openkoi.with_environment(OPENKOI_MODEL=model, **variables)) as tty:
            assert 0 != tty.ends()
        assert "Error: Cannot create " in tty.screen
        assert "Move the file that is in the way, or set OPENKOI_HOME." in tty.screen
        assert "Traceback" not in tty.screen


def test_a_line_of_the_history_that_was_cut_off_loses_no_other_message(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('"first"\n"sec')
    history = MessageHistory()
    history.open(path, str)
    history.add("third")
    later = MessageHistory()
    later.open(path, str)

    assert ["first", "third"] == history.entries == later.entries


def test_a_session_that_cannot_be_locked_is_not_said_to_be_open_elsewhere(tmp_path: Path) -> None:
    (folder := tmp_path / "chat").mkdir()
    (tmp_path / "file").write_text("no folder can be made here")

    with closing(OpenSession(folder, tmp_path)) as first, closing(OpenSession(folder, tmp_path)) as second:
        assert [True, False] == [one.hold("session") for one in (first, second)]
    assert OpenSession(tmp_path / "file", tmp_path).hold("session")
