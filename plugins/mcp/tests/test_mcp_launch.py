"""Test that the supervisor finds and kills everything that a server started."""

import os
import subprocess
import sys

import pytest
from mcp_runs import is_running
from test_mcp_runs import posix, wait_until

from openkoi_mcp import launch

NOBODY = 65534
# A supervisor that lost the rights of root, as one whose server has started something with sudo.
SUPERVISOR = """
import os, pathlib, sys, time
sys.path.insert(0, {folder!r})
import launch
launch.set_process(launch.PR_SET_CHILD_SUBREAPER, 1)
foreign = os.fork() or os.closerange(0, 3) or time.sleep(60) or os._exit(0)
os.setuid({user})
own = os.fork() or os.closerange(0, 3) or time.sleep(60) or os._exit(0)
print(foreign, own, flush=True)
launch.kill_descendants()
"""
# A process that is always another one: it starts its successor and ends.
CHAIN = """
import os, sys, time
sys.path.insert(0, {folder!r})
import launch
launch.set_process(launch.PR_SET_CHILD_SUBREAPER, 1)
if os.fork() == 0:
    os.setsid()
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if os.fork():
            os._exit(0)
    os._exit(0)
launch.kill_descendants()
try: os.waitpid(-1, 1); print(True)
except ChildProcessError: print(False)
"""
FOLDER = os.path.dirname(launch.__file__)  # noqa: PTH120  # a text for a program
linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is killed")


def run_supervisor(text: str) -> list[str]:
    """Run a program; return the words that it prints."""
    program = text.format(folder=FOLDER, user=NOBODY)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert not result.stderr
    return result.stdout.split()


@linux
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can start another user's process"
)
def test_a_process_of_another_user_saves_no_other_one() -> None:
    foreign, own = map(int, run_supervisor(SUPERVISOR))

    assert not is_running(own)
    assert is_running(foreign)
    os.kill(foreign, 9)


@linux
def test_a_process_that_is_always_another_one_is_found() -> None:
    assert ["False"] == run_supervisor(CHAIN)


# OpenKoi, its launcher as it is on another system, and a server with a child: each prints its id.
ELSEWHERE = """
import os, subprocess, sys
launcher = "import runpy, sys; sys.platform, sys.argv = 'darwin', sys.argv[1:]; "
launcher += "runpy.run_path(sys.argv[0], run_name='__main__')"
server = {server!r}
words = [sys.executable, "-c", launcher, {launcher!r}, str(os.getpid()), "PATH", sys.executable, "-c", server]
child = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
{then}
"""
SERVER = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], stdout=subprocess.DEVNULL)
print(os.getpid(), child.pid, flush=True)
{then}
"""


@posix
@pytest.mark.parametrize(
    ("server", "then"),
    [
        ("time.sleep(300)", "sys.stdin.readline(); os._exit(0)"),  # OpenKoi is killed
        ("sys.exit(7)", "print(child.wait(), flush=True); sys.stdin.readline()"),  # the server ends
        ("time.sleep(300)", "sys.stdin.readline(); child.terminate(); child.wait()"),  # OpenKoi ends its launcher
    ],
)
def test_without_linux_the_process_group_ends_with_the_server_and_with_openkoi(server: str, then: str) -> None:
    program = ELSEWHERE.format(server=SERVER.format(then=server), launcher=launch.__file__, then=then)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as openkoi:
        assert openkoi.stdin
        assert openkoi.stdout
        started = [int(word) for word in openkoi.stdout.readline().split()]
        if "exit(7)" in server:
            assert "7\n" == openkoi.stdout.readline()
        openkoi.stdin.write("end\n")
        openkoi.stdin.flush()
        openkoi.wait(60)

    assert 2 == len(started)
    wait_until(lambda: not any(map(is_running, started)))
