"""Test stopped shell commands of the user: their output so far is shown, and the model is told both."""

import asyncio
from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, says
from cli_process import Shell, shell
from test_chat_figures import until

from openkoi_chat.cli_commands import ProgramOutput, run_program

MARK = "sleep 43210.25"
STOPPED_TURN = "  - when: {contains: [half-1-done, stopped by the user], last: Which}\n    says: The first half.\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


@pytest.mark.parametrize(("accessible", "stop"), [("", "\x1b"), ("", "\x03"), ("1", "/stop\r")])
def test_what_it_had_printed_is_shown_and_sent(openkoi: Shell, accessible: str, stop: str) -> None:
    with chat(openkoi, STOPPED_TURN + says("Well.", ""), ACCESSIBLE=accessible) as tty:
        tty.send("!echo half-$((0 + 1))-done; touch begun; sleep 60")
        waits_for(tty, openkoi.folder / "begun")
        tty.inner.type(stop)
        tty.shows("\nhalf-1-done\n  stopped by the user")
        tty.send("Which half?")
        tty.shows("The first half.")


def test_a_command_that_had_printed_nothing_is_said_to_be_stopped(openkoi: Shell) -> None:
    with chat(openkoi, says("Well.", "")) as tty:
        tty.send("!touch begun; sleep 60")
        waits_for(tty, openkoi.folder / "begun")
        tty.inner.type("\x1b")
        tty.shows("! touch begun; sleep 60\n  stopped by the user")


def test_of_a_command_that_prints_forever_the_beginning_is_kept(tmp_path: Path) -> None:
    output = ProgramOutput()

    async def run() -> None:
        await asyncio.wait_for(run_program(["yes"], tmp_path, output=output), 1.0)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    text = output.text

    assert text.startswith("y\ny\n")
    assert text.endswith(" more bytes")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs Linux")
def test_a_program_that_is_stopped_while_it_starts_leaves_no_child(tmp_path: Path) -> None:
    async def run(turns: int) -> None:
        """Stop it after a number of turns of the event loop."""
        running = asyncio.create_task(run_program(["sh", "-c", f"{MARK} & wait"], tmp_path))
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])

    for turns in range(12):
        asyncio.run(run(turns))

    until(lambda: not is_running(MARK))


def is_running(words: str) -> bool:
    """Return whether a program runs with these words."""
    found = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    return any(words in line.replace(b"\0", b" ").decode(errors="replace") for line in found)


def waits_for(tty: ChatTerminal, file: Path) -> None:
    """Wait until a command has made a file."""
    tty.waits(file.exists, str(file), 40)
