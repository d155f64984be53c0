"""What ``openkoi -c`` brings back: the mode, the last exchange, and from a session open elsewhere a copy."""

import os
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, runs, says, writes
from cli_process import Shell, shell

TEA = says("Three kinds:\n\n- green\n- black\n", "tea")
MANY = says("\n".join(f"line {number}  " for number in range(60)), "many")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def test_the_mode_is_shown_explained_once_and_kept_with_the_last_exchange(openkoi: Shell) -> None:
    with chat(openkoi, TEA + MANY) as opened:
        opened.shows("OpenKoi edits files here freely and asks before risky steps. Shift-Tab or /mode")
        opened.shows("\nedits freely, asks if risky (Shift-Tab) · scripted/script.yaml")
        opened.send("Which tea is there?")
        opened.shows("[done]")
        opened.inner.type("\x1b[Z\x1b[Z")
        opened.shows("\nasks before each change (Shift-Tab)")
        opened.inner.type("\x04")
        opened.inner.ends()
    with chat(openkoi, TEA + MANY, "-c") as opened:
        opened.shows("Cost: ")
        opened.shows("\n> Which tea is there?\nThree kinds: [1]\n\n• green\n• black [2]\n")
        opened.shows("\nasks before each change (Shift-Tab)")
        opened.send("many lines")
        opened.shows("line 59")
        opened.shows("[done]")
        assert "OpenKoi edits files" not in "\n".join(opened.scrollback)
    with chat(openkoi, TEA + MANY, "-c") as opened:
        opened.shows("line 59")
        assert "line 29" not in "\n".join(opened.scrollback)
    with chat(openkoi, TEA) as opened:
        opened.shows("\nedits freely, asks if risky (Shift-Tab)")


def test_what_a_task_showed_is_shown_again_by_the_same_code(openkoi: Shell) -> None:
    """Steps, answers, messages that joined, files and their diff: live, with ``-c`` and with ``/resume``."""
    turns = says("I write it.", "write", calls=f"{writes('one.txt', '1')}, {runs('sleep 3; echo done')}")
    turns += says("It says one.\n\nIt is 40% faster.", "in blue") + TEA
    with chat(openkoi, turns) as opened:
        opened.send("write it")
        opened.shows("Running sleep 3")
        opened.send("in blue")
        opened.shows("/undo undoes them, /why explains")
        opened.settles()
        live = past_of(opened, "> write it")
        opened.inner.type("\x04")
        opened.inner.ends()
    for words in (("-c",), ()):
        with chat(openkoi, turns, *words) as opened:
            if not words:
                opened.send("/resume")
                opened.shows("write it")
                opened.inner.type("1")
            opened.shows("/undo undoes them, /why explains")
            opened.settles()
            assert live == past_of(opened, "> write it")
    assert "> in blue" in live
    with chat(openkoi, turns, "-c", PAGER="cat") as opened:
        opened.shows("/undo undoes them, /why explains")
        opened.settles()
        opened.inner.type("\x0f")
        opened.waits(lambda: "Model calls:" in opened.scrollback, "the calls", 40)
        opened.settles()
        page = [line for line in opened.scrollback if line]
        assert [without_number(line) for line in live] == [
            without_number(line) for line in page[: page.index("Model calls:")]
        ][-len(live) :]


def without_number(line: str) -> str:
    """Return a line of an answer without the number of its block."""
    return re.sub(r" \[\d+\]$", "", line)


def past_of(opened: ChatTerminal, first: str) -> Sequence[str]:
    """Return the scrollback between a line and the input."""
    lines = [line for line in opened.scrollback if line]
    begin = max(place for place, line in enumerate(lines) if line == first)
    return lines[begin : max(place for place, line in enumerate(lines) if line.startswith(">") and len(line) < 3)]


def test_the_end_of_a_long_task_is_shown_with_how_much_was_before(openkoi: Shell) -> None:
    many = ", ".join(runs(f"echo {number}") for number in range(40))
    with chat(openkoi, says("I count.", "count", calls=many) + says("Counted.", "39")) as opened:
        opened.send("count")
        opened.shows("[done]")
        opened.inner.type("\x04")
        opened.inner.ends()
    with chat(openkoi, TEA, "-c") as opened:
        opened.shows("[done]")
        lines = opened.scrollback
        (dropped,) = [int(line.split()[1]) for line in lines if "steps not shown; Ctrl-O shows all" in line]
        assert 10 < dropped < 20
        assert "[execute] Running echo 39..." in lines
        assert "[execute] Running echo 3..." not in lines


def test_a_session_that_is_open_is_continued_in_a_copy_and_nothing_is_lost(openkoi: Shell) -> None:
    turns = says("I wait.", "slow", calls=runs("sleep 60")) + says("The word is heron.", "word") + TEA
    with chat(openkoi, turns) as first:
        first.send("remember the word")
        first.shows("[done]")
        first.send("slow please")
        first.shows("Running sleep 60")
        first.inner.type("a draft")
        first.shows("> a draft")
        with chat(openkoi, turns, "-c") as second:
            second.shows("That session is open in another chat")
            second.shows("Left to do: nothing in this copy; the other chat continues the task")
            second.shows("\n> slow please\nI wait.")
            assert "a draft" not in second.display
            second.send("Which tea is there?")
            second.shows("[done]")
            second.send("/history")
            second.shows("  1. Which tea is there?")
            first.shows("esc to interrupt")
            time.sleep(0.2)
            os.kill(first.inner.command.pid, signal.SIGKILL)
            second.type("\x04")
            second.inner.ends()
    with chat(openkoi, turns, "-c") as opened:
        opened.shows("Last task: Which tea is there?")
        opened.send("/resume")
        opened.shows("2. remember the word")
        opened.inner.type("2")
        opened.shows("Left to do: the last task was interrupted; /resume continues it")
        opened.shows("\n> a draft\n")
