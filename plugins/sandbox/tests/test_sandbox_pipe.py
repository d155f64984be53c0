"""Test that a pipe is read to its end, however slow masking is and whichever process still has it open."""

import os
import time
from pathlib import Path

import pytest

from openkoi_base.redact import Redactor
from openkoi_sandbox.output_capture import OutputCapture
from openkoi_sandbox.pipe_drain import PipeDrain

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes cannot be asked there")


class Slow(OutputCapture):
    """A capture that takes each piece late, as on a busy machine."""

    def add(self, piece: bytes) -> None:
        time.sleep(0.1)
        super().add(piece)


@pytest.mark.parametrize("held", [False, True], ids=["closed", "held by another process"])
def test_what_a_command_left_in_its_pipe_is_read(tmp_path: Path, held: bool) -> None:
    read, write = os.pipe()
    capture = Slow(tmp_path, 1_000_000, Redactor())
    drain = PipeDrain(read, capture)
    drain.start()
    os.write(write, b"begin")
    time.sleep(0.05)
    os.write(write, b"." * 60_000 + b"end")
    if not held:
        os.close(write)
    drain.stop(0.01)
    capture.close()

    assert not drain.is_alive()
    assert capture.text.endswith("...end")
    if held:
        os.close(write)
