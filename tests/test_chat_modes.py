"""Modes, tasks in the background, the user's own keys, names and forks of sessions: many in one chat."""

import os
import re
import signal
from pathlib import Path

import pytest
from chat_terminal import DOT, PROMPT, ChatTerminal, chat, chat_of_a_shell, read_folder, runs, says, writes
from cli_process import UNREACHABLE, Shell, logged_records, shell
from pseudo_terminal import terminal

from openkoi_chat.frame_output import FOCUS_OFF, FOCUS_ON
from openkoi_chat.key_map import apply_key_map, read_key_map
from openkoi_hookspecs import ConfigError
from openkoi_testing.servers import OpenAIServer

LINES = "\n".join(f"line {number}" for number in range(60))
SHIFT_TAB = "\x1b[Z"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_modes_ask_before_each_change_or_change_nothing(openkoi: Shell) -> None:
    turns = says("I write.", "write it", calls=writes("long.txt", LINES)) + says("Well.", "")
    with chat(openkoi, turns, PAGER="cat") as terminal:
        terminal.shows("spent")
        terminal.inner.type(SHIFT_TAB)
        terminal.shows("\nplans, changes nothing (Shift-Tab) · scripted")
        terminal.inner.type(SHIFT_TAB)
        terminal.shows("\nasks before each change (Shift-Tab) · scripted")
        terminal.send("write it")
        terminal.shows("+ line 27")
        terminal.shows("more lines: Ctrl-A shows all")
        assert "line 59" not in terminal.display
        assert "esc to interrupt" not in terminal.display  # Esc refuses now
        terminal.settles()
        terminal.inner.type("\x01")
        terminal.waits(lambda: "+ line 59" in "\n".join(terminal.scrollback), "all lines", 20)
        terminal.shows("1. Yes, this once (y)")
        terminal.settles()
        terminal.inner.type("1\r")
        terminal.shows("→ Yes, this once")
        terminal.shows("/diff shows the changes")
        assert "[done]" in "\n".join(terminal.scrollback)  # the diff below it may have pushed it up
        assert {"long.txt": LINES} == read_folder(openkoi.folder)
        for line, answer in (
            ("/mode plan", "Mode: plan (plans, changes nothing)."),
            ("/mode all", "Unknown mode 'all'. Choose from ask, edits, plan"),
            ("/plan", "Plan mode is off."),
            ("/mode", "▸ 2. edits"),
        ):
            terminal.send(line)
            terminal.shows(answer)
        terminal.inner.type("1\r")
        terminal.shows("Mode: ask (asks before each change).")


EDITOR = """\
echo "the editor has $(cat "$1")."
[ -e go.txt ] || until [ -e leave.txt ]; do sleep 0.05; done
echo the editor ends
printf "written with it" > "$1"
"""
PLUGIN = """\
import click

@click.command()
@click.argument("words", nargs=-1)
def acme(words):
    click.echo(f"acme has {words}")
"""
JUDGE = """\
  - when: {tools: false, last: blue}
    says: '{"scores": {"relevance": 0.9, "quality": 0.9, "completeness": 0.9}, "findings": []}'
    repeat: true
"""


