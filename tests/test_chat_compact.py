"""What is sent while ``/compact`` sums up the conversation continues from the summary."""

from pathlib import Path

from chat_terminal import ChatTerminal
from cli_process import shell
from pseudo_terminal import terminal

from openkoi_testing.servers import OpenAIServer, Say, ServerFault


def test_a_message_waits_for_the_summary(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    slow = Say("The word is heron. " * 100, fault=ServerFault(pause=0.03))
    with OpenAIServer("Well.", slow, "Hello.", "Bye.") as server:
        there = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/m", OPENKOI_ITERATE="0"
        )
        with terminal(there, columns=100) as inner:
            tty = ChatTerminal(inner, 100)
            tty.shows("for commands")
            tty.send("paint a heron")
            tty.shows("[done]")
            tty.send("/compact")
            tty.shows("Summarising the conversation")
            tty.send("now boats")
            tty.shows('"now boats" · will run when the command ends')
            tty.shows("Compacted")
            tty.shows("Hello.")
            tty.shows("[done]", times=2)
            tty.send("and sails")
            tty.shows("Bye.")
            asked = [str(one) for one in server.asked[-2:]]

    assert [True, True] == ["Summary of the conversation so far" in one for one in asked]
    assert [False, False] == ["paint a heron" in one for one in asked]
