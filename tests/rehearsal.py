"""Run commands before the process that others are copied from, so that first-use work is already done."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from contextvars import Context
from pathlib import Path

COMMANDS = (("run", "--model", "scripted/../script.yaml", "Read a file."), ("status",))
SCRIPT = """turns:
  - when: {after: 0}
    calls:
      - {tool: read_file, arguments: {path: a.txt}}
      - {tool: list_files, arguments: {}}
  - {when: {tools: true}, says: Done., repeat: true}
"""


def rehearse(run: Callable[[], object]) -> None:
    """Let ``run`` run commands in a home that is thrown away, and put back what tells one process from another."""
    environment, arguments, folder = dict(os.environ), sys.argv, Path.cwd()
    log = logging.getLogger("openkoi")
    handlers, level, propagates = log.handlers[:], log.level, log.propagate
    with tempfile.TemporaryDirectory() as home:
        Path(home, "folder").mkdir()
        Path(home, "folder", "a.txt").write_text("text")  # to change it would start a thread and a process
        Path(home, "script.yaml").write_text(SCRIPT)
        os.chdir(Path(home, "folder"))
        os.environ.clear()  # no key, and no model but the script
        os.environ.update(HOME=home, OPENKOI_HOME=f"{home}/home", PATH=environment.get("PATH", os.defpath))
        run_quietly(run)
        os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    log.handlers[:] = handlers
    log.setLevel(level)
    log.propagate = propagates
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.set_event_loop_policy(None)
    tempfile.tempdir = None


def run_quietly(run: Callable[[], object]) -> None:
    """Run the commands; whoever runs them later shows what is wrong with them."""
    with Path(os.devnull).open("r+") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        for words in COMMANDS:
            sys.argv = ["openkoi", *words]
            Context().run(run)
