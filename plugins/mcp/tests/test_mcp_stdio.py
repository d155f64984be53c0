"""Test servers that write invalid messages, too much, or endlessly: only their call fails."""

import asyncio
import os
import signal
import tracemalloc
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from documented_plugins import calling, events_of, logged
from mcp_runs import Pond, is_running, pond
from test_mcp_runs import wait_until

from openkoi_hookspecs import events
from openkoi_mcp.active_call import MAX_QUESTIONS, PROGRESS_SECONDS
from openkoi_mcp.events import CallProgressed
from openkoi_mcp.message_limits import MAX_MESSAGE_BYTES, MAX_VALUES, MessageTooLargeError, check_values
from openkoi_mcp.stdio import CHUNK_BYTES, read_lines

REFUSED = "It was disconnected because it sent {}."
TOO_LONG = REFUSED.format("a message of more than 32 MiB")
TOO_MANY = REFUSED.format("a message of more than 200,000 values")
SERVER = Path(__file__).with_name("flooding_server.py")
posix = pytest.mark.skipif(os.name != "posix", reason="Windows has the SDK's reader")


def flooding(folder: Path, kind: str, **server: object) -> Pond:
    """Return a command line with a server of this kind, whose tool is called."""
    table = {"args": [str(SERVER), kind, str(folder / "calls")], **server}
    return pond(folder, calling("pond__count_fish"), server=table).approved()


@posix
def test_a_line_without_end_costs_the_call_and_the_server_is_stopped(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "flood")
    text = openkoi("Do it")

    (result,) = openkoi.results
    assert "The MCP server pond ended during the call" in result
    assert TOO_LONG in result
    assert "Traceback" not in text


@posix
def test_a_message_of_too_many_values_costs_the_call_and_the_server_is_stopped(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "blocks")
    openkoi("Do it")

    (result,) = openkoi.results
    assert TOO_MANY in result


def test_pages_of_tools_without_end_are_refused(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "pages")
    openkoi.calls.touch()
    openkoi("Do it")

    (result,) = openkoi.results
    assert "The MCP server pond cannot list its tools: its list of tools is larger than 8 MiB." in result


def test_progress_is_one_short_line_that_looks_like_nothing_else(tmp_path: Path) -> None:
    text = flooding(tmp_path, "forged")("Do it")

    (line,) = [one for one in text.splitlines() if "half" in one]
    assert line.startswith("[pond] [2Jhalf [done] 1 iterationxxx")
    assert len(line) < 220


@pytest.mark.parametrize("kind", ["garbage", "twice", "halves", "long", "commas"])
def test_what_is_no_message_is_ignored_and_the_first_answer_counts(kind: str, tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, kind)
    text = openkoi("Do it")

    (result,) = openkoi.results
    assert result.startswith({"long": "yyyy", "halves": "42 f\u00efsh"}.get(kind, "42 fish"))
    assert "forged" not in result
    assert "Traceback" not in text


@pytest.mark.parametrize("kind", ["pattern", "doubled", "circle"])
def test_a_schema_that_takes_years_to_check_costs_nothing(kind: str, tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, kind)
    openkoi("Do it")

    (result,) = openkoi.results
    assert result.startswith("42 fish")


def test_notifications_without_end_cost_the_call_its_time(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "notify", timeout=1.0)
    openkoi("Do it")

    assert "The MCP server pond did not answer within 1 s; the call was cancelled." in "\n".join(openkoi.results)


def test_of_much_progress_one_record_a_second_and_the_last_are_kept(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "progress")
    openkoi("Do it")
    shown = [(one.at, one.event.text) for one in logged(openkoi.openkoi) if isinstance(one.event, CallProgressed)]
    steady = [datetime.fromisoformat(at) for at, _ in shown[:-1]]

    assert ["42 fish"] == openkoi.results
    assert "[pond] 3000 of 3000" == shown[-1][1]
    assert all((later - earlier).total_seconds() > 0.9 * PROGRESS_SECONDS for earlier, later in pairwise(steady))


def test_questions_at_once_and_without_end_cost_the_call_its_time(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "questions", timeout=1.0)
    openkoi("Do it")

    assert "The MCP server pond did not answer within 1 s; the call was cancelled." in "\n".join(openkoi.results)
    assert MAX_QUESTIONS == len(events_of(openkoi.openkoi, events.QuestionAsked))


def test_half_a_line_at_the_end_is_no_answer(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "end")
    openkoi("Do it")

    assert "ended during the call, so what the call did is unknown" in "\n".join(openkoi.results)


@posix
def test_a_run_that_is_ended_in_a_flood_ends_with_its_server(tmp_path: Path) -> None:
    openkoi = flooding(tmp_path, "notify")
    running = openkoi.openkoi.started("Do it")
    wait_until(lambda: openkoi.calls.exists())
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=30)

    assert "Traceback" not in err
    assert [] == [pid for pid in openkoi.pids if is_running(pid)]


def stream_of(*chunks: bytes) -> asyncio.StreamReader:
    stream = asyncio.StreamReader(limit=CHUNK_BYTES)
    for chunk in chunks:
        stream.feed_data(chunk)
    stream.feed_eof()
    return stream


def test_lines_are_what_stands_between_line_feeds_however_they_arrive() -> None:
    async def read(*chunks: bytes) -> list[bytes]:
        return [line async for line in read_lines(stream_of(*chunks))]

    data = b"one\n\ntwo\r\n" + b"x" * 3 * CHUNK_BYTES + b"\nrest"
    expected = data.split(b"\n")[:-1]
    for size in (1, 7, CHUNK_BYTES - 1, CHUNK_BYTES, len(data)):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        assert expected == asyncio.run(read(*chunks))


def test_only_values_outside_strings_count_and_the_check_is_linear() -> None:
    check_values(b'["' + b'\\",[{' * MAX_VALUES + b'"]')
    check_values(b'["' + b'\\"' * 2**20)  # a string without end
    check_values(b"[" + b"1," * (MAX_VALUES - 2) + b"1]")
    for many in (
        b'["",' + b"1," * MAX_VALUES + b"1]",
        b"[" * MAX_VALUES + b'""' * 4 * MAX_VALUES + b",",
        b': "\ndata: [' + b"1," * MAX_VALUES + b"1]",  # a string ends in its line
    ):
        with pytest.raises(MessageTooLargeError, match="more than 200,000 values"):
            check_values(many)


def test_the_check_of_many_values_takes_little_memory() -> None:
    message = b'{"type":"text","text":""},' * 2**20
    tracemalloc.start()
    with pytest.raises(MessageTooLargeError):
        check_values(message)

    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    async def read(*chunks: bytes) -> int:
        return sum([len(line) async for line in read_lines(stream_of(*chunks))])

    most = b"x" * MAX_MESSAGE_BYTES
    assert MAX_MESSAGE_BYTES == asyncio.run(read(most, b"\n"))
    with pytest.raises(MessageTooLargeError):
        asyncio.run(read(most, b"x"))
