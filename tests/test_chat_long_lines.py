"""Lines of 100 KB in the chat: of an answer, a tool, a shell command and an approval, with hostile bytes in them."""

from pathlib import Path

import pytest
from chat_terminal import FORBIDDEN, ChatTerminal, chat, runs, says, writes
from cli_process import Shell, shell

HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\u202e"
LONG = "".join(f"{HOSTILE}piece{number:05}" for number in range(6_000))
PRINT = "python3 -c \"print(''.join('\\033[2J\\033]52;c;ZXZpbA==\\007piece%05d' % n for n in range(6000)))\""
WELL = says("Well.", "") + "output: 200000\ncontext: 1000000\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[iteration]\ntoken_budget = 2_000_000\n")
    return openkoi


def takes_keys(terminal: ChatTerminal) -> bool:
    """Return whether a draft is shown and can be edited."""
    terminal.type("still here")
    terminal.shows("> still here")
    terminal.type("\x15")
    terminal.hides("still here")
    return True


def is_harmless(terminal: ChatTerminal) -> bool:
    """Return whether nothing but our own sequences has reached the terminal."""
    assert [] == [*terminal.foreign()]
    assert not FORBIDDEN.search(terminal.inner.raw)
    return not any(sign in terminal.inner.raw for sign in "\u202e\x9b")


def test_an_answer_is_whole_and_the_input_is_alive(openkoi: Shell) -> None:
    with chat(openkoi, says(LONG, "long") + WELL) as terminal:
        terminal.send("a long line")
        terminal.shows("[done]")
        text = "".join(terminal.scrollback)

        assert takes_keys(terminal)
        assert [] == [number for number in range(6_000) if 1 != text.count(f"piece{number:05}")]
        assert is_harmless(terminal)


def test_what_a_tool_and_a_shell_command_print_is_harmless(openkoi: Shell) -> None:
    with chat(openkoi, says("I print.", "print", calls=runs(PRINT)) + WELL) as terminal:
        terminal.send("print it")
        terminal.shows("[done]")
        assert takes_keys(terminal)
        terminal.send(f"!{PRINT}")
        terminal.shows("piece05999")

        assert takes_keys(terminal)
        assert is_harmless(terminal)


def test_an_approval_shows_what_fits_and_what_is_hidden(openkoi: Shell) -> None:
    turns = says("I write.", "write", calls=writes("one.txt", LONG)) + WELL
    with chat(openkoi, turns) as terminal:
        terminal.type("\x1b[Z\x1b[Z")
        terminal.shows("asks before each change")
        terminal.send("write it")
        terminal.shows("3. No, and tell OpenKoi")
        terminal.settles()
        assert any("<ESC>[2J" in line for line in terminal.scrollback)
        assert any("<U+202E>" in line for line in terminal.scrollback)
        terminal.type("1\r")
        terminal.shows("[done]")

        assert takes_keys(terminal)
        assert is_harmless(terminal)
