"""Test that warm-up state is reset, so that a copied process begins like a new one."""

import logging
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from rehearsal import COMMANDS, rehearse


@pytest.mark.skipif(os.name != "posix", reason="where processes are copied")
def test_a_rehearsal_leaves_neither_its_home_nor_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "secret")
    log = logging.getLogger("openkoi")
    handlers, level, propagates = log.handlers[:], log.level, log.propagate
    seen: list[tuple[str, ...]] = []
    homes: set[Path] = set()

    def run() -> None:
        assert "ACME_API_KEY" not in os.environ
        tempfile.gettempdir()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        log.addHandler(logging.StreamHandler(sys.stderr))  # it writes to what is closed after the rehearsal
        log.setLevel(logging.CRITICAL)
        log.propagate = False
        seen.append(tuple(sys.argv[1:]))
        homes.add(Path.cwd().parent)

    before = dict(os.environ), sys.argv, Path.cwd()
    rehearse(run)

    assert before == (dict(os.environ), sys.argv, Path.cwd())
    assert (handlers, level, propagates) == (log.handlers, log.level, log.propagate)
    assert [*COMMANDS] == seen
    assert [False] == [home.exists() for home in homes]
    assert tempfile.tempdir is None
    assert signal.default_int_handler is signal.getsignal(signal.SIGINT)
