"""Every screen of the chat in ``tests/screens/chat.txt``, from one conversation, with the transcripts of its README.

``screen_files`` says how to write the file again.
"""

import re
import shutil
import time
from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, runs, says, writes
from cli_process import Shell, shell
from screen_files import MEASURED, SCREENS, check_screen, normalize

import openkoi_cli.demo

DEMO = Path(openkoi_cli.demo.__file__).parent
README = Path(__file__).parents[1] / "plugins/chat/README.md"
CHECK = "until [ -e __pycache__/go ]; do sleep 0.1; done\n"
AGAIN = "      - {tool: read_file, arguments: {path: teahouse/sharing.py}}\n    usage: {input: 390"
CHECKED = AGAIN.replace("    usage", "      - {tool: run_command, arguments: {command: sh check.sh}}\n    usage")
TURNS = (
    says("I write it down.", "Wait for me", calls=writes("new.txt", "new\n"))
    + says("I wait.", "Wrote new.txt", calls=runs("sleep 90"))
    + says("I push it.", "Push it", calls=runs("git push --force origin main"))
    + says("I leave it.", "Rejected")
    + says("Three kinds:\n\n- green\n- black\n\n```py\nx = 1\n```\n", "Which tea")
    + says("Well.", "linter")
)


WORKS = "esc to interrupt"


class Recorder:
    """Enters a user's input, and keeps the resulting screens."""

    def __init__(self, opened: ChatTerminal) -> None:
        self.opened = opened
        self.screens: list[str] = []

    def take(self, title: str, since: str, until: str, *, works: bool = False) -> None:
        """Keep the screen from the last occurrence of a text on, once another text is below it and nothing changes.

        ``works`` is whether a task is under way then.
        """
        self.opened.waits(lambda: until in self.part(since) and works is (WORKS in self.part(since)), until, 60)
        before = ""
        while before != (text := self.part(since)):
            before = text
            self.opened.inner.hear(0.3)
        self.screens.append(f"=== {title}\n{text}\n")

    def part(self, since: str) -> str:
        """Return the output from the last occurrence of a text on; empty without one."""
        text = "\n".join(self.opened.scrollback).rstrip()
        return text[text.rindex(since) :] if since in text else ""

    def enter(self, line: str, until: str) -> None:
        """Enter a line and keep what it shows."""
        self.opened.send(line)
        self.take(line, f"> {line}", until)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    shutil.copytree(DEMO / "project", openkoi.folder, dirs_exist_ok=True)
    (openkoi.folder / "check.sh").write_text(CHECK)
    return openkoi


@pytest.mark.row("TEST-02")
def test_every_screen_of_the_chat(openkoi: Shell) -> None:
    turns = (DEMO / "demo.yaml").read_text().partition("turns:\n")[2]
    assert AGAIN in turns
    with chat(openkoi, TURNS + turns.replace(AGAIN, CHECKED), columns=130) as terminal:
        recorder = Recorder(terminal)
        do_a_task(recorder, openkoi)
        look_at_it(recorder)
        interrupt_and_approve(recorder)
        terminal.inner.type("a draft")
        terminal.shows("> a draft")
        time.sleep(0.2)  # it is saved by then
    with chat(openkoi, TURNS, "-c", columns=130) as terminal:
        recorder.opened = terminal
        recorder.take("openkoi -c", "Last task", "> a draft")
        terminal.inner.type("\x15")
        recorder.enter("/why", "interrupted")

    check_screen("chat", normalize("\n".join(recorder.screens), MEASURED))


def do_a_task(recorder: Recorder, openkoi: Shell) -> None:
    """Welcome, lists, modes, and a task with two iterations."""
    terminal = recorder.opened
    recorder.take("openkoi", "openkoi v", "for commands")
    terminal.inner.type("/")
    recorder.take("/", "> /", "/rename")
    terminal.inner.type("\x15")
    for mode in ("plans, changes", "asks before each", "edits freely, asks"):
        terminal.inner.type("\x1b[Z")
        terminal.shows(f"\n{mode}")
        recorder.take("Shift-Tab", mode, "for commands")
    recorder.enter("/iterate 3", "Maximum iterations: 3")
    recorder.enter("/budget 0.5", "$0.50")
    terminal.send("Fix the failing tests of this project.")
    terminal.shows("Running sh check.sh…", 60)
    terminal.inner.type("then run the linter")
    terminal.shows("> then run the linter")
    terminal.inner.type("\t")
    recorder.take("a task under way", "⇥", "1 queued", works=True)
    terminal.inner.type("\x14")
    recorder.take("Ctrl-T", "To fix in iteration 2:", "1 queued", works=True)
    (openkoi.folder / "__pycache__").mkdir(exist_ok=True)
    (openkoi.folder / "__pycache__" / "go").write_text("")
    terminal.shows("[done] 2 iterations", 60)
    recorder.take("its end", "[iter 2/3]", "[done] 1 iteration")


