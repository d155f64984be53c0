"""What a machine does to a daemon: process ids come again, starts collide, files cannot grow, logs contain anything."""

import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from assistant_process import make_chat, running, start, tasks_begun, telegram_chat, wait_until

from openkoi_assistant.database import FILE, open_database, transaction
from openkoi_assistant.outbox import REPEATED

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes, signals and limits as POSIX has them")
STARTS = 10


def test_the_process_that_has_the_id_of_a_dead_daemon_is_left_alone(tmp_path: Path) -> None:
    openkoi = make_chat(tmp_path).openkoi
    folder = openkoi.home / "data" / "assistant"
    folder.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        for lock in (False, True):
            if lock:
                (folder / "daemon.lock").touch()
            state = {"pid": other.pid, "begun": "then", "apps": {}, "users": {}, "active": 0, "warnings": []}
            (folder / "state.json").write_text(json.dumps(state))
            stopped, reloaded = openkoi("daemon", "stop"), openkoi("daemon", "reload")
            assert "The daemon is not running" in stopped.stderr
            assert "The daemon is not running" in reloaded.stderr
            assert "The daemon is not running" in openkoi("daemon", "status").stdout
        started, stopped = openkoi("daemon", "start"), openkoi("daemon", "stop")
        assert other.poll() is None
        assert str(other.pid) not in started.stdout
        other.communicate(b"\n")

    assert (0, 0) == (started.returncode, stopped.returncode), started.stderr + stopped.stderr


def test_of_ten_starts_at_once_one_starts_the_daemon_and_the_others_name_it(tmp_path: Path) -> None:
    openkoi = make_chat(tmp_path).openkoi
    try:
        starts = [openkoi.started("daemon", "start") for _ in range(STARTS)]
        printed = [(one.communicate(timeout=110), one.returncode) for one in starts]
        state = json.loads((openkoi.home / "data" / "assistant" / "state.json").read_text())
    finally:
        stopped = openkoi("daemon", "stop")

    words = f"running (process {state['pid']})"
    assert 0 == stopped.returncode, stopped.stderr
    assert [0] + [1] * (STARTS - 1) == sorted(code for _, code in printed), printed
    assert [words in out for (out, _), code in printed if code == 0] == [True]
    assert all(f"The daemon is already {words}." in err for (_, err), code in printed if code), printed


def hold(do: Callable[..., Any], begun: Event, over: Event, seconds: float) -> Callable[..., Any]:
    """Return a method of a bot that does what it should, and answers later."""

    def later(**arguments: Any) -> Any:
        done = do(**arguments)
        if arguments["text"] == "Paris.":
            begun.set()
            over.wait(seconds)
        return done

    return later


@pytest.mark.parametrize(("seconds", "again"), [(1.0, []), (100.0, [f"{REPEATED}Paris."])], ids=["soon", "never"])
def test_a_daemon_that_is_stopped_while_it_sends_waits_a_little(
    seconds: float, again: list[str], tmp_path: Path
) -> None:
    begun, over = Event(), Event()
    with telegram_chat(tmp_path) as chat:
        child = start(chat.openkoi)
        chat.pair()
        do = chat.server.do_sendMessage
        chat.server.do_sendMessage = hold(do, begun, over, seconds)  # type: ignore[method-assign]  # the world's side
        chat.server.say("the capital?")
        assert begun.wait(60)
        stopped = chat.openkoi("daemon", "stop")
        child.communicate(timeout=60)
        chat.server.do_sendMessage = do  # type: ignore[method-assign]  # as it was
        over.set()
        with running(chat.openkoi):
            chat.server.say("the capital, again?")
            wait_until(lambda: len(chat.texts()) == 3 + len(again))

    assert 0 == stopped.returncode, stopped.stderr
    assert ["Paris.", *again, "Paris."] == chat.texts()[1:]
    assert 2 == len(tasks_begun(chat.openkoi))


