"""A run may be interrupted at any time: it says so, ends with 130, and leaves no process behind."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from cli_process import Shell, logged_records, shell, write_script

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
PATIENCE = 120  # seconds; a start takes 0.3 on an idle machine and took more than 10 beside four test runs
SLOW = f'  - says: "Paris."\n    delay: {PATIENCE + 60}\n'
ANSWER = '  - says: "Paris."\n    repeat: true\n'
INTERRUPTIONS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


@pytest.mark.parametrize("number", INTERRUPTIONS)
def test_an_interruption_ends_with_130_and_a_log_that_says_so(openkoi: Shell, number: signal.Signals) -> None:
    child = openkoi.started("-m", write_script(openkoi.folder, SLOW), "What is it?")
    wait_for_log(openkoi.home / "data" / "sessions", "cycle.start")
    child.send_signal(number)
    _, errors = child.communicate(timeout=PATIENCE)

    assert 130 == child.returncode
    assert "Traceback" not in errors
    assert 1 == errors.count("[abort] interrupted")
    assert "interrupted" in openkoi("status").stdout
    assert "failed" not in openkoi("status").stdout


def test_an_impatient_interruption_ends_with_130_too(openkoi: Shell) -> None:
    child = openkoi.started("-m", write_script(openkoi.folder, SLOW), "What is it?")
    wait_for_log(openkoi.home / "data" / "sessions", "cycle.start")
    child.send_signal(signal.SIGINT)
    time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)
    lines = [line for path in openkoi.home.rglob("*.jsonl") for line in path.read_text().splitlines()]

    assert 130 == child.returncode
    assert "Traceback" not in errors
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_an_interruption_takes_a_running_command_along(openkoi: Shell, number: signal.Signals) -> None:
    write = "{tool: write_file, arguments: {path: a.txt, content: one}}"
    sleep = "{tool: run_command, arguments: {command: sleep 61}}"
    model = write_script(openkoi.folder, f"  - calls: [{write}]\n  - calls: [{sleep}]\n")
    child = openkoi.with_environment(MARKED=str(openkoi.home)).started("-m", model, "Write a.txt and sleep")
    wait_for_log(openkoi.home / "data" / "sessions", "Running sleep 61")
    time.sleep(0.5)
    child.send_signal(number)
    child.communicate(timeout=PATIENCE)

    assert 130 == child.returncode
    assert "one" == (openkoi.folder / "a.txt").read_text()
    assert [] == [path for path in Path("/proc").glob("[0-9]*/environ") if has_mark(path, str(openkoi.home))]
    records = logged_records(openkoi.home)
    assert "run.failed" == records[-1]["type"]


def test_a_run_that_is_to_outlive_its_terminal_does(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - says: "Paris."\n    delay: 2\n')
    result = openkoi.bash(f"trap '' HUP; openkoi -m {model} 'What is it?' & sleep 1; kill -HUP $!; wait $!; echo $?")

    assert "Paris.\n0\n" == result.stdout


@pytest.mark.parametrize("module", ["click", "openkoi_hookspecs", "asyncio"])
def test_an_interruption_of_the_start_ends_with_130_and_no_traceback(openkoi: Shell, module: str) -> None:
    site = openkoi.home.parent / "site"
    site.mkdir()
    (site / f"{module}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    result = openkoi.seeing(site).cold("-m", write_script(openkoi.folder, SLOW), "What is it?")

    assert 130 == result.returncode
    assert "Traceback" not in result.stderr


SWALLOWED = """
import os, signal, weakref
class Thing: pass
thing = Thing()
kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
del thing
"""


@pytest.mark.parametrize("module", ["click", "openkoi_hookspecs", "asyncio"])
def test_an_interruption_that_python_swallows_while_it_imports_ends_the_start_too(openkoi: Shell, module: str) -> None:
    """As it did in a callback of the import system, with the lock of all imports: the run waited for that forever."""
    site = openkoi.home.parent / "site"
    site.mkdir()
    found = f"del sys.modules['{module}']; sys.path.remove({str(site)!r}); import {module}"
    (site / f"{module}.py").write_text(f"{SWALLOWED}\nimport sys\n{found}\n")
    done = openkoi.seeing(site).cold("-m", write_script(openkoi.folder, ANSWER), "What is it?")

    assert (130, "") == (done.returncode, done.stderr)


def has_mark(environ: Path, mark: str) -> bool:
    try:
        return f"MARKED={mark}".encode() in environ.read_bytes()
    except OSError:
        return False


def test_undo_after_an_interruption_keeps_what_the_user_has_made_since(openkoi: Shell) -> None:
    call = "{tool: run_command, arguments: {command: echo half > half.txt; sleep 61}}"
    child = openkoi.started("-m", write_script(openkoi.folder, f"  - calls: [{call}]\n"), "Write it and sleep")
    wait_for_log(openkoi.home / "data" / "sessions", "Running echo half")
    while not (openkoi.folder / "half.txt").exists():
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    (openkoi.folder / "mine.txt").write_text("mine")
    undone = openkoi("undo")

    assert 0 == undone.returncode, undone.stderr
    assert "The task was interrupted during run_command" in undone.stderr
    assert ["mine.txt"] == sorted(path.name for path in openkoi.folder.glob("*.txt"))


def wait_for_log(folder: Path, word: str) -> None:
    """Wait until a log contains a word, however loaded the machine is."""
    deadline = time.monotonic() + PATIENCE
    while not any(word in path.read_text() for path in folder.glob("*.jsonl")):
        assert time.monotonic() < deadline, f"{word} was not written"
        time.sleep(0.05)
