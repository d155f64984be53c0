"""What is logged in the same turn of the event loop shares one sync, and its runs learn that it failed."""

import asyncio
import os
from pathlib import Path

import pytest

from openkoi_hookspecs import Response, StreamEnd, ToolCall, Usage
from openkoi_hookspecs.events import CycleStarted, HookReturned, ModelResponse, ToolCallStarted
from openkoi_runlog import RunLog, read_segment
from openkoi_runlog.runlog import LogWriteError
from openkoi_runlog.session_logs import SessionLogs

RUNS = 20


def intent(number: int) -> ToolCallStarted:
    return ToolCallStarted(ToolCall(f"call{number}", "write_file", {}), "Writing")


def response() -> ModelResponse:
    return ModelResponse("m", Response((), StreamEnd(Usage())), 0.0)


def logged(log: RunLog) -> tuple[list[str], bool]:
    """Return the names of the events in the file, and whether all of it is synced."""
    names = [record.event.name for record in read_segment(log.path)]
    return names, log.synced == log.path.stat().st_size


def test_what_is_batched_is_on_the_disk_when_the_turn_ends(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> list[tuple[list[str], bool]]:
        log.append("run", [response()])
        log.append("run", [CycleStarted(0, 9)])
        during = logged(log)
        await asyncio.sleep(0)
        return [during, logged(log)]

    assert [([], True), (["model.response", "cycle.start"], True)] == asyncio.run(story())


def test_what_is_not_durable_is_written_when_the_turn_ends_and_not_synced(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> tuple[list[str], bool]:
        log.append("run", [HookReturned("before_plan", "style", 1, "Be brief.")])
        await asyncio.sleep(0)
        return logged(log)

    assert (["hook.answered"], False) == asyncio.run(story())


def test_an_intent_is_on_the_disk_at_once_with_all_before_it(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> tuple[list[str], bool]:
        log.append("run", [response()])
        log.append("run", [intent(1)])
        return logged(log)

    assert (["model.response", "tool_call"], True) == asyncio.run(story())


def test_without_an_event_loop_everything_is_written_at_once(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)
    log.append("run", [response()])

    assert (["model.response"], True) == logged(log)


def test_all_that_wait_are_on_the_disk_when_the_first_one_is(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)
    synced: list[int] = []

    async def run(number: int) -> None:
        log.append(f"run{number}", [intent(number)], sync=False)
        await log.commit(f"run{number}")
        synced.append(log.synced)

    async def together() -> None:
        await asyncio.gather(*map(run, range(RUNS)))

    asyncio.run(together())
    log.close()

    assert [log.path.stat().st_size] * RUNS == synced
    assert [f"run{number}" for number in range(RUNS)] == [record.run for record in read_segment(log.path)]


def test_an_intent_is_not_acknowledged_before_it_is_on_the_disk(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> tuple[bool, bool]:
        log.append("run", [intent(1)], sync=False)
        waiting = asyncio.ensure_future(log.commit("run"))
        before = log.synced == 0
        await waiting
        return before, log.synced == log.path.stat().st_size > 0

    assert (True, True) == asyncio.run(story())


def test_who_is_cancelled_while_waiting_leaves_a_synced_record(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> None:
        log.append("run", [intent(1)], sync=False)
        waiting = asyncio.ensure_future(log.commit("run"))
        other = asyncio.ensure_future(log.commit("run"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await other

    asyncio.run(story())

    assert log.path.stat().st_size == log.synced


@pytest.mark.skipif(os.name == "nt", reason="a pipe cannot be synced on POSIX systems")
def test_a_sync_that_fails_is_an_error_for_all_that_wait_and_the_log_goes_on_in_another_segment(
    tmp_path: Path,
) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> list[BaseException | None]:
        log.append("run", [intent(0)], sync=False)
        os.close(log.file)
        log.file, write = os.pipe()
        failed = await asyncio.gather(*(log.commit("run") for _ in range(3)), return_exceptions=True)
        os.close(write)
        return failed

    failed = asyncio.run(story())
    log.append("run", [intent(1)])

    assert [LogWriteError] * 3 == [type(one) for one in failed]
    assert ("session.2.jsonl", log.end) == (log.path.name, log.path.stat().st_size)


def test_who_reads_a_log_in_this_process_reads_what_was_logged_in_this_turn(tmp_path: Path) -> None:
    logs = SessionLogs(tmp_path, str)

    async def story() -> list[str]:
        logs.open("session").append("run", [response()])
        return [record.event.name for path in logs.segments("session") for record in read_segment(path)]

    assert ["model.response"] == asyncio.run(story())


def test_runs_are_counted_for_as_long_as_they_write(tmp_path: Path) -> None:
    logs = SessionLogs(tmp_path, str)

    with logs.open_for_writing("session") as log, logs.open_for_writing("session"):
        assert 2 == log.runs

    assert 0 == log.runs


@pytest.mark.skipif(os.name == "nt", reason="a pipe cannot be written from its reading end on POSIX systems")
def test_a_run_whose_turn_could_not_be_written_learns_it_with_its_next_event(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> None:
        log.append("first", [response()])
        os.close(log.file)
        log.file, write = os.pipe()
        await asyncio.sleep(0)
        os.close(write)
        log.append("second", [intent(2)])
        with pytest.raises(LogWriteError, match="cannot be written"):
            log.append("first", [intent(1)])
        log.append("first", [intent(3)])

    asyncio.run(story())

    assert ["call2", "call3"] == [
        record.event.call.id for record in read_segment(log.path) if isinstance(record.event, ToolCallStarted)
    ]
