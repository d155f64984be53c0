"""Runs that log in the same turn of the loop share one sync, and learn together that it failed."""

import asyncio
import os
from pathlib import Path

import pytest

from openkoi_hookspecs import ToolCall
from openkoi_hookspecs.events import ToolCallStarted
from openkoi_runlog import RunLog, read_segment
from openkoi_runlog.runlog import LogWriteError
from openkoi_runlog.session_logs import SessionLogs

RUNS = 20


def intent(number: int) -> ToolCallStarted:
    return ToolCallStarted(ToolCall(f"call{number}", "write_file", {}), "Writing")


def test_all_that_wait_are_on_the_disk_when_the_first_one_is(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)
    synced: list[int] = []

    async def run(number: int) -> None:
        log.append(f"run{number}", [intent(number)], sync=False)
        await log.commit()
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
        waiting = asyncio.ensure_future(log.commit())
        before = log.synced < log.end
        await waiting
        return before, log.synced == log.end

    assert (True, True) == asyncio.run(story())


def test_who_is_cancelled_while_waiting_leaves_a_synced_record(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)

    async def story() -> None:
        log.append("run", [intent(1)], sync=False)
        waiting = asyncio.ensure_future(log.commit())
        other = asyncio.ensure_future(log.commit())
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
        failed = await asyncio.gather(*(log.commit() for _ in range(3)), return_exceptions=True)
        os.close(write)
        return failed

    failed = asyncio.run(story())
    log.append("run", [intent(1)])

    assert [LogWriteError] * 3 == [type(one) for one in failed]
    assert ("session.2.jsonl", log.end) == (log.path.name, log.path.stat().st_size)


def test_runs_are_counted_for_as_long_as_they_write(tmp_path: Path) -> None:
    logs = SessionLogs(tmp_path, str)

    with logs.open_for_writing("session") as log, logs.open_for_writing("session"):
        assert 2 == log.runs

    assert 0 == log.runs