def write_programs(folder: Path) -> str:
    """Write clipboard programs, one of which finds no display; return a PATH that begins with them."""
    folder.mkdir()
    for name, code in (("wl-paste", "exit 1"), ("xclip", "cat clipboard.png")):
        (folder / name).write_text(f"#!/bin/sh\n{code}\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_keys_and_commands_that_look_attach_edit_redraw_and_suspend(openkoi: Shell, tmp_path: Path) -> None:
    (openkoi.folder / "editor.sh").write_text(EDITOR)
    waits = "until [ -e go.txt ]; do sleep 0.05; done; echo it went"
    turns = says("Waiting.", "slow", calls=runs(waits)) + says("The slow answer.", "it went") + JUDGE
    turns += '  - when: {contains: ["[image/png]"], last: dot}\n    says: I see a dot.\n' + says("Well.", "")
    programs = {"PATH": write_programs(tmp_path / "bin"), "PAGER": "cat", "EDITOR": "sh editor.sh"}
    there = openkoi.with_plugin(PLUGIN, commands="acme:acme")
    with chat_of_a_shell(there, turns, programs) as terminal:
        terminal.shows("spent")
        look_at_the_last_task(terminal)
        attach_an_image(terminal, openkoi.folder / "clipboard.png")
        edit_while_a_task_runs(terminal, openkoi)
        suspend(terminal)


def look_at_the_last_task(terminal: ChatTerminal) -> None:
    """By commands and keys, and a command of a plugin."""
    terminal.inner.type("\x0f")
    terminal.shows("No task in this session yet.")
    for line, answer in (
        ("/iterate 1", "Maximum iterations: 1"),
        ("paint it blue", "[done]"),
        ("/context", "Task: paint it blue"),
        ("/learn list", "Nothing learned yet"),
        ("/acme new tea 'two words'", "acme has ('new', 'tea', 'two words')"),
        ("/acme it's tea", """acme has ("it's", 'tea')"""),
        ("/iterate 0", "Tasks run once"),
    ):
        terminal.send(line)
        terminal.shows(answer)
        terminal.shows(PROMPT)  # the terminal was handed back
    terminal.inner.type("\x14")
    terminal.shows("Plan: the task as it was given, in one step.\n[iter 1/1] score: 0.90")
    terminal.inner.type("\x0f")
    terminal.shows("total (1 model)")
    terminal.shows(PROMPT)


def attach_an_image(terminal: ChatTerminal, clipboard: Path) -> None:
    """Paste from an empty clipboard, then an image."""
    terminal.inner.type("what is\x16")
    terminal.shows("No image in the clipboard.")
    clipboard.write_bytes(DOT)
    terminal.inner.type(" \x16")
    terminal.shows("> what is [Image #1]")
    terminal.send(", this dot?")
    terminal.shows("I see a dot.")


def edit_while_a_task_runs(terminal: ChatTerminal, openkoi: Shell) -> None:
    """A task's output appears once the editor has ended; then with the command."""
    terminal.send("slow please")
    terminal.shows("Running until")
    terminal.inner.type("my words\x18\x05")
    terminal.shows("the editor has my words.")
    (openkoi.folder / "go.txt").touch()
    terminal.waits(lambda: "The slow answer." in str(logged_records(openkoi.home)), "the end of the task", 40)
    (openkoi.folder / "leave.txt").touch()
    terminal.shows("> written with it")
    terminal.shows("The slow answer.")
    assert terminal.inner.raw.index("the editor ends") < terminal.inner.raw.index("The slow answer.")
    terminal.inner.type("\x15")
    terminal.send("/editor")
    terminal.shows("the editor has .")
    terminal.shows("> written with it")


def suspend(terminal: ChatTerminal) -> None:
    """Draw over what another program wrote; go to the shell and back with the draft."""
    terminal.feed()
    terminal.stream.feed("\rsomething else\x1b[K")
    assert "> written with it" not in terminal.display
    terminal.inner.type("\x0c")
    terminal.shows("> written with it")
    assert "something else" not in terminal.display
    terminal.inner.type("\x1a")
    terminal.shows(f"status {128 + signal.SIGTSTP}")
    assert "> written with it" not in terminal.display
    assert terminal.inner.raw.rindex(FOCUS_OFF) > terminal.inner.raw.rindex(FOCUS_ON)
    terminal.inner.type("ls\n")
    terminal.shows("the shell read ls")
    terminal.shows("> written with it")
    assert terminal.inner.raw.rindex(FOCUS_ON) > terminal.inner.raw.rindex("the shell read ls")
    terminal.inner.type("\x15\x04")
    terminal.shows("status 0")


def test_a_model_is_set_up_in_the_chat(openkoi: Shell) -> None:
    with OpenAIServer("A teahouse.", models=["gpt-5.2"], key="sk-canary") as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENKOI_ITERATE="0", OLLAMA_HOST=UNREACHABLE)
        with terminal(there, columns=100) as inner:
            tty = ChatTerminal(inner, 100)
            tty.shows("| no model: /setup sets one up |")
            tty.send("/init")
            tty.shows("any endpoint")
            tty.inner.type("\x1b")
            tty.shows("no model: /setup sets one up · ? for keys")
            tty.send("/init")
            tty.shows("any endpoint", times=2)
            tty.inner.type("3\r")
            tty.shows("Paste your OpenAI API key:")
            tty.inner.type("sk-canary\r")
            tty.shows("openai/gpt-5.2 · ? for keys")
            tty.send("What is it?")
            tty.shows("A teahouse. [1]")
            assert "sk-canary" not in tty.inner.raw


