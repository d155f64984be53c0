"""A run at a terminal: the answer as it comes, a working line below it, and at the end what it rests on."""

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a POSIX terminal", allow_module_level=True)

from cli_process import Shell, shell
from pseudo_terminal import ESCAPE, Terminal, terminal

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say, ServerFault

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[1;1H\x9b31m\x1b]8;;http://evil\x07\u202egnp.exe\x08\x08\x1bP+q\x1b\\"
ANSWER = f"# Done\n\nFirst *paragraph* {HOSTILE}of two.\n\n- one\n- two\n\nAll tests pass. I wrote `notes.txt`.\n"
WRITE = ToolCall("c1", "write_file", {"path": "notes.txt", "content": "".join(f"line {n}\n" for n in range(60))})
SLEEP = ToolCall("c2", "run_command", {"command": "sleep 60"})
OURS = re.compile(r"\x1b\[\?2026[hl]|\x1b\[\d*[ACJK]|\x1b\[[\d;]*m")
WORKING = re.compile(r"[\w ./]+… \(\d+s( · [^()]*)? · esc to interrupt\)")
SLOW = ServerFault(pause=0.02)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def served(openkoi: Shell, server: OpenAIServer) -> Shell:
    return openkoi.with_environment(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A run that has written a file and ended with a hostile answer."""
    openkoi, answer = shell(tmp_path_factory.mktemp("finished")), Say(ANSWER, fault=SLOW)
    with (
        OpenAIServer(Say(["I write it.", WRITE]), answer) as server,
        terminal(served(openkoi, server), "-i", "0", "-m", "openai/gpt-fake", "Write notes") as tty,
    ):
        tty.shows("Next: ")
        assert 0 == tty.ends(), tty.screen
        yield tty


def test_every_block_is_there_once_and_the_working_line_is_gone(finished: Terminal) -> None:
    texts = finished.page.split("\n")

    assert WORKING.search(finished.raw)
    assert not [row for row in texts if "esc to interrupt" in row]
    for text in ("I write it.", "Done", "First paragraph gnp.exeof two.", "• one", "• two"):
        assert 1 == texts.count(text), "\n".join(texts)
    assert 1 == sum(row.startswith("All tests pass.") for row in texts)


def test_no_escape_sequence_of_the_model_reaches_the_terminal(finished: Terminal) -> None:
    left = OURS.sub("", finished.raw)

    assert not re.search("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202e]", left)
    assert "2J" not in finished.raw


def test_the_end_shows_files_a_folded_diff_claims_and_what_to_run_next(finished: Terminal) -> None:
    text = finished.page

    assert "1 file changed, +60 -0\n    notes.txt +60 -0\n" in text
    assert re.search(r"… \d+ more lines: openkoi diff [0-9a-f]{8}\n", text)
    assert "? All tests pass. (unverified: nothing in the record shows this)" in text
    assert "✓ I wrote `notes.txt`. (diff: notes.txt +60 -0)" in text
    assert re.search(r"Next: openkoi diff \w{8}, openkoi undo \w{8}, openkoi -c \"TEXT\" to follow up", text)


def test_text_is_on_the_screen_before_the_answer_is_complete(openkoi: Shell) -> None:
    long = Say("Word " * 40 + "\n\n" + "More " * 400, fault=ServerFault(pause=0.05))
    with (
        OpenAIServer(long) as server,
        terminal(served(openkoi, server), "-i", "0", "-m", "openai/gpt-fake", "Talk to me") as tty,
    ):
        tty.shows("Word Word")
        early = "More " * 300 not in tty.screen
        tty.type(ESCAPE)
        status = tty.ends()

    assert early
    assert 130 == status


def test_escape_interrupts_and_says_how_to_go_on_and_an_arrow_key_does_not(openkoi: Shell) -> None:
    with (
        OpenAIServer(Say([WRITE]), Say([SLEEP])) as server,
        terminal(served(openkoi, server), "-m", "openai/gpt-fake", "Write and sleep") as tty,
    ):
        tty.shows("[execute] Running sleep 60")
        tty.type("\x1b[A")
        time.sleep(0.2)
        tty.type(ESCAPE)
        began = time.monotonic()
        tty.shows("Next: openkoi resume")
        took = time.monotonic() - began

        assert 130 == tty.ends()
    assert re.search(r"Next: openkoi resume (\w{8}), openkoi diff \1, openkoi undo \1", tty.screen)
    assert took < 20
    assert 0 == openkoi("undo").returncode
    assert not (openkoi.folder / "notes.txt").exists()


def test_a_dumb_terminal_gets_no_escape_sequence(openkoi: Shell) -> None:
    with OpenAIServer(Say(ANSWER)) as server:
        plain = served(openkoi, server).with_environment(TERM="dumb", ACCESSIBLE="1")
        with terminal(plain, "-i", "0", "-m", "openai/gpt-fake", "Talk to me") as tty:
            assert 0 == tty.ends()

    assert "\x1b" not in tty.raw
    assert "First *paragraph* gnp.exeof two." in tty.raw


def test_a_pipe_gets_the_answer_alone_and_the_terminal_the_progress(openkoi: Shell) -> None:
    with (
        OpenAIServer(Say(["I write it.", WRITE]), "Paris.") as server,
        terminal(served(openkoi, server), "-i", "0", "-m", "openai/gpt-fake", "Write notes") as tty,
    ):
        tty.ends()
        result = served(openkoi, server)("-i", "0", "-m", "openai/gpt-fake", "Write notes again")

    assert "Paris.\n" == result.stdout
    assert "Next: " not in result.stdout
    assert "\x1b" not in result.stderr


def test_verbose_lines_are_above_the_working_line(openkoi: Shell) -> None:
    with (
        OpenAIServer(Say("Well, here it is.", fault=SLOW)) as server,
        terminal(served(openkoi, server), "--verbose", "-i", "0", "-m", "openai/gpt-fake", "Say it") as tty,
    ):
        assert 0 == tty.ends(), tty.screen
    lines = tty.page.split("\n")

    assert any(line.startswith("DEBUG model.response ") for line in lines), tty.page
    assert WORKING.search(tty.raw)
    assert not [line for line in lines if "esc to interrupt" in line]


def test_no_invisible_character_reaches_the_terminal_in_an_error_or_of_a_task(openkoi: Shell) -> None:
    with OpenAIServer(Say(["I write it.", WRITE]), "Done.") as server:
        task = "Write\x1b[31m notes \u202eton ro"
        written = served(openkoi, server)("-m", "openai/gpt-fake", "-i", "0", task)
    assert 0 == written.returncode, written.stderr

    for line in (["context"], ["undo"], ["redo"], ["config", "set", "evil\u202egnp\u2066exe", "1"]):
        with terminal(openkoi, *line) as tty:
            tty.ends()
        assert re.search(r"notes ton ro|evilgnpexe", tty.raw), tty.raw
        assert not re.search("\x1b\\[31m|[\u202a-\u202e\u2066-\u2069]", tty.raw)
