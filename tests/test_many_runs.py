"""Test that a process keeps none of its finished tasks, and reads its log once."""

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Mapping
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest

from openkoi.open_app import open_app
from openkoi.run import TaskRun
from openkoi_hookspecs import Limits, Response, StreamEnd, Task, Usage, events
from openkoi_runlog import RunLog, select_from
from openkoi_search.segment_folder import SegmentFolder
from openkoi_search.segment_index import SegmentIndex
from openkoi_testing.servers import AnthropicServer, OllamaServer, OpenAIServer

LIMITS = Limits(iterations=0)
TASKS = 4
MAX_THREADS = 32  # of an event loop, as concurrent.futures limits them
KEPT_STATE, MORE_TASKS = 270, 60  # of so many runs some parts keep what they know, and of no older ones
ROUNDS = 3  # what each task leaves, each round finds; one is enough unless something was made for the first time
REPLY = events.ModelResponse("acme/large", Response((), StreamEnd(Usage(input=80, output=10))), 0.25)


async def live_runs(folder: Path, model: str, variables: Mapping[str, str]) -> int:
    """Do several tasks in one process; return how many of their runs are still in memory."""
    folder.joinpath("workspace").mkdir()
    variables = {"OPENKOI_HOME": str(folder / "home"), "OLLAMA_HOST": "127.0.0.1:1", **variables}
    async with open_app(folder / "workspace", flags={"model": model}, environment=variables) as koi:
        for number in range(TASKS):
            await koi.solve(Task(f"What is {number}?", limits=LIMITS))
        await koi.drain()
        gc.collect()
        return sum(type(one) is TaskRun for one in gc.get_objects())


@pytest.mark.parametrize(
    ("model", "server", "address", "key"),
    [
        ("openai/mock", OpenAIServer, "OPENAI_BASE_URL", "OPENAI_API_KEY"),
        ("anthropic/mock", AnthropicServer, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
        ("ollama/mock", OllamaServer, "OLLAMA_HOST", "UNUSED"),
    ],
)
def test_a_process_forgets_a_run_after_its_end(
    model: str, server: type[AnthropicServer | OllamaServer | OpenAIServer], address: str, key: str, tmp_path: Path
) -> None:
    with server("Nobody knows.", models=["mock"]) as there:
        variables = {address: there.url, key: "sk-not-a-real-key"}

        assert 0 == asyncio.run(live_runs(tmp_path, model, variables))
        assert TASKS <= len(there.requests)


async def start_threads() -> None:
    """Start all threads that the event loop may have: a busy machine needs more of them at the same time."""
    await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(MAX_THREADS)))


def forget_what_is_limited(server: OpenAIServer) -> None:
    """Empty the caches that have a limit, and what the server has received.

    Memory has up to 12 segments of its index open, and merges some of them in steps; how many depends on which runs
    were added together.
    """
    server.requests.clear()
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and one.cache_parameters()["maxsize"]:
            one.cache_clear()
        elif isinstance(one, SegmentFolder):
            one.index, one.listed, one.merges = SegmentIndex(), [], []
    gc.collect()


async def objects_kept(folder: Path, variables: Mapping[str, str], server: OpenAIServer) -> int:
    """Do many tasks in one process; return how many more objects it has after the last, without its caches.

    A module that only a slow machine imports is imported once, so that the smallest growth of some rounds excludes it.
    """
    folder.joinpath("workspace").mkdir()
    variables = {"OPENKOI_HOME": str(folder / "home"), "OLLAMA_HOST": "127.0.0.1:1", **variables}
    counts = list[int]()
    await start_threads()
    async with open_app(folder / "workspace", flags={"model": "openai/mock"}, environment=variables) as koi:
        for tasks in (KEPT_STATE, *[MORE_TASKS] * ROUNDS):
            for number in range(tasks):
                await koi.solve(Task(f"What is {number % TASKS}?", limits=LIMITS))
            await koi.drain()
            forget_what_is_limited(server)
            counts.append(len(gc.get_objects()))
            if len(counts) > 1 and counts[-1] - counts[-2] < MORE_TASKS:
                break
    return counts[-1] - counts[-2]


def test_a_process_that_does_many_tasks_keeps_nothing_of_each(tmp_path: Path) -> None:
    with OpenAIServer("Nobody knows.", models=["mock"]) as server:
        variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-not-a-real-key"}

        assert asyncio.run(objects_kept(tmp_path, variables, server)) < MORE_TASKS


async def bytes_kept(folder: Path, variables: Mapping[str, str], server: OpenAIServer, tasks: int) -> float:
    """Do a number of different tasks in one process, twice; return the added bytes per task of the second round."""
    folder.joinpath("workspace").mkdir()
    variables = {"OPENKOI_HOME": str(folder / "home"), "OLLAMA_HOST": "127.0.0.1:1", **variables}
    sizes = []
    await start_threads()
    async with open_app(folder / "workspace", flags={"model": "openai/mock"}, environment=variables) as koi:
        for first in (0, tasks):
            for number in range(first, first + tasks):
                await koi.solve(Task(f"What is {number} of word{number}? Tell of thing{number}.", limits=LIMITS))
            await koi.drain()
            forget_what_is_limited(server)
            sizes.append(tracemalloc.get_traced_memory()[0])
    return (sizes[1] - sizes[0]) / tasks


@pytest.mark.parametrize(
    ("tasks", "most"),
    [
        (40, 12_000),  # some parts fill what they keep of the last few hundred tasks: 4,000 to 6,000 were measured
        pytest.param(1_000, 1_500, marks=[pytest.mark.campaign, pytest.mark.timeout(3_600)]),  # 300 were measured
    ],
)
def test_a_process_that_does_thousands_of_tasks_stays_as_large(tasks: int, most: int, tmp_path: Path) -> None:
    with OpenAIServer("Nobody knows.", models=["mock"]) as server:
        variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-not-a-real-key"}
        tracemalloc.start()
        try:
            assert asyncio.run(bytes_kept(tmp_path, variables, server, tasks)) < most
        finally:
            tracemalloc.stop()


def test_the_records_of_a_run_are_found_while_others_are_added(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "session", str)
    found = []
    for run in ("first", "second", "third"):
        for other in ("first", run):
            log.append(other, [REPLY] * 300)
        found.append(len(list(select_from(log.path, (events.ModelResponse,), run))))
    first = list(select_from(log.path, (events.ModelResponse,), "first"))
    log.close()

    assert [600, 300, 300] == found
    assert 1200 == len(first)
    assert [] == list(select_from(log.path, (events.ModelResponse,), "unknown"))


def test_a_log_in_the_place_of_another_is_read_from_its_beginning(tmp_path: Path) -> None:
    paths = set()
    for run, count in (("old", 2_000), ("new", 1_000)):
        log = RunLog(tmp_path, "session", str)
        log.append(run, [REPLY] * count)
        log.close()
        paths.add(log.path)

        assert count == len(list(select_from(log.path, (events.ModelResponse,), run)))
        log.path.unlink()
    assert 1 == len(paths)
