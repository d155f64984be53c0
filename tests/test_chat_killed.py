"""A chat that is killed while an answer streams: ``-c`` brings back all but the last tenth of a second."""

import json
import os
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from chat_terminal import ChatTerminal
from cli_process import Shell, shell
from pseudo_terminal import terminal

from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

WORDS = [f"word{number}" for number in range(2_000)]
ANSWER = " ".join(word + "\n\n" * (number % 9 == 8) for number, word in enumerate(WORDS))
SPACED = [f"word{number} " for number in range(100)]
CHINESE = [f"{number}\u53f7\u53e5\u8bdd\u3002" for number in range(100)]
LOST_SECONDS = 0.1


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def served(openkoi: Shell, server: OpenAIServer) -> Shell:
    """Return the same with a model behind a server."""
    return openkoi.with_environment(
        OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/m", OPENKOI_ITERATE="0"
    )


def ask(opened: ChatTerminal) -> None:
    """Ask something once the chat is ready."""
    opened.shows("spent")
    opened.send("go on")


def kill_after(opened: ChatTerminal, seconds: float) -> str:
    """Read the output for a while, kill the chat, and return what it had shown."""
    shown, end = opened.display, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        opened.inner.hear(left)
    os.kill(opened.inner.command.pid, signal.SIGKILL)
    opened.inner.command.wait(20)
    return shown


@pytest.mark.parametrize("word", ["word1 ", "word9", "word31", "word120", "word288"])
def test_what_had_streamed_comes_back_with_the_draft(openkoi: Shell, word: str) -> None:
    with OpenAIServer(Say(ANSWER, fault=ServerFault(pause=0.004)), "Well.") as server:
        with terminal(served(openkoi, server), columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            ask(opened)
            opened.shows(word)
            opened.inner.type("half a mess")
            opened.shows("> half a mess")
            shown = re.findall(r"\bword\d+(?= )", kill_after(opened, LOST_SECONDS))
        with terminal(served(openkoi, server), "-c", columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            opened.waits(lambda: f"{shown[-1]} " in "\n".join(opened.scrollback), shown[-1], 40)
            opened.shows("> half a mess")
            text = "\n".join(opened.scrollback)
            again = re.findall(r"\bword\d+", text)
            opened.inner.type("\x15")
            opened.send("and then?")
            opened.shows("Well.")
            asked = str(server.asked[-1])

    assert "Last task: go on (just now)\nLeft to do: the last task was interrupted; /resume continues it" in text
    assert re.search(r"Cost: (<\$0\.01|\$0\.(?!00)\d\d) for 1 task\n", text)
    assert again == WORDS[int(again[0][4:]) : int(again[-1][4:]) + 1], "nothing is missing, and nothing is there twice"
    assert [] == [one for one in shown if one not in again]
    assert [] == [one for one in WORDS[: int(shown[-1][4:])] if one not in asked], "the model goes on from there"


@pytest.mark.parametrize("words", [SPACED, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_what_came_before_the_server_fell_silent_is_shown_and_comes_back(
    openkoi: Shell, words: Sequence[str], count: int
) -> None:
    silent = ServerFault(body=[make_piece(word) for word in words[:count]], after=AfterResponse.HANGS, pause=0.003)
    with OpenAIServer(Say("", fault=silent)) as server:
        with terminal(served(openkoi, server), columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            ask(opened)
            opened.shows(words[count - 1].strip())
            kill_after(opened, LOST_SECONDS)
        with terminal(served(openkoi, server), "-c", columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            opened.shows("Last task: go on (just now)")
            opened.shows(words[count - 1].strip())


def test_a_killed_chat_leaves_no_lock_after_the_next_task(openkoi: Shell) -> None:
    with OpenAIServer(Say(ANSWER, fault=ServerFault(pause=0.004)), "Well.") as server:
        with terminal(served(openkoi, server), columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            ask(opened)
            opened.shows("word9")
            kill_after(opened, 0.0)
        killed = [path for path in openkoi.home.rglob("*.lock") if path.stem.count(".") == 0]
        for path in killed:
            os.utime(path, (0, 0))
        with terminal(served(openkoi, server), columns=100) as inner:
            opened = ChatTerminal(inner, 100)
            ask(opened)
            opened.shows("[done]")
            opened.inner.type("\x04")
            opened.inner.ends()

    assert {"chat", "running"} <= {part for path in killed for part in path.parts}
    assert [] == [path for path in killed if path.exists()]


def make_piece(text: str) -> bytes:
    """Return a piece of a streamed answer, as OpenAI's API sends it."""
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode()
