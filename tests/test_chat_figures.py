"""The figures of the chat: bytes, frames, CPU, echo, resizes, wake-ups, start and long sessions.

Times are printed beside those of a bare prompt of prompt_toolkit in the same run; only counts and generous multiples of
CPU are asserted, so that a busy machine fails nothing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import SIGWINCH

import pyte
import pytest
from chat_measurements import RUN, memory_of, percentile, spawned, stream, unchanged, write_session
from chat_terminal import FORBIDDEN, UPDATES, ChatTerminal, chat, runs, says
from cli_process import Shell, shell
from pseudo_terminal import terminal

from openkoi_testing.servers import OpenAIServer, Say, ServerFault

FRAME = re.compile(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", re.DOTALL)
TMUX = shutil.which("tmux")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_the_first_piece_of_an_answer_is_drawn_at_once(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with spawned([sys.executable, str(RUN), "first", str(report)]) as chat:
        while not report.exists():
            chat.hear(0.05)
    delays = sorted(json.loads(report.read_text())["delays"])

    print(f"first piece to screen: p50 {delays[20]:.0f} ms, p95 {delays[38]:.0f} ms")
    assert delays[20] < 75  # 2 ms on an idle machine; with the pause between frames it would be 100


def test_escape_stops_an_answer_that_streams(openkoi: Shell) -> None:
    slow = Say("Words of it. " * 2_000, fault=ServerFault(pause=0.02))
    with OpenAIServer(slow) as server:
        printed_text = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake"
        )
        with terminal(printed_text, columns=100) as inner:
            tty = ChatTerminal(inner, 100)
            tty.shows("for commands")
            tty.send("go on")
            tty.shows("Words of it.")
            began = time.monotonic()
            tty.inner.type("\x1b")
            tty.shows("Interrupted. No files were changed.")
            took = time.monotonic() - began
            until(lambda: server.abandoned == 1)

    print(f"Esc to interrupted: {took * 1000:.0f} ms")
    assert took < 10


def test_24_kb_in_2000_chunks_above_a_live_prompt(tmp_path: Path) -> None:
    ours, bare = [stream(mode, tmp_path / mode, typing=True) for mode in ("ours", "bare")]
    quiet = stream("ours", tmp_path / "quiet", typing=False)

    print(f"chat without typing: {quiet.cpu:.2f} s CPU, {quiet.bytes:.1f} x the text in bytes")
    for name, one in (("chat", ours), ("bare prompt", bare)):
        p50, p95 = (percentile(one.echoes, share) for share in (0.5, 0.95))
        echo = f"key to echo p50 {p50:.0f} ms, p95 {p95:.0f} ms ({len(one.echoes)} keys)"
        print(f"{name}: {one.cpu:.2f} s CPU, {one.bytes:.1f} x the text in bytes, {echo}")
    frames = FRAME.findall(ours.raw)
    assert 12 > ours.bytes
    assert not FORBIDDEN.search(ours.raw)
    assert len(frames) <= 10 * 30  # of a stream of 4 s on an idle machine; a busy one takes longer
    assert 14 > max(int(up) for frame in frames for up in re.findall(r"\x1b\[(\d+)A", frame))
    assert 1.6 * bare.cpu > quiet.cpu  # measured: 0.75 of it
    assert 30 + 5 * percentile(bare.echoes, 0.95) > percentile(ours.echoes, 0.95)
    assert len(ours.echoes) > 5
    assert [1] * 100 == counted(scrollback(ours.raw, 100), 100)


def scrollback(raw: str, columns: int) -> str:
    """Return all lines of a terminal emulator."""
    screen = pyte.HistoryScreen(columns, 30, history=20_000)
    pyte.Stream(screen).feed(UPDATES.sub("", raw))
    above = ["".join(row[column].data for column in range(columns)) for row in screen.history.top]
    return "\n".join([*above, *screen.display])


def counted(text: str, parts: int) -> Sequence[int]:
    """Return how often each of the first headings occurs in a text."""
    words = text.split()
    return [words.count(f"Heading{number}") for number in range(parts)]


DRAFT = "a draft that is longer than forty columns, so that it wraps"
MANY = "".join(f"## Part{n}\n\nWords of it, a few more of them than fit in forty columns.\n\n" for n in range(12))


def test_resizing_prints_no_block_twice(openkoi: Shell) -> None:
    with chat(openkoi, says(MANY, "go"), OPENKOI_REWRAPS="0") as terminal:
        terminal.send("go on")
        terminal.shows("[done]")
        for columns in [*range(40, 200, 16), *range(200, 40, -16)]:
            terminal.resize(columns)
            os.kill(terminal.inner.command.pid, SIGWINCH)
            terminal.inner.hear(0.05)
        terminal.type("still here")
        terminal.shows("still here")

        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.inner.raw)
        assert [1] * 12 == [text.count(f"Part{n} ") for n in range(12)]
        assert not FORBIDDEN.search(terminal.inner.raw)


@pytest.mark.skipif(not TMUX, reason="needs tmux")
def test_a_real_terminal_shows_each_block_once_after_20_resizes(openkoi: Shell, tmp_path: Path) -> None:
    (openkoi.folder / "script.yaml").write_text(f"turns:\n{says(MANY, 'go')}")
    printed_text = openkoi.with_environment(OPENKOI_MODEL="scripted/script.yaml", OPENKOI_ITERATE="0")
    with tmux(printed_text, tmp_path / "socket") as send:
        until(lambda: "for commands" in send("capture-pane", "-p"))
        send("send-keys", "-l", "go on")
        until(lambda: "> go on" in send("capture-pane", "-p"))
        send("send-keys", "Enter")
        until(lambda: "[done]" in send("capture-pane", "-p"))
        send("send-keys", "-l", DRAFT)
        until(lambda: "it wraps" in send("capture-pane", "-p").replace("\n", " "))
        assert 1 == send("capture-pane", "-p", "-S", "-5000").count("for commands")
        for columns in [*range(40, 200, 16), *range(200, 40, -16)]:
            send("resize-window", "-x", str(columns), "-y", "30")
            time.sleep(0.05)
        send("resize-window", "-x", "100", "-y", "30")
        until(lambda: "for commands" in send("capture-pane", "-p"))
        text = send("capture-pane", "-p", "-S", "-5000", "-J")

    words = text.split()
    assert [1] * 12 == [words.count(f"Part{n}") for n in range(12)], text
    assert 1 == text.count(DRAFT), text
    assert 1 == text.count("for commands"), text


@contextmanager
def tmux(openkoi: Shell, socket: Path) -> Iterator[Callable[..., str]]:
    """Run the chat in a separate tmux."""

    def send(*words: str) -> str:
        return subprocess.run([str(TMUX), "-S", str(socket), *words], capture_output=True, text=True, check=True).stdout

    environment = [word for name, value in openkoi.environment.items() for word in ("-e", f"{name}={value}")]
    command = " ".join(openkoi.command("chat"))
    size = ("-x", "100", "-y", "30")
    where = ("-c", str(openkoi.folder))
    send("-f", os.devnull, "new-session", "-d", *size, *where, *environment, command)
    send("set-option", "history-limit", "20000")
    try:
        yield send
    finally:
        send("kill-server")


def until(condition: Callable[[], object]) -> None:
    """Wait for something."""
    end = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("ends", ["[done]", "Interrupted"])
def test_an_idle_chat_does_not_wake_up(openkoi: Shell, ends: str) -> None:
    turns = says("I wait.", "slow", calls=runs("sleep 30")) + says("Well.", "")
    with chat(openkoi, turns) as terminal:
        terminal.send("go on" if ends == "[done]" else "slow please")
        if ends == "Interrupted":
            terminal.shows("esc to interrupt")
            terminal.shows("Running sleep 30…")
            terminal.type("\x1b")
        terminal.shows(ends)
        pid = terminal.inner.command.pid
        until(lambda: unchanged(pid, 1.0))  # what was learned is saved

        assert unchanged(pid, 10.0)


def test_a_session_of_10_000_messages_takes_little_memory(openkoi: Shell) -> None:
    sizes = []
    for words in ((), ("-c",)):
        if words:
            write_session(openkoi.home / "data" / "sessions", openkoi.folder)
        with chat(openkoi, says("Well.", ""), "chat", *words) as terminal:
            terminal.shows("Cost: $10.00 for 10,000 tasks" if words else "spent")
            until(lambda: unchanged(terminal.inner.command.pid, 0.5))
            sizes.append(memory_of(terminal.inner.command.pid))

    print(f"{sizes[0] / 1024:.0f} MiB, with 10,000 messages {sizes[1] / 1024:.0f} MiB")
    assert sizes[1] - sizes[0] < 15 * 1024


@pytest.mark.parametrize("words", [[], ["-c"]], ids=["new", "continued"])
def test_the_prompt_is_drawn_before_openkoi_is_loaded(openkoi: Shell, words: list[str]) -> None:
    """So it costs what ``import prompt_toolkit`` costs, whatever is continued."""
    code = (
        "import sys, prompt_toolkit.application as a\n"
        "draw = a.Application._redraw\n"
        "def stop(self, *args, **named):\n"
        "    draw(self, *args, **named)\n"
        "    open('modules', 'w').write(' '.join(sys.modules))\n"
        "    import os; os._exit(0)\n"
        "a.Application._redraw = stop\n"
        f"sys.argv = ['openkoi', *{words!r}]\n"
        "from openkoi import main\n"
        "main()\n"
    )
    with spawned([sys.executable, "-c", code], folder=openkoi.folder):
        until((openkoi.folder / "modules").exists)
        until(lambda: (openkoi.folder / "modules").read_text())
    names = set((openkoi.folder / "modules").read_text().split())
    bare = int(subprocess.check_output([sys.executable, "-c", "import sys, prompt_toolkit; print(len(sys.modules))"]))

    assert set() == names & {"click", "pydantic", "pluggy", "rich", "markdown_it", "pygments", "textual", "starlette"}
    assert 1.5 * bare > len(names)  # CPU on an idle machine: 1.36 times that of importing prompt_toolkit
    assert set() == names & {"openkoi_hookspecs.hooks", "openkoi_hookspecs.events", "openkoi_runlog", "openkoi.app"}
