"""What users of other chats do in their first minutes, without reading anything."""

from pathlib import Path

import pytest
from chat_terminal import chat, runs, says, writes
from cli_process import Shell, shell

WELL = says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_keys_and_commands_are_named_in_a_terminal_of_80_columns(openkoi: Shell) -> None:
    with chat(openkoi, WELL, columns=80, name="a-model-with-a-long-name.yaml") as terminal:
        terminal.shows("? for keys · / for commands")
        assert "(Shift-Tab) · ? for keys" in terminal.display  # the model is in the banner
        terminal.resize(120)
        terminal.shows("a-model-with-a-long-name.yaml · ? for keys · / for commands")


def test_what_is_said_after_an_interruption_is_done_before_what_waits(openkoi: Shell) -> None:
    turns = says("I wait.", "slow", calls=runs("sleep 30"))
    turns += says("In rust.", "rust") + says("Tests added.", "a test") + says("Docs written.", "the docs")
    with chat(openkoi, turns) as terminal:
        terminal.send("slow please")
        terminal.shows("Running sleep 30…")
        terminal.send("add a test")
        terminal.shows("joins before the next model call")
        terminal.type("write the docs")
        terminal.shows("> write the docs")
        terminal.type("\t")
        terminal.shows("the next task, when this one ends")
        terminal.type("\x1b")
        terminal.shows("waits: Enter sends it", times=2)
        terminal.send("do it in rust")
        terminal.shows("[done]", times=3)

        text = terminal.display
        assert text.index("In rust.") < text.index("Tests added.") < text.index("Docs written.")


def test_the_diff_and_undo_are_of_the_last_task_that_changed_something(openkoi: Shell) -> None:
    with chat(openkoi, says("I write.", "write it", calls=writes("one.txt", "1\n")) + WELL) as terminal:
        terminal.send("write it")
        terminal.shows("one.txt +1 -0")
        terminal.send("was that right?")
        terminal.shows("[done]", times=2)
        terminal.send("/diff")
        terminal.shows("one.txt +1 -0", times=3)
        terminal.send("/undo")
        terminal.shows("0 files restored, 1 deleted")


def test_a_paste_with_a_line_end_has_as_many_lines_as_its_file(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as terminal:
        lines = "line of it\r" * 300
        terminal.inner.type(f"\x1b[200~{lines}\x1b[201~")
        terminal.shows("> [Pasted text #1, 300 lines]")
