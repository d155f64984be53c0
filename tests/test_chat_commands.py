"""Commands, keys and attachments of the chat: many in one process, since each start takes a second."""

import asyncio
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from chat_terminal import DOT, FORBIDDEN, chat, runs, says
from cli_process import Shell, shell

from openkoi_chat.cli_commands import run_program

HELP = Path(__file__).parent / "data" / "chat_help.txt"
WELL = says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    made = shell(tmp_path)
    made.home.mkdir()
    return made


def test_settings_of_the_chat(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as opened:
        for line, answer in (
            ("/iterate", "Tasks run once, without evaluation."),
            ("/iterate 2", "At most 2 iterations."),
            ("/iterate two", "/iterate takes a whole number, such as /iterate 3."),
            ("/quality 0.9", "Minimum score to accept: 0.90."),
            ("/quality 9", "/quality takes a score from 0 to 1"),
            ("/budget 0.5", "Maximum cost per task: $0.50."),
            ("/model", "  evaluator: scripted/script.yaml"),
            ("/model evaluator scripted/other.yaml", "  evaluator: scripted/other.yaml"),
            ("/model a b c", "Roles are executor and evaluator"),
            ("/permissions", "No saved answers"),
            ("/stauts", "Unknown command /stauts. Did you mean /status?"),
            ("/diff", "No task changed files"),
            ("/why", "No task in this session yet."),
            ("/cost", "This session has cost nothing yet."),
            ("/rewind", "Nothing to rewind"),
            ("/copy", "No answer to copy yet."),
            ("/soul review", "The installed plugins have no soul to review."),
            ("/bug", "Unknown command /bug."),
            ("/review", "`openkoi evaluate --diff main` scores a diff"),
            ("/usage", "This session has cost nothing yet."),
            ("/skills", "No skills"),
            ("/memory", "/memory WORDS searches memory"),
        ):
            opened.send(line)
            opened.shows(answer)
        opened.send("quit")
        assert 0 == opened.inner.ends()


def test_shell_memory_files_and_images_reach_the_model(openkoi: Shell) -> None:
    (openkoi.folder / "teahouse").mkdir()
    (openkoi.folder / "teahouse" / "bill.py").write_text("PRICE = 4711\n")
    (openkoi.folder / "dot.png").write_bytes(DOT)
    turns = "  - when: {contains: [PRICE = 4711], last: price}\n    says: The price is in the file.\n"
    turns += "  - when: {contains: [green-2-leaves], last: Which}\n    says: The tea is green.\n"
    turns += '  - when: {contains: ["[image/png]"], last: dot}\n    says: I see a dot.\n'
    with chat(openkoi, turns) as opened:
        opened.inner.type("What price is in @bll")
        opened.shows("▸ teahouse/bill.py")
        opened.inner.type("\t")
        opened.shows("> What price is in @teahouse/bill.py")
        opened.inner.type("\r")
        opened.shows("The price is in the file. [1]")

        opened.send("!echo green-$((1 + 1))-leaves")
        opened.shows("\ngreen-2-leaves\n")
        opened.send("Which tea was it?")
        opened.shows("The tea is green. [2]")

        opened.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~")
        opened.shows("> [Image #1]")
        opened.send(" what is this dot?")
        opened.shows("I see a dot. [3]")

        opened.send("# Always use metric units")
        opened.shows("Remembered: Always use metric units (/learn shows it")

        (openkoi.folder / "blind.yaml").write_text("can: [tools]\nturns:\n  - says: Hello\n")
        opened.send("/model scripted/blind.yaml")
        opened.shows("executor: scripted/blind.yaml")
        opened.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~")
        opened.send("and this?")
        opened.shows("scripted/blind.yaml does not read images. Remove the image")
        opened.shows("> [Image #2]and this?\nscripted/blind.yaml")  # kept
    assert "Always use metric units" in openkoi("learn", "list").stdout


def test_drafts_pastes_and_earlier_messages(openkoi: Shell) -> None:
    editor = openkoi.folder / "editor.sh"
    editor.write_text('printf "written with it" > "$1"\n')
    with chat(openkoi, WELL, EDITOR=f"sh {editor}") as opened:
        opened.shows("spent")
        opened.inner.type("a few words\x07")
        opened.shows("> written with it")
        opened.inner.type("\x15")
        lines = "\r".join(f"line {number}" for number in range(12))
        opened.inner.type(f"\x1b[200~{lines}\x1b[201~")
        opened.shows("> [Pasted text #1, 12 lines]")
        opened.inner.type("\x03")
        opened.shows("Draft put aside; Up brings it back.")
        opened.inner.type("first\x0asecond")
        opened.shows("> first\n  second")
        opened.inner.type("\r")
        opened.shows("Well. [1]")
        opened.inner.type("\x1b[A")
        opened.shows("> first\n  second\nscripted")
        opened.inner.type("\x1b[A\x1b[A")
        opened.shows("> [Pasted text #1, 12 lines]\nscripted")
        opened.inner.type("\x03")
        opened.inner.type("sec\x12")
        opened.shows("Earlier messages (Ctrl-R: next)")
        opened.inner.type("\r")
        opened.shows("> first\n  second\nscripted")
        opened.inner.type("\x03\x03")
        opened.shows("Press Ctrl-C again to quit.")
        opened.inner.type("\x03")
        assert 0 == opened.inner.ends()


def test_help_and_lists_are_as_they_were(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as opened:
        openkoi("skill", "new", "brewing")
        opened.send("/help")
        opened.shows("/ @ ! # ?")
        opened.feed()
        text = "\n".join(opened.scrollback)
        shown = text[text.index("Commands") : text.index("scripted/script.yaml ·", text.index("Commands"))]
        opened.inner.type("/bre")
        opened.shows("▸ /brewing  skill: Brewing.")
        opened.inner.type("\r")
        opened.shows("> Use the skill brewing.")

    shown = re.sub(r"\n>.*", "", shown).rstrip() + "\n"
    shown = re.sub(r"From skills and plugins\n(  /.*\n)+", "", shown)  # what is installed beside the chat
    if os.environ.get("UPDATE_SNAPSHOTS"):
        HELP.write_text(shown)
    assert HELP.read_text() == shown


def test_a_conversation_is_compacted_cleared_resumed_and_exported(openkoi: Shell) -> None:
    turns = "  - when: {contains: [A summary with the heron], last: which}\n    says: It was heron.\n"
    turns += says("A summary with the heron.", "Summarise") + says("The code word is heron.", "remember")
    with chat(openkoi, turns) as opened:
        opened.send("remember the code word")
        opened.shows("[done]")
        opened.send("/compact the code word")
        opened.shows("Compacted ")
        opened.send("which word?")
        opened.shows("It was heron. [2]")
        opened.send("/export out.md")
        opened.shows("Wrote ")
        opened.send("/clear")
        opened.shows("A new session. /resume ")
        opened.send("/resume")
        opened.shows("▸ remember the code word")
        assert "Summarise" not in opened.display
        opened.type("\r")
        opened.shows("Where we were: which word?")
        opened.send("/history")
        opened.shows("  2. which word?")

    exported = (openkoi.folder / "out.md").read_text()
    assert "## remember the code word\n\nThe code word is heron.\n\n## which word?\n\nIt was heron.\n\n" == exported


def test_sizes_that_are_too_small_and_keys_in_any_order_break_nothing(openkoi: Shell) -> None:
    with chat(openkoi, says("# Long\n\n" + "word " * 400, "go") + WELL, columns=100) as opened:
        for columns, rows in ((20, 5), (2, 2), (1, 1), (200, 50), (60, 8)):
            opened.resize(columns, rows)
            os.kill(opened.inner.command.pid, signal.SIGWINCH)
            opened.inner.type("\x1b[A\x1b[B/\x7f@\x7f\x0c\x14")
            opened.inner.hear(0.1)
        opened.resize(100, 40)
        os.kill(opened.inner.command.pid, signal.SIGWINCH)
        opened.inner.type("\x15")
        opened.inner.type("go on \u6f22\u5b57 \U0001f469\u200d\U0001f4bb e\u0301")
        opened.shows("> go on \u6f22\u5b57")
        opened.inner.type("\r")
        opened.shows("[done]")
        assert not FORBIDDEN.search(opened.inner.raw)
        assert "Traceback" not in opened.inner.raw


@pytest.mark.parametrize("ending", ["hang up", "end of input"])
def test_a_chat_whose_terminal_is_gone_ends_with_its_children(openkoi: Shell, ending: str) -> None:
    turns = says("I wait.", "wait", calls=runs("sleep 61.7"))
    with chat(openkoi, turns) as opened:
        opened.send("wait for me")
        opened.shows("Running sleep 61.7…")
        opened.waits(lambda: sleepers("61.7"), "a sleeping child", 20)
        began = time.monotonic()
        if ending == "hang up":
            os.kill(opened.inner.command.pid, signal.SIGHUP)
        else:
            os.close(opened.inner.master)
            opened.inner.master = os.open(os.devnull, os.O_RDWR)
        assert opened.inner.command.wait(20) is not None
        print(f"ended after {time.monotonic() - began:.2f} s")
        assert [] == sleepers("61.7")


def sleepers(seconds: str) -> list[str]:
    """Return the processes that sleep for so many seconds."""
    wanted = b"sleep\0" + seconds.encode() + b"\0"
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [path.parent.name] if path.read_bytes() == wanted else []
    return found


def test_of_a_program_that_prints_without_end_the_beginning_is_kept(tmp_path: Path) -> None:
    done = asyncio.run(run_program(["/bin/sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 3"], tmp_path))

    assert 3 == done.status
    assert done.text.startswith("x" * 1_000_000 + "\n… 2000000 more bytes")