def test_a_daemon_that_is_reloaded_while_it_sends_finishes_that_and_sends_it_once(tmp_path: Path) -> None:
    begun, over = Event(), Event()
    with telegram_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        do = chat.server.do_sendMessage
        chat.server.do_sendMessage = hold(do, begun, over, 1.0)  # type: ignore[method-assign]  # the world's side
        chat.server.say("the capital?")
        assert begun.wait(60)
        with (chat.openkoi.home / "config.toml").open("a") as config:
            config.write("[commands.daemon]\ntasks = 2\n")
        reloaded = chat.openkoi("daemon", "reload")
        chat.server.do_sendMessage = do  # type: ignore[method-assign]  # as it was
        chat.server.say("the capital, again?")
        wait_until(lambda: len(chat.texts()) == 3)

    assert 0 == reloaded.returncode, reloaded.stderr
    assert ["Paris.", "Paris."] == chat.texts()[1:]
    assert 2 == len(tasks_begun(chat.openkoi))


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.999], ids=str)
def test_a_journal_that_was_written_by_half_opens_with_what_was_whole(tmp_path: Path, cut: float) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    for folder in (whole, half):
        folder.mkdir()
    with closing(open_database(whole)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(50):
            with transaction(database):
                database.execute("INSERT INTO cursors VALUES (?, ?)", (str(number), "x" * 500))
        for name in (FILE, f"{FILE}-wal"):
            data = (whole / name).read_bytes()
            (half / name).write_bytes(data[: int(len(data) * cut)] if name.endswith("wal") else data)
    with closing(open_database(half)) as database:
        kept = [int(row["app"]) for row in database.execute("SELECT app FROM cursors")]

    assert sorted(kept) == list(range(len(kept)))
    assert 50 > len(kept) >= int(50 * cut) - 10


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are Linux's")
def test_a_message_that_cannot_be_written_down_is_done_once_it_can(tmp_path: Path) -> None:
    import resource

    with telegram_chat(tmp_path) as chat, running(chat.openkoi) as child:
        chat.pair()
        limit, most = resource.prlimit(child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (1, most))
        chat.server.say("the capital?")
        assert child.stdout
        line = next(line for line in child.stdout if "telegram: failed" in line)
        assert f"{chat.openkoi.home}/data/assistant/assistant.sqlite could not be written: disk I/O error." in line
        assert "Free disk space" in line
        assert "Paris." not in chat.texts()
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (limit, most))
        wait_until(lambda: "Paris." in chat.texts())
        chat.server.say("the capital of Spain?")
        wait_until(lambda: chat.texts().count("Paris.") == 2)

    assert 2 == len(tasks_begun(chat.openkoi))


@pytest.fixture
def open_to_all() -> Iterator[None]:
    """Let new files be open to all users of the machine, unless their program says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_to_all")
def test_other_users_of_the_machine_read_and_write_nothing_of_the_daemon(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat:
        started = chat.openkoi("daemon", "start")
        chat.pair()
        chat.server.say("the capital?")
        wait_until(lambda: "Paris." in chat.texts())
        folder = chat.openkoi.home / "data" / "assistant"
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (folder, *folder.iterdir())}
        stopped = chat.openkoi("daemon", "stop")

    assert (0, 0) == (started.returncode, stopped.returncode), started.stderr + stopped.stderr
    assert {"assistant.sqlite", "assistant.sqlite-wal", "daemon.log", "state.json"} <= modes.keys()
    assert {} == {name: oct(mode) for name, mode in modes.items() if mode & 0o077}


RUBBISH = [
    b"\x1b[2J\x1b]0;owned\x07\x1b[8mhidden\r\n" * 10,
    bytes(range(256)) * 100,
    b"\xff\xfe" + b"x" * 3_000_000,
    "\u202e\u2066right to left\u0085next\u2028line\n".encode() * 100,
    b"\n" * 100_000,
    b"",
]


@pytest.mark.parametrize("rubbish", RUBBISH, ids=range(len(RUBBISH)))
def test_a_log_of_rubbish_is_shown_as_a_few_printable_lines(rubbish: bytes, tmp_path: Path) -> None:
    openkoi = make_chat(tmp_path).openkoi
    folder = openkoi.home / "data" / "assistant"
    folder.mkdir(parents=True)
    (folder / "daemon.log").write_bytes(rubbish)

    shown = openkoi("daemon", "logs", "-n", "5")

    assert 0 == shown.returncode, shown.stderr
    assert len(shown.stdout) <= 1_000_001
    assert len(shown.stdout.split("\n")) <= 6
    assert re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*", shown.stdout)


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    openkoi = make_chat(tmp_path).openkoi
    (openkoi.home / "data").write_text("a file where a folder should be")
    began = time.monotonic()
    printed = [openkoi(*words) for words in (("daemon", "start"), ("daemon", "run"), ("connect", "--list"))]

    for one in printed:
        assert 1 == one.returncode
        assert str(openkoi.home / "data") in one.stderr
        assert "Traceback" not in one.stderr
    assert 30 > time.monotonic() - began
