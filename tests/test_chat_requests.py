"""Commands of other chats that ask the model for something: they do it, and do not explain how it could be done."""

from pathlib import Path

import pytest
from chat_terminal import chat, says, writes
from cli_process import Shell, shell


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_init_writes_instructions_and_review_reads_changes(openkoi: Shell) -> None:
    turns = says("Written.", "Write AGENTS.md in the root", calls=writes("AGENTS.md", "Run make.\n"))
    turns += says("One bug.", "Review src/app.py. Read") + says("Two bugs.", "Review the uncommitted changes")
    turns += says("Well.", "")
    with chat(openkoi, turns) as tty:
        tty.send("/init")
        tty.shows("AGENTS.md +1 -0")
        assert "Run make.\n" == (openkoi.folder / "AGENTS.md").read_text()
        tty.send("/review")
        tty.shows("Two bugs.")
        tty.shows("[done]", times=2)
        tty.send("/security-review src/app.py")
        tty.shows("One bug.")


def test_login_asks_for_a_provider_though_a_model_works(openkoi: Shell) -> None:
    with chat(openkoi, says("Well.", "")) as tty:
        tty.send("/login")
        tty.shows("any endpoint")
        tty.inner.type("\x1b")
        tty.shows("? for keys")
        tty.send("hello")
        tty.shows("Well. [1]")
