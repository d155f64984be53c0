"""What is cancelled while a child process starts ends, and so does the process; a signal is named."""

import subprocess
import sys

import pytest

from openkoi_base.child_process import signal_name

PROGRAM = """
import asyncio, sys
from asyncio.subprocess import DEVNULL, PIPE
from openkoi_base.child_process import start_process

streams = {"stdin": PIPE, "stdout": PIPE, "stderr": DEVNULL}

async def main(steps):
    starting = asyncio.ensure_future(start_process(sys.executable, "-c", "input()", **streams))
    for _ in range(steps):
        await asyncio.sleep(0)

asyncio.run(main(int(sys.argv[1])))
"""


@pytest.mark.parametrize("steps", range(8))
def test_a_loop_ends_whichever_step_of_a_start_it_cancels(steps: int) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(steps)], timeout=60, check=False, capture_output=True, text=True
    )

    assert (0, "") == (result.returncode, result.stderr)


@pytest.mark.parametrize(("number", "name"), [(15, "SIGTERM"), (35, "signal 35")])
def test_a_signal_without_a_name_is_named_by_its_number(number: int, name: str) -> None:
    assert name == signal_name(number)
