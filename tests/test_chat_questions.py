"""How questions of the chat are answered: a digit or a letter marks, Enter gives, and no message ever does."""

from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, read_folder, runs, says, writes
from cli_process import Shell, shell
from pseudo_terminal import terminal

from openkoi_testing.servers import OpenAIServer

PUSH = runs("git push --force origin main")
WELL = says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def test_a_key_that_came_too_early_neither_answers_nor_is_sent_later(openkoi: Shell) -> None:
    with chat(openkoi, says("I push.", "push", calls=PUSH) + WELL) as opened:
        opened.send("push it")
        opened.shows("3. No")
        opened.inner.type("1")
        opened.shows("typed that before the question appeared")
        assert "\n>\n" in opened.display
        opened.settles()
        opened.inner.type("\r")  # may be the end of a message whose keys came too early
        opened.settles()
        assert "→ Yes" not in opened.display
        opened.inner.type("\r")  # the marked one, with an empty input
        opened.shows("→ Yes, this once")
        opened.hides("typed that before the question appeared")
        opened.shows("Well.")
        opened.inner.type("thanks")
        opened.shows("> thanks")


@pytest.mark.parametrize(
    ("message", "pause"),
    [
        (message, pause)
        for message in ("also do this", "yes but later", "now what?", "2 more tests", "1", "12 of them", "any", "3. no")
        for pause in (0.0, 0.05, 0.4)
    ],
)
def test_a_message_that_begins_with_the_key_of_an_answer_is_a_message(
    openkoi: Shell, message: str, pause: float
) -> None:
    """However long the user pauses between the question and the first key, or after it."""
    with chat(openkoi, says("I push.", "push", calls=PUSH) + WELL) as opened:
        opened.send("push it")
        opened.shows("3. No")
        opened.settles()
        for key in f"{message}!":
            opened.inner.type(key)
            opened.inner.hear(pause)
        opened.shows(f"> {message}!")
        assert "▸ 1. Yes, this once (y)" in opened.display
        opened.inner.type("\r")
        opened.shows(f'↳ "{message}!" · will be added before the next model call')
        assert "→" not in opened.display


@pytest.mark.parametrize(
    ("key", "answer"),
    [("1", "Yes, this once"), ("y", "Yes, this once"), ("2", "Yes, and commands"), ("a", "Yes, and commands")],
)
def test_a_digit_or_a_letter_marks_and_enter_answers(openkoi: Shell, key: str, answer: str) -> None:
    with chat(openkoi, says("I push.", "push", calls=PUSH) + WELL) as opened:
        opened.send("push it")
        opened.shows("3. No")
        opened.settles()
        opened.inner.type(key)
        opened.shows("Press Enter to choose the marked answer")
        opened.settles()
        opened.shows(f"▸ {1 if key in '1y' else 2}. ")
        assert "→" not in opened.display
        opened.inner.type("\r")
        opened.shows(f"→ {answer}")
        opened.shows("Well.")


def test_a_draft_goes_on_behind_a_question_and_enter_sends_it(openkoi: Shell) -> None:
    waits = runs("sleep 1; echo it went")
    turns = says("I push.", "it went", calls=PUSH) + says("I wait.", "push", calls=waits) + WELL
    with chat(openkoi, turns) as opened:
        opened.send("push it")
        opened.shows("Running sleep 1")
        opened.inner.type("also a1")
        opened.shows("3. No")
        opened.inner.type("b\r")
        opened.shows('↳ "also a1b" · will be added before the next model call')
        assert "→ Yes" not in opened.display
        opened.settles()
        opened.inner.type("3\r")
        opened.shows("What should OpenKoi do instead? >")
        opened.inner.type("\r")
        opened.shows("> also a1b")


def test_arrows_move_and_enter_chooses_in_approvals_and_in_a_rewind(openkoi: Shell) -> None:
    turns = says("I push.", "push", calls=PUSH) + says("I write.", "write", calls=writes("one.txt", "1"))
    with chat(openkoi, turns + WELL) as opened:
        opened.send("push it")
        opened.shows("▸ 1. Yes, this once (y)")
        opened.settles()
        opened.inner.type("\x1b[B")
        opened.shows("▸ 2. Yes, and commands")
        opened.inner.type("\x1b[B\x1b[B\x1b[A")  # from the first one up is the last one
        opened.shows("▸ 3. No")
        opened.inner.type("\r")
        opened.shows("What should OpenKoi do instead? >")
        opened.inner.type("\r")
        opened.shows("! Rejected: the user refused")
        opened.shows("Well.")
        opened.send("write it")
        opened.shows("one.txt +1 -0")
        opened.send("/rewind")
        opened.shows("▸ 1. (current)")
        opened.inner.type("2")
        opened.shows("▸ 1. Both the conversation and the files")
        opened.settles()
        opened.inner.type("\x1b[B\r")
        opened.shows("→ Only the conversation")
        opened.shows("> write it")
        assert {"one.txt": "1"} == read_folder(openkoi.folder)


def test_all_choices_can_be_reached_on_a_small_terminal(openkoi: Shell) -> None:
    with chat(openkoi, says("I push.", "push", calls=PUSH) + WELL) as opened:
        shrink(opened, 20, 10)
        opened.inner.type("push it\r")
        for number in (1, 2, 3):
            opened.shows(f"▸ {number}. ")
            for other in (1, 2, 3):
                assert f"{other}. " in opened.display
            opened.settles()
            opened.inner.type("\x1b[B" if number < 3 else "\r")
        opened.shows("stead? >")
        opened.inner.type("\r")
        opened.shows("Well.")


def test_a_model_is_chosen_from_those_of_its_provider(openkoi: Shell) -> None:
    with OpenAIServer("Well.", models=["gpt-5.2", "gpt-5-mini"], key="sk-test") as server:
        there = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-5.2", OPENKOI_ITERATE="0"
        )
        with terminal(there, columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            opened.shows("spent")
            opened.send("/model")
            opened.shows("Which model? (Enter: choose, Esc: cancel)\n▸ 1. openai/gpt-5.2 ")
            opened.shows("current executor and evaluator\n  2. openai/gpt-5-mini")
            opened.inner.type("\x1b[B\r")
            opened.shows("  evaluator: openai/gpt-5-mini")
            opened.shows("(Shift-Tab) · openai/gpt-5-mini ·")
            opened.send("/model")
            opened.shows("▸ 1. openai/gpt-5-mini")
            opened.inner.type("\x1b")
            opened.hides("Which model?")
            opened.send("hello")
            opened.shows("Well.")
            request = server.requests[-1].json
            assert isinstance(request, dict)
            assert "gpt-5-mini" == request["model"]


def shrink(opened: ChatTerminal, columns: int, rows: int) -> None:
    """Make the terminal smaller, and wait until the chat has drawn again."""
    import os
    import signal

    opened.resize(columns, rows)
    os.kill(opened.inner.command.pid, signal.SIGWINCH)
    opened.inner.hear(0.3)
