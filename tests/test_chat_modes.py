"""Modes, tasks in the background, the user's own keys, names and forks of sessions: many in one chat."""

import re
from pathlib import Path

import pytest
from chat_terminal import chat, read_folder, runs, says, writes
from cli_process import Shell, shell

from openkoi_chat.key_map import apply_key_map, read_key_map
from openkoi_hookspecs import ConfigError

LINES = "\n".join(f"line {number}" for number in range(60))
SHIFT_TAB = "\x1b[Z"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def test_modes_ask_before_each_change_or_change_nothing(openkoi: Shell) -> None:
    turns = says("I write.", "write it", calls=writes("long.txt", LINES)) + says("Well.", "")
    with chat(openkoi, turns, PAGER="cat") as opened:
        opened.shows("spent")
        opened.inner.type(SHIFT_TAB)
        opened.shows("· plans, changes nothing ·")
        opened.inner.type(SHIFT_TAB)
        opened.shows("· asks before each change ·")
        opened.send("write it")
        opened.shows("+ line 27")
        opened.shows("more lines: Ctrl-A shows all")
        assert "line 59" not in opened.display
        assert "esc to interrupt" not in opened.display  # Esc refuses now
        opened.settles()
        opened.inner.type("\x01")
        opened.waits(lambda: "+ line 59" in "\n".join(opened.scrollback), "all lines", 20)
        opened.shows("1. Yes, this once (y)")
        opened.settles()
        opened.inner.type("1")
        opened.shows("→ Yes, this once")
        opened.shows("[done]")
        assert {"long.txt": LINES} == read_folder(openkoi.folder)
        for line, answer in (
            ("/mode", "ask: it asks before each change."),
            ("/mode plan", "plan: it plans, changes nothing."),
            ("/mode all", "Modes are ask, edits, plan"),
            ("/plan", "Planning is off."),
        ):
            opened.send(line)
            opened.shows(answer)


def test_the_last_task_is_looked_at_by_keys_and_commands(openkoi: Shell) -> None:
    with chat(openkoi, says("Well.", ""), PAGER="cat") as opened:
        opened.send("go on")
        opened.shows("[done]")
        for line, answer in (
            ("/context", "Task: go on"),
            ("/progress", "No iteration has ended yet."),
            ("/transcript", "total (1 model)"),
            ("/learn list", "Nothing learned yet"),
        ):
            opened.send(line)
            opened.shows(answer)


def test_a_task_goes_on_in_the_background_and_its_answer_comes_back(openkoi: Shell) -> None:
    waits = "while [ ! -e go.txt ]; do sleep 0.1; done"
    turns = says("Waiting.", "slow", calls=runs(waits)) + says("The slow answer.", "exit")
    turns += says("Quick.", "quick") + says("Well.", "")
    with chat(openkoi, turns) as opened:
        opened.send("slow please")
        opened.shows(f"Running {waits}"[:30])
        opened.inner.type("\x02")
        opened.shows('◌ "slow please" · in the background, /background lists and stops')
        opened.send("quick please")
        opened.shows("Quick. [2]")
        opened.shows("[done]")
        opened.send("/background")
        opened.shows("1. slow please: Running")
        (openkoi.folder / "go.txt").write_text("")
        opened.shows("Done in the background: slow please")
        opened.hides("◌")
        opened.send("/background stop 1")
        opened.shows("takes the number of a task that /background lists.")
        opened.send("slow please")
        opened.shows("[execute] Running")


def test_sessions_have_names_and_forks_and_answers_are_shown_as_they_are_written(openkoi: Shell) -> None:
    with chat(openkoi, says("Some **bold** words.", "say") + says("Well.", "")) as opened:
        for line, answer in (
            ("/fork", "Nothing to fork"),
            ("say it", "Some bold words. [1]"),
            ("/rename new prices", "This session is now new prices"),
            ("/raw", "Answers are shown as they are written."),
            ("say it again", "Some **bold** words."),
            ("/fork", "A new session with this conversation."),
            ("other words", "Well."),
        ):
            opened.send(line)
            opened.shows(answer)
            opened.waits(lambda: "esc to interrupt" not in opened.display, "the end", 40)
        opened.send("/resume new prices")
        opened.shows("Where we were: say it again")
        opened.send("/history")
        opened.shows("  2. say it again")
        assert "3. other words" not in opened.display
    with chat(openkoi, says("Well.", ""), "--resume") as opened:
        opened.shows("▸ other words")
        opened.inner.type("\x1b[B\r")
        opened.shows("Where we were: say it again")


def test_keys_are_those_of_a_file_and_an_error_in_it_leaves_the_usual_ones(openkoi: Shell) -> None:
    keys = openkoi.home / "keys.toml"
    keys.write_text('newline = "f4"\neditor = []\nsearch = ["ctrl-y", "alt-s"]\n')
    with chat(openkoi, says("Well.", "")) as opened:
        opened.shows("spent")
        opened.inner.type("one\x1bOStwo")
        opened.shows("> one\n  two")
        opened.inner.type("\x03?")
        opened.shows("F4")
        assert "$EDITOR" not in opened.display
        assert "Ctrl-Y, Alt-S" in opened.display
    keys.write_text('serch = "f4"')
    with chat(openkoi, says("Well.", "")) as opened:
        opened.shows("! Unknown action 'serch' in")
        opened.shows("spent")
        opened.inner.type("?")
        opened.shows("Ctrl-R")
        assert "F4" not in opened.display


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('search = "ctrl-shift-meta-q"', "'ctrl-shift-meta-q' of search is not a key"),
        ('search = ""', "'' of search is not a key"),
        ("search = 4", "search takes a key or a list of keys"),
        ("search = [4]", "search takes a key or a list of keys"),
        ("search = ", "Cannot use the keys in"),
    ],
)
def test_a_wrong_key_is_named(line: str, error: str, tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text(line)

    with pytest.raises(ConfigError, match=re.escape(error)):
        read_key_map(tmp_path / "keys.toml")


def test_a_key_that_is_given_loses_what_it_did_before() -> None:
    keys = {one.name: one.keys for one in apply_key_map({"queue": ["ctrl-r"], "search": []})}

    assert ("ctrl-r",) == keys["queue"]
    assert () == keys["search"]
    assert ("enter",) == keys["send"]