def test_a_task_goes_on_in_the_background_and_its_answer_comes_back(openkoi: Shell) -> None:
    waits = "while [ ! -e go.txt ]; do sleep 0.1; done"
    turns = says("Waiting.", "slow", calls=runs(waits)) + says("The slow answer.", "exit")
    turns += says("Quick.", "quick") + says("Well.", "")
    with chat(openkoi, turns) as terminal:
        terminal.send("slow please")
        terminal.shows(f"Running {waits}"[:30])
        terminal.inner.type("\x02")
        terminal.shows('◌ "slow please" · in the background; /background lists or stops it')
        terminal.send("quick please")
        terminal.shows("Quick. [2]")
        terminal.shows("[done]")
        terminal.send("/background")
        terminal.shows("1. slow please: Running")
        (openkoi.folder / "go.txt").write_text("")
        terminal.shows("Done in the background: slow please")
        terminal.hides("◌")
        terminal.send("/background stop 1")
        terminal.shows("takes the number of a task that /background lists.")
        terminal.send("slow please")
        terminal.shows("[execute] Running")


def test_sessions_have_names_and_forks_and_answers_are_shown_as_they_are_written(openkoi: Shell) -> None:
    with chat(openkoi, says("Some **bold** words.", "say") + says("Well.", "")) as terminal:
        for line, answer in (
            ("/fork", "Nothing to fork"),
            ("say it", "Some bold words. [1]"),
            ("/rename new prices", "This session is now called new prices"),
            ("/raw", "Answers are shown unformatted."),
            ("say it again", "Some **bold** words."),
            ("/fork", "Started a new session with this conversation."),
            ("other words", "Well."),
        ):
            terminal.send(line)
            terminal.shows(answer)
            terminal.waits(lambda: "esc to interrupt" not in terminal.display, "the end", 40)
        terminal.send("/resume new prices")
        terminal.shows("Last task: say it again")
        terminal.send("/history")
        terminal.shows("  2. say it again")
        assert "3. other words" not in terminal.display
    with chat(openkoi, says("Well.", ""), "--resume") as terminal:
        terminal.shows("▸ 1. other words")
        terminal.inner.type("\x1b[B\r")
        terminal.shows("Last task: say it again")


def test_keys_are_those_of_a_file_and_an_error_in_it_leaves_the_usual_ones(openkoi: Shell) -> None:
    keys = openkoi.home / "keys.toml"
    keys.write_text('newline = "f4"\neditor = []\nsearch = ["ctrl-y", "alt-s"]\n')
    with chat(openkoi, says("Well.", "")) as terminal:
        terminal.shows("spent")
        terminal.inner.type("one\x1bOStwo")
        terminal.shows("> one\n  two")
        terminal.inner.type("\x03?")
        terminal.shows("F4")
        assert "$EDITOR" not in terminal.display
        assert "Ctrl-Y, Alt-S" in terminal.display
    keys.write_text('serch = "f4"')
    with chat(openkoi, says("Well.", "")) as terminal:
        terminal.shows("! Unknown action 'serch' in")
        terminal.shows("spent")
        terminal.inner.type("?")
        terminal.shows("Ctrl-R")
        assert "F4" not in terminal.display


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('search = "ctrl-shift-meta-q"', "Unknown key 'ctrl-shift-meta-q' for search in"),
        ('search = ""', "Unknown key '' for search in"),
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
