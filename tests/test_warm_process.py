"""The process whose copies are commands outlives a test that ended while it waited for one."""

import json
import os
import socket
from pathlib import Path

import pytest
from cli_process import CAN_FORK
from warm_process import start, warm


@pytest.mark.skipif(not CAN_FORK, reason="commands are copies of a process on Linux only")
def test_a_command_for_which_no_test_waits_does_not_end_the_process(tmp_path: Path) -> None:
    reports, writer = os.pipe()
    os.close(reports)
    order = {"words": ["--version"], "env": {}, "folder": str(tmp_path), "terminal": False}
    with Path(os.devnull).open("r+b") as none:
        streams = [none.fileno()] * 3
        socket.send_fds(warm().line, [json.dumps(order).encode()], [*streams, writer])
        os.close(writer)

        assert 0 == start(["--version"], os.environ, tmp_path, streams).wait(60)
