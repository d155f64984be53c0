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
from openkoi_chat.command_table import BETWEEN_TASKS, COMMANDS

HELP = Path(__file__).parent / "data" / "chat_help.txt"
WELL = says("Well.", "")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_settings_of_the_chat(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as terminal:
        for line, answer in (
            ("/iterate", "Tasks run once, without evaluation."),
            ("/iterate 2", "Maximum iterations: 2."),
            ("/iterate two", "/iterate takes a whole number, such as /iterate 3."),
            ("/quality 0.9", "Minimum score to accept: 0.90."),
            ("/quality 9", "/quality takes a score from 0 to 1"),
            ("/budget 0.5", "Maximum cost per task: $0.50."),
            ("/model evaluator scripted/other.yaml", "  evaluator: scripted/other.yaml"),
            ("/model a b c", "The roles are executor and evaluator"),
            ("/permissions", "No saved answers"),
            ("/stauts", "Unknown command /stauts. Did you mean /status?"),
            ("/diff", "No task changed files"),
            ("/why", "No task in this session yet."),
            ("/cost", "This session has cost nothing yet."),
            ("/rewind", "Nothing to rewind"),
            ("/copy", "No answer to copy yet."),
            ("/soul review", "No installed plugin has a soul to review."),
            ("/xyzzy", "Unknown command /xyzzy."),
            ("/pr-comments", "`openkoi evaluate --diff main` scores a diff"),
            ("/bug", "`openkoi doctor` checks the setup."),
            ("/mcp", "No MCP servers. To add one, run `openkoi mcp add NAME COMMAND`."),
            ("/usage", "This session has cost nothing yet."),
            ("/skills", "No skills"),
            ("/memory", "/memory WORDS searches memory"),
        ):
            terminal.send(line)
            terminal.shows(answer)
        terminal.send("quit")
        assert 0 == terminal.inner.ends()


@pytest.mark.row("CLI-27")
def test_status_shows_memory_with_entries_and_size_skills_and_the_cost_of_today(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as terminal:
        terminal.send("/status")
        terminal.shows("  Skills here: none")
        assert "size 0KB, entries 0" in " ".join(terminal.display.split())
        openkoi("skill", "new", "brewing")
        terminal.send("# I drink green tea")
        terminal.shows("Remembered for all folders: I drink green tea")
        terminal.send("Which tea?")
        terminal.shows("[done]")
        terminal.send("/status")
        terminal.shows("  Skills here: brewing")
        terminal.shows("  Today:       <$0.01  (1 task")
        assert re.search(r"size \d+KB, entries [1-9]", " ".join(terminal.display.split()))


def test_commands_that_wait_for_the_end_of_a_task_say_so_in_the_help_and_when_they_are_entered(
    openkoi: Shell,
) -> None:
    with chat(openkoi, says("I wait.", "wait", calls=runs("sleep 60"))) as terminal:
        terminal.send("/help")
        terminal.shows("Ctrl-C")
        rows = re.findall(r"^  /(\w+)\b(.*(?:\n {8}.*)*)", "\n".join(terminal.scrollback), re.MULTILINE)
        marked = {name for name, text in rows if BETWEEN_TASKS in " ".join(text.split())}
        terminal.send("wait")
        terminal.shows("Running sleep 60")
        for name in (waiting := {one.name for one in COMMANDS if not one.during_task}):
            terminal.inner.type(f"/{name} \r")
            terminal.shows(f"/{name} cannot run during a task")
        terminal.send("/iterate")
        terminal.shows("Tasks run once, without evaluation.")
    assert waiting == marked


def test_shell_memory_files_and_images_reach_the_model(openkoi: Shell) -> None:
    (openkoi.folder / "teahouse").mkdir()
    (openkoi.folder / "teahouse" / "bill.py").write_text("PRICE = 4711\n")
    (openkoi.folder / "dot.png").write_bytes(DOT)
    turns = "  - when: {contains: [PRICE = 4711], last: price}\n    says: The price is in the file.\n"
    turns += "  - when: {contains: [green-2-leaves], last: Which}\n    says: The tea is green.\n"
    turns += '  - when: {contains: ["[image/png]"], last: dot}\n    says: I see a dot.\n'
    with chat(openkoi, turns) as terminal:
        terminal.inner.type("What price is in @bll")
        terminal.shows("▸ teahouse/bill.py")
        terminal.inner.type("\t")
        terminal.shows("> What price is in @teahouse/bill.py")
        terminal.inner.type("\r")
        terminal.shows("The price is in the file. [1]")

        terminal.send("!echo green-$((1 + 1))-leaves")
        terminal.shows("\ngreen-2-leaves\n")
        terminal.send("Which tea was it?")
        terminal.shows("The tea is green. [2]")

        terminal.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~")
        terminal.shows("> [Image #1]")
        terminal.send(" what is this dot?")
        terminal.shows("I see a dot. [3]")

        terminal.send("# Always use metric units")
        terminal.shows("Remembered for all folders: Always use metric units (/learn shows it")
        terminal.send("/learn")
        terminal.shows("preference: Always use metric units  (active")
        assert terminal.display.index("> /learn") < terminal.display.index("No decisions are pending.")

        (openkoi.folder / "blind.yaml").write_text("can: [tools]\nturns:\n  - says: Hello\n")
        terminal.send("/model scripted/blind.yaml")
        terminal.shows("executor: scripted/blind.yaml")
        terminal.inner.type(f"\x1b[200~{openkoi.folder / 'dot.png'}\x1b[201~")
        terminal.send("and this?")
        terminal.shows("scripted/blind.yaml does not read images. Remove the image")
        terminal.shows("> [Image #2]and this?\nedits freely, asks if risky (Shift-Tab) · scripted/blind.yaml")
    assert "Always use metric units" in openkoi("learn", "list").stdout


def test_a_long_paste_is_a_chip_in_the_input_and_folded_in_the_scrollback(openkoi: Shell) -> None:
    with chat(openkoi, says("All.", "the end") + WELL) as terminal:
        lines = "\r".join(f"line {number}." for number in range(500))
        terminal.inner.type(f"\x1b[200~{lines}\x1b[201~")
        terminal.shows("> [Pasted text #1, 500 lines]")
        terminal.send(" the end")
        terminal.shows("All. [1]")
        assert "  line 39." in terminal.scrollback
        assert "  line 40." not in terminal.scrollback
        assert any(line.endswith(" more characters") for line in terminal.scrollback)

        terminal.inner.type(f"\x1b[200~{'word ' * 1000}\x1b[201~")
        terminal.shows("> [Pasted text #2, 1 line]")
        terminal.send(" well?")
        terminal.shows("Well. [2]")
        assert 1000 > "\n".join(terminal.scrollback).count("word") > 700


def test_drafts_pastes_and_earlier_messages(openkoi: Shell) -> None:
    editor = openkoi.folder / "editor.sh"
    editor.write_text('printf "written with it" > "$1"\n')
    with chat(openkoi, WELL, EDITOR=f"sh {editor}") as terminal:
        terminal.shows("spent")
        terminal.inner.type("a few words\x07")
        terminal.shows("> written with it")
        terminal.inner.type("\x15")
        lines = "\r".join(f"line {number}" for number in range(12))
        terminal.inner.type(f"\x1b[200~{lines}\x1b[201~")
        terminal.shows("> [Pasted text #1, 12 lines]")
        terminal.inner.type("\x03")
        terminal.shows("Draft set aside; Up restores it.")
        terminal.inner.type("first\x0asecond")
        terminal.shows("> first\n  second")
        terminal.inner.type("\r")
        terminal.shows("Well. [1]")
        terminal.inner.type("\x1b[A")
        terminal.shows("> first\n  second\nedits freely")
        terminal.inner.type("\x1b[A\x1b[A")
        terminal.shows("> [Pasted text #1, 12 lines]\nedits freely")
        terminal.inner.type("\x03")
        terminal.inner.type("\x12")
        terminal.shows("Earlier messages (Ctrl-R: next)")
        terminal.shows("▸ [Pasted text #1, 12 lines]")
        terminal.inner.type("sec")
        terminal.hides("[Pasted text #1")
        terminal.inner.type("q")
        terminal.shows("No earlier message contains that.")
        terminal.inner.type("\x7f\x12")
        terminal.shows("Earlier messages (Ctrl-R: next)")
        terminal.inner.type("\r")
        terminal.shows("> first\n  second\nedits freely")
        terminal.inner.type("\x1b")
        terminal.shows("Press Esc again to set the draft aside.")
        terminal.inner.type("\x1b")
        terminal.shows("Draft set aside; Up restores it.")
        terminal.inner.type("!")
        terminal.shows("> !")
        terminal.inner.type("\x1b")
        terminal.hides("> !")
        terminal.inner.type("\x03")
        terminal.shows("Press Ctrl-C again to quit.")
        terminal.inner.type("\x03")
        assert 0 == terminal.inner.ends()


def test_help_and_lists_are_as_they_were(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as terminal:
        openkoi("skill", "new", "brewing")
        terminal.send("/help")
        terminal.shows("/ @ ! # ?")
        terminal.feed()
        text = "\n".join(terminal.scrollback)
        message = text[text.index("Commands") : text.index("edits freely", text.index("Commands"))]
        terminal.inner.type("/bre")
        terminal.shows("▸ /brewing  skill: Brewing.")
        terminal.inner.type("\r")
        terminal.shows("> Use the skill brewing.")

    message = re.sub(r"\n>.*", "", message).rstrip() + "\n"
    message = re.sub(r"From skills and plugins\n(  /.*\n)+", "", message)  # what is installed beside the chat
    if os.environ.get("UPDATE_SNAPSHOTS"):
        HELP.write_text(message)
    assert HELP.read_text() == message


def test_a_conversation_is_compacted_cleared_resumed_and_exported(openkoi: Shell) -> None:
    turns = "  - when: {contains: [A summary with the heron], last: which}\n    says: It was heron.\n"
    turns += says("A summary with the heron.", "Summarise") + says("The code word is heron.", "remember")
    with chat(openkoi, turns) as terminal:
        terminal.send("remember the code word")
        terminal.shows("[done]")
        terminal.send("/compact the code word")
        terminal.shows("Compacted ")
        terminal.send("which word?")
        terminal.shows("It was heron. [2]")
        terminal.shows("[done]", times=2)
        terminal.send("/export out.md")
        terminal.shows("Wrote ")
        terminal.send("/clear")
        terminal.shows("Started a new session. /resume ")
        terminal.send("/resume")
        terminal.shows("▸ 1. remember the code word")
        assert "Summarise" not in terminal.display
        terminal.type("\r")
        terminal.shows("Last task: which word?")
        terminal.send("/history")
        terminal.shows("  2. which word?")

    exported = (openkoi.folder / "out.md").read_text()
    assert "## remember the code word\n\nThe code word is heron.\n\n## which word?\n\nIt was heron.\n\n" == exported


def test_sizes_that_are_too_small_and_keys_in_any_order_break_nothing(openkoi: Shell) -> None:
    with chat(openkoi, says("# Long\n\n" + "word " * 400, "go") + WELL, columns=100) as terminal:
        for columns, rows in ((20, 5), (2, 2), (1, 1), (200, 50), (60, 8)):
            terminal.resize(columns, rows)
            os.kill(terminal.inner.command.pid, signal.SIGWINCH)
            terminal.inner.type("\x1b[A\x1b[B/\x7f@\x7f\x0c\x14")
            terminal.inner.hear(0.1)
        terminal.resize(100, 40)
        os.kill(terminal.inner.command.pid, signal.SIGWINCH)
        terminal.inner.type("\x15")
        terminal.inner.type("go on \u6f22\u5b57 \U0001f469\u200d\U0001f4bb e\u0301")
        terminal.shows("> go on \u6f22\u5b57")
        terminal.inner.type("\r")
        terminal.shows("[done]")
        assert not FORBIDDEN.search(terminal.inner.raw)
        assert "Traceback" not in terminal.inner.raw


@pytest.mark.parametrize("ending", ["hang up", "end of input"])
def test_a_chat_whose_terminal_is_gone_ends_with_its_children(openkoi: Shell, ending: str) -> None:
    turns = says("I wait.", "wait", calls=runs("sleep 61.7"))
    with chat(openkoi, turns) as terminal:
        terminal.send("wait for me")
        terminal.shows("Running sleep 61.7…")
        terminal.waits(lambda: sleepers("61.7"), "a sleeping child", 20)
        began = time.monotonic()
        if ending == "hang up":
            os.kill(terminal.inner.command.pid, signal.SIGHUP)
        else:
            os.close(terminal.inner.master)
            terminal.inner.master = os.open(os.devnull, os.O_RDWR)
        assert terminal.inner.command.wait(20) is not None
        print(f"ended after {time.monotonic() - began:.2f} s")
        assert [] == sleepers("61.7")


def sleepers(seconds: str) -> list[str]:
    """Return the processes that sleep for a number of seconds."""
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
