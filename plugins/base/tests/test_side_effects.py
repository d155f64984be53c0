"""What a plugin's code changes for all other code is noticed and restored, and nothing else is."""

import asyncio
import io
import json
import os
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from openkoi_base.isolation import format_error
from openkoi_base.side_effects.left_running import is_known_thread
from openkoi_base.side_effects.options import WatchOptions
from openkoi_base.side_effects.system_state import LASTING_PARTS
from openkoi_base.side_effects.watched_call import WatchedCall
from openkoi_base.side_effects.watched_function import watch_function
from openkoi_hookspecs import Recall, Task


def watch_one_call(function: Callable[..., Any], *facts: Any, thorough: bool = False) -> tuple[list[str], str]:
    """Return what is reported of a call, and what it printed."""
    reports: list[str] = []

    async def main() -> None:
        def call() -> WatchedCall:
            return WatchedCall("acme", "before_plan", WatchOptions(is_thorough=thorough))

        answer = watch_function(function, call, lambda text: reports.append(str(text)), lambda: None)(*facts)
        if isinstance(answer, Awaitable):
            await answer

    with redirect_stdout(io.StringIO()) as printed:
        asyncio.run(main())
    return reports, printed.getvalue()


def test_a_function_that_changes_nothing_is_not_reported() -> None:
    async def honest(task: Task) -> str:
        await asyncio.gather(asyncio.to_thread(json.dumps, {}), asyncio.create_task(asyncio.sleep(0)))
        thread = threading.Thread(target=os.getpid)
        thread.start()
        thread.join()
        return task.text

    assert ([], "") == watch_one_call(honest, Task("a"), thorough=True)


def test_warnings_that_are_caught_around_a_call_are_no_change_of_it() -> None:
    for _ in range(2):  # the second one is compared with what the first one found
        with warnings.catch_warnings(record=True):
            assert ([], "") == watch_one_call(lambda task: task.text, Task("a"), thorough=True)


def test_what_is_changed_is_restored() -> None:
    def changes(task: Task, recall: Recall) -> None:
        os.chdir("/")
        os.environ["ACME"] = "1"
        sys.path.insert(0, "/acme")
        object.__setattr__(task, "text", "evil")
        print("hello")

    before = Path.cwd(), [*sys.path]
    task = Task("good")

    reports, message = watch_one_call(changes, task, Recall())

    (text,) = reports
    assert text.startswith("Plugin 'acme' printed 'hello' to standard output, changed ")
    assert text.endswith(
        " at before_plan. Standard output is reserved for the result; to warn the user, call koi.warn(text)"
    )
    assert all(part in text for part in ("the working directory", "(ACME)", "sys.path", "Task.text"))
    assert "hello\n" == message
    assert (*before, "good") == (Path.cwd(), [*sys.path], task.text)
    assert "ACME" not in os.environ


def test_memory_is_reported_by_what_was_used_wherever_that_begins() -> None:
    (memory,) = (part for part in LASTING_PARTS if part.name == "memory")

    assert not memory.has_changed(500 * 2**20, 1010 * 2**20)
    assert memory.has_changed(100 * 2**20, 700 * 2**20)
    assert "used 600 MB of memory" == memory.explain(100 * 2**20, 700 * 2**20)


def test_each_step_of_an_asynchronous_function_is_watched_and_nothing_in_between() -> None:
    async def changes(task: Task) -> None:
        asyncio.get_running_loop().call_soon(os.environ.__setitem__, "BETWEEN", "1")
        await asyncio.sleep(0.01)
        os.environ["LATER"] = "1"

    try:
        reports, _ = watch_one_call(changes, Task("a"))
    finally:
        os.environ.pop("BETWEEN", None)

    assert ["Plugin 'acme' changed environment variables (LATER) (undone) at before_plan"] == reports


def test_an_error_is_raised_as_it_is_after_what_was_changed_is_reported() -> None:
    def fails() -> None:
        os.environ["ACME"] = "1"
        raise ValueError("no")

    reports: list[object] = []

    async def main() -> None:
        call = watch_function(fails, lambda: WatchedCall("acme", "x", WatchOptions()), reports.append, lambda: None)
        call()

    with pytest.raises(ValueError, match="no"):
        asyncio.run(main())
    assert ["Plugin 'acme' changed environment variables (ACME) (undone) at x"] == reports


def test_only_the_first_calls_are_watch_one_call() -> None:
    ended: list[bool] = []

    def prints() -> None:
        print("hello")

    async def main() -> list[object]:
        reports: list[object] = []
        call = watch_function(
            prints,
            lambda: WatchedCall("acme", "x", WatchOptions()),
            reports.append,
            lambda: ended.append(True),
        )
        call()
        return reports

    assert 1 == len(asyncio.run(main()))
    assert [True] == ended


@pytest.mark.parametrize(
    ("thread", "is_known"),
    [
        (threading.Thread(target=format_error), True),
        (threading.Thread(target=print, name="asyncio_0"), True),
        (threading.Thread(target=print), False),
        (threading.Timer(60, format_error), False),
    ],
)
def test_threads_of_pools_and_of_openkoi_s_own_code_are_not_a_plugin_s(
    thread: threading.Thread, is_known: bool
) -> None:
    assert is_known == is_known_thread(thread)


def test_a_thread_that_other_code_starts_meanwhile_is_not_the_plugin_s() -> None:
    go, started, stop = threading.Event(), threading.Event(), threading.Event()

    def other() -> None:
        go.wait()
        threading.Thread(target=stop.wait, name="theirs", daemon=True).start()
        started.set()

    beside = threading.Thread(target=other)
    beside.start()

    def waits() -> None:
        go.set()
        started.wait()

    try:
        assert ([], "") == watch_one_call(waits, thorough=True)
    finally:
        stop.set()
        beside.join()


async def notify() -> None:
    """Be called without await."""


def forget(_: Task) -> None:
    notify()  # type: ignore[unused-coroutine]  # the mistake


def forget_in_a_helper(task: Task) -> None:
    for one in (task,):
        forget(one)


async def forget_between_steps(task: Task) -> None:
    await asyncio.sleep(0)
    forget(task)


@pytest.mark.parametrize("function", [forget, forget_in_a_helper, forget_between_steps])
def test_a_coroutine_that_is_never_awaited_is_reported(function: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reports, _ = watch_one_call(function, Task("a"), thorough=True)

    (text,) = reports
    assert text.startswith("Plugin 'acme' called notify() without await (test_side_effects.py:")


def close_it(_: Task) -> None:
    notify().close()


async def await_it(_: Task) -> None:
    await notify()


async def gather_it(_: Task) -> None:
    await asyncio.gather(notify(), notify())


def return_it(_: Task) -> Awaitable[None]:
    return notify()


@pytest.mark.parametrize("function", [close_it, await_it, gather_it, return_it])
def test_a_coroutine_that_is_awaited_or_closed_is_not(function: Callable[..., Any]) -> None:
    assert ([], "") == watch_one_call(function, Task("a"), thorough=True)