def look_at_it(recorder: Recorder) -> None:
    """Commands that look at what was done."""
    terminal = recorder.opened
    recorder.enter("/iterate 0", "without evaluation")
    terminal.send("/history")
    terminal.shows("  2. then run the linter")
    first = re.findall(r"1\. Fix the failing tests of this project\.  \(([0-9a-f]{8})\)", terminal.display)[-1]
    terminal.send(f"/why {first}")
    recorder.take("/why", "> /why", "best: iteration 2")
    terminal.send(f"/diff {first}")
    recorder.take("/diff", "> /diff", "range(friend")
    for line, until in (
        ("/cost", "Cheaper"),
        ("/status", "Skills here"),
        ("/permissions", "No saved answers"),
        ("/background", "No task"),
        ("Which tea is there?", "[done]"),
        ("/copy 10", "Copied 5 characters."),
    ):
        recorder.enter(line, until)
    for line, title in (
        ("/mode", "Which mode?"),
        ("/model", "Which model?"),
        ("/resume", "Continue which session?"),
    ):
        terminal.send(line)
        recorder.take(line, title, "for commands")
        terminal.inner.type("\x1b")
        terminal.hides(title)


def interrupt_and_approve(recorder: Recorder) -> None:
    """An approval, an interruption, and a rewind."""
    terminal = recorder.opened
    terminal.send("Push it")
    recorder.take("an approval", "> Push it", "3. No")
    terminal.settles()
    terminal.inner.type("\x1b")
    recorder.take("rejected", "→ No", "[done]")
    terminal.send("Wait for me")
    terminal.shows("Running sleep 90…")
    terminal.send("and then?")
    recorder.take("a message that waits", "↳", "1 queued", works=True)
    terminal.inner.type("\x1b")
    recorder.take("an interruption", "Interrupted.", "3. Keep")
    terminal.settles()
    terminal.inner.type("1\r")
    recorder.take("undone", "→ Undo", "restored, ")
    terminal.inner.type("\x1b[A")
    terminal.hides("⇥")
    terminal.inner.type("\x15")
    terminal.send("/rewind")
    recorder.take("/rewind", "Rewind to before", "Fix the failing")
    terminal.inner.type("\x1b[A")
    terminal.inner.type("\r")
    recorder.take("a rewind", "Rewind 5 messages", "3. Neither")
    terminal.settles()
    terminal.inner.type("3\r")
    terminal.shows("→ Neither")


def test_the_transcripts_of_the_readme_are_screens() -> None:
    screens = normalize((SCREENS / "chat.txt").read_text(), MEASURED)
    blocks = re.findall(r"(?:^    .*\n)+", README.read_text(), re.MULTILINE)
    texts = [normalize(re.sub("^    ", "", block, flags=re.MULTILINE), MEASURED) for block in blocks]

    assert 8 <= len(texts)
    assert [] == [text for text in texts if text not in screens]


def test_rare_screens_of_the_chat(openkoi: Shell) -> None:
    turns = says("I write it.", "write it", calls=writes("new.txt", "new\n"))
    replaced = writes("new.txt", "newer\n").replace("content:", "overwrite: true, content:")
    turns += says("I replace it.", "replace it", calls=replaced)
    with chat(openkoi, turns + says("Well.", ""), columns=130) as terminal:
        recorder = Recorder(terminal)
        terminal.inner.type("?")
        recorder.take("?", "  Enter", "for commands")
        recorder.enter("/model a b c", "The roles are")
        terminal.send("write it")
        terminal.shows("[done]")
        terminal.send("/rewind")
        terminal.shows("2. write it")
        terminal.type("\x1b[B\r")
        terminal.shows("▸ 1. Both")
        terminal.settles()
        terminal.type("1\r")
        recorder.take("a rewind is done", "→ Both", "> write it")
        terminal.type("\x15")
        recorder.enter("/rewind undo", "undid the rewind")
        terminal.type("\x1b[Z\x1b[Z")
        terminal.shows("\nasks before each")
        terminal.send("replace it")
        recorder.take("an approval of a file that is replaced", "> replace it", "3. No")

    check_screen("chat_rare", normalize("\n".join(recorder.screens), MEASURED))
