"""Test that a task killed at any step continues where it was: nothing is paid for twice, no effect is repeated."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from stream_run import MOST

from openkoi_hookspecs import Record, events
from openkoi_runlog import list_segments, read_segment
from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

RUN = Path(__file__).with_name("resume_run.py")
STREAM = Path(__file__).with_name("stream_run.py")
STEPS = 65
NEVER = 100_000
pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")


def run_until(home: Path, step: int, run: str = "") -> int:
    """Run until the step; return the exit status."""
    workspace = home / "workspace"
    workspace.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(RUN), str(home), str(workspace), str(step), run]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "Error" not in result.stderr, result.stderr
    return result.returncode


def logged_records(home: Path) -> list[Record]:
    return [record for path in list_segments(home / "data" / "sessions") for record in read_segment(path)]


def run_of(home: Path) -> str:
    return next((record.run for record in logged_records(home) if isinstance(record.event, events.TaskStarted)), "")


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def check_resumed(home: Path, resumed: bool) -> None:
    """The files are as they should be, each message was sent once at most, and each answer was paid for once."""
    records = logged_records(home)
    answered = [record.event for record in records if isinstance(record.event, events.ModelResponse)]
    unknown = [
        record.event.result.call
        for record in records
        if isinstance(record.event, events.ToolCallFinished)
        and "may or may not have taken effect" in record.event.result.text
    ]

    assert 7 == len(answered)
    assert max(Counter(lines(home / "posts")).values(), default=0) <= 1
    assert 2 == len(lines(home / "posts")) + sum(call in ("b", "c") for call in unknown) or unknown
    assert any(isinstance(record.event, events.RunCompleted) for record in records)
    assert len({record.id for record in records}) == len(records)
    if not {"a"} & set(unknown):
        assert "three\n" == (home / "workspace" / "a.txt").read_text()
    assert resumed or 7 == len(lines(home / "calls"))


def kill_and_resume(home: Path, *steps: int) -> None:
    run_until(home, steps[0])
    run = run_of(home)
    for step in (*steps[1:], NEVER):
        if run and not any(isinstance(record.event, events.RunCompleted) for record in logged_records(home)):
            run_until(home, step, run)
    if run:
        check_resumed(home, resumed=True)


def test_a_run_that_is_left_alone_comes_out_as_expected(tmp_path: Path) -> None:
    assert 0 == run_until(tmp_path, NEVER)
    check_resumed(tmp_path, resumed=False)
    assert STEPS - 6 < len(logged_records(tmp_path)) < STEPS + 6, len(logged_records(tmp_path))


@pytest.mark.row("FLOW-10")
@pytest.mark.parametrize("step", [5, 23, 41])
def test_killed_at_a_step_it_goes_on_from_there(tmp_path: Path, step: int) -> None:
    kill_and_resume(tmp_path, step)


def test_killed_again_and_again_it_comes_to_its_end(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 9, 8, 8, 9, 10)


def kill_in_streams(home: Path, words: int) -> int:
    """Let a run be killed in the middle of each answer and resumed until it ends; return the number of model calls."""
    story = Say("word " * words, delta=5, fault=ServerFault(cut=-1, after=AfterResponse.HANGS))
    with OpenAIServer(story) as server:
        for _ in range(30):
            command = [sys.executable, str(STREAM), str(home), server.url, run_of(home)]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            if result.returncode != -signal.SIGKILL:
                assert 0 == result.returncode, result.stderr
                return len(server.requests)
    raise AssertionError("it never ends")


@pytest.mark.row("SAFE-06")
@pytest.mark.parametrize("words", [150, *(pytest.param(few, marks=pytest.mark.campaign) for few in (1, 20, 390))])
def test_killed_in_the_middle_of_answers_it_never_spends_more_than_it_may(tmp_path: Path, words: int) -> None:
    asked = kill_in_streams(tmp_path, words)

    billed = asked * (words * 1000.0 + 1_000) / 1e6
    logged = [record.event for record in logged_records(tmp_path)]
    output = sum(event.usd for event in logged if isinstance(event, events.Paid))
    ended = [event for event in logged if isinstance(event, events.RunCompleted)]
    assert 2 <= asked
    assert billed <= output <= MOST
    assert ["reached the limit of dollars"] == [one.decision.reason for one in ended]
    assert pytest.approx(output) == ended[0].cost.usd


@pytest.mark.campaign
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("step", range(1, STEPS + 2))
def test_killed_at_every_step(tmp_path: Path, step: int) -> None:
    kill_and_resume(tmp_path, step)
