"""Runs are resumed and forked by their id: each in its session, its folder and with its models, many in one process."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi.app import App
from openkoi_base.files.filelock import is_locked
from openkoi_hookspecs import (
    Effect,
    KoiError,
    Limits,
    PluginNotFoundError,
    Record,
    Run,
    Task,
    Tool,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_runlog import list_past_tasks, list_segments, read_segment
from openkoi_testing import Scenario, Scripted

PUSHES = ToolCall("a", "push", {})
ONCE = Limits(iterations=0)
SESSION = "slack::C01:1700000000.12%3A"


class Pushing:
    """A tool that is asked about, and the folders that it was called in."""

    def __init__(self) -> None:
        self.folders: list[str] = []

    async def tools(self, run: Run) -> list[Tool]:
        async def push(_: object) -> ToolResult:
            self.folders.append(run.workspace.name)
            return ToolResult("pushed")

        return [Tool("push", "Push.", {"type": "object", "properties": {}}, push, effect=Effect.IRREVERSIBLE)]


def opened(workspace: Path, home: Path, model: Scripted, pushing: Pushing, **settings: object) -> App:
    workspace.mkdir(exist_ok=True)
    return Scenario(
        model=model,
        providers={"other": model},
        tool_providers={"pushing": pushing},
        installed=frozenset({"questions"}),
        settings={"use.checkpoints": "none", "models.known.other/script.price": [0.0, 0.0], **settings},
    ).build_app(workspace, home)


async def stopped(workspace: Path, home: Path) -> str:
    """The id of a run that a process of its own left waiting for an answer."""
    async with opened(workspace, home, Scripted([PUSHES]), Pushing()) as koi:
        result = await koi.solve(Task("Push it", limits=ONCE))
        [question] = await koi.pending_questions()
        await koi.answer_question(question.id, "yes")
    assert "escalate" == result.decision.action
    return result.run


def written(home: Path, session: str) -> list[Record]:
    return [record for path in list_segments(home / "data" / "sessions", session) for record in read_segment(path)]


def test_runs_of_other_sessions_are_resumed_at_once_each_in_its_own_log(tmp_path: Path) -> None:
    home, pushing = tmp_path / "home", Pushing()

    async def run() -> tuple[list[str], list[str], str]:
        ids = [await stopped(tmp_path / f"work{number}", home) for number in range(3)]
        async with opened(tmp_path / "here", home, Scripted(["pushed"]), pushing) as koi:
            handles = [koi.resume(id[:8]) for id in ids]
            texts = [(await handle.result()).text for handle in handles]
            await koi.drain()
            held = [path for path in list_segments(home / "data" / "sessions") if is_locked(path)]
            return [handle.id for handle in handles], [*texts, *(path.name for path in held)], koi.session

    ids, texts, session = asyncio.run(run())
    sessions = {record.segment.partition(".")[0]: record.run for id in ids for record in log_of(home, id)}
    assert ["pushed"] * 3 == texts
    assert ["work0", "work1", "work2"] == sorted(pushing.folders)
    assert {*ids} == {*sessions.values()}
    assert [] == [record for record in written(home, session) if record.run]
    for id in ids:
        assert {"", id} >= {record.run for record in written(home, session_of(home, id))}


def log_of(home: Path, id: str) -> Sequence[Record]:
    """All records of a run, wherever they are."""
    return [record for record in written(home, "") if record.run == id]


def session_of(home: Path, id: str) -> str:
    return log_of(home, id)[0].segment.partition(".")[0]


def test_a_resumed_run_has_the_models_of_its_command_line_and_then_those_that_are_given(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def run(**settings: object) -> list[str]:
        id = await stopped(tmp_path / "work", home)
        async with opened(tmp_path / "work", home, Scripted(["pushed"]), Pushing()) as koi:
            await koi.resume(id, settings=settings).result()
            answered = [one.event for one in log_of(home, id) if isinstance(one.event, events.ModelResponse)]
            return [event.model for event in answered]

    assert ["scripted/script", "scripted/script"] == asyncio.run(run())
    assert ["scripted/script", "other/script"] == asyncio.run(run(**{"models.default": "other/script"}))


def test_a_run_is_forked_by_its_id_into_the_session_of_this_process(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def run() -> tuple[str, str, list[str]]:
        async with opened(tmp_path / "work", home, Scripted(["first"]), Pushing()) as koi:
            first = await koi.solve(Task("Write", limits=ONCE))
        async with opened(tmp_path / "here", home, Scripted(["second"]), Pushing()) as koi:
            handle = koi.fork(first.run[:6], at=0, settings={"safety.max_cost_usd": 1.5})
            forked = await handle.result()
            assert (handle.id, 1.5) == (forked.run, forked.task.effective_limits.usd)
            return first.run, forked.text, [one.event.name for one in koi.records(koi.session) if one.run == handle.id]

    original, text, names = asyncio.run(run())
    assert "second" == text
    assert ("run.forked", "run.completed") == (names[0], next(name for name in names if name == "run.completed"))
    assert "run.forked" not in [one.event.name for one in log_of(home, original)]


@pytest.mark.parametrize("settings", [{"iteration.nonsense": 1}, {"safety.sandbox_minimum": "nonsense"}])
def test_a_fork_with_a_setting_of_no_use_is_refused(tmp_path: Path, settings: dict[str, object]) -> None:
    async def run() -> None:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted(["first"]), Pushing()) as koi:
            first = await koi.solve(Task("Write", limits=ONCE))
            await koi.fork(first.run, at=0, settings=settings).result()

    with pytest.raises(KoiError, match="nonsense"):
        asyncio.run(run())


def test_what_cannot_be_resumed_is_said_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted(["first"]), Pushing()) as koi:
            first = await koi.solve(Task("Write", limits=ONCE))
            with pytest.raises(KoiError, match=r"has ended \(accept\), so it cannot be resumed"):
                koi.resume(first.run)
            with pytest.raises(PluginNotFoundError):
                koi.resume("nonsense")
            with pytest.raises(PluginNotFoundError):
                koi.fork("nonsense", at=0)

    asyncio.run(run())


def test_a_run_that_is_under_way_is_neither_resumed_nor_forked(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted([PUSHES, "pushed"]), Pushing()) as koi:
            event, answer = asyncio.Event(), asyncio.Event()

            async def user(_: object) -> str:
                event.set()
                await answer.wait()
                return "yes"

            koi.attend(user)
            first = koi.begin(Task("Push it", limits=ONCE))
            await event.wait()
            again = [koi.resume(first.id), koi.fork(first.id, at=0)]
            reply = [str(one) for one in await asyncio.gather(*(one.result() for one in again), return_exceptions=True)]
            answer.set()
            return [*reply, (await first.result()).text]

    refused = "is already running. Wait for it to finish, or stop it first."
    [resumed, forked, text] = asyncio.run(run())
    assert (True, True, "pushed") == (resumed.endswith(refused), forked.endswith(refused), text)


def test_a_run_that_was_stopped_is_resumed_in_the_same_process(tmp_path: Path) -> None:
    async def run() -> tuple[str, int]:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted([PUSHES, "pushed"]), Pushing()) as koi:
            event = asyncio.Event()

            async def user(_: object) -> str | None:
                event.set()
                await asyncio.sleep(30)
                return None

            end = koi.attend(user)
            first = koi.begin(Task("Push it", limits=ONCE))
            await event.wait()
            first.stop()
            with pytest.raises(KoiError, match="was stopped"):
                await first.result()
            end()
            [question] = await koi.pending_questions()
            await koi.answer_question(question.id, "yes")
            result = await koi.resume(first.id).result()
            return result.text, len(list_segments(tmp_path / "home" / "data" / "sessions"))

    assert ("pushed", 1) == asyncio.run(run())


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    async def run() -> None:
        id = await stopped(tmp_path / "work", tmp_path / "home")
        (tmp_path / "work").rmdir()
        async with opened(tmp_path / "here", tmp_path / "home", Scripted(["pushed"]), Pushing()) as koi:
            await koi.resume(id).result()

    with pytest.raises(KoiError, match="which no longer exists"):
        asyncio.run(run())


def test_a_task_may_name_its_session_and_is_found_there(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted(["done"]), Pushing()) as koi:
            for name in (SESSION, "../chat", SESSION):
                await koi.solve(Task(f"Chat in {name}", session=name, limits=ONCE))
            with pytest.raises(KoiError, match="cannot be written: its name is empty or too long"):
                await koi.solve(Task("Chat", session="a" * 300, limits=ONCE))
            await koi.drain()
            records = [*koi.records(SESSION), *koi.records("../chat")]
            return [one.event.task.text for one in records if isinstance(one.event, events.TaskStarted)]

    sessions = tmp_path / "home" / "data" / "sessions"
    assert [f"Chat in {name}" for name in (SESSION, SESSION, "../chat")] == asyncio.run(run())
    assert {SESSION, "../chat"} == {past.session for past in list_past_tasks(sessions)}
    assert all(path.parent == sessions for path in tmp_path.rglob("*.jsonl"))


def test_a_run_that_is_stopped_when_its_result_is_logged_keeps_the_result(tmp_path: Path) -> None:
    async def run() -> tuple[str, list[str]]:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted(["done"]), Pushing()) as koi:
            handle = koi.begin(Task("Say it", limits=ONCE))
            koi.listen(lambda record: handle.stop() if isinstance(record.event, events.RunCompleted) else None)
            text = (await handle.result()).text
            return text, [one.state for one in koi.runs(koi.session)]

    assert ("done", ["finished"]) == asyncio.run(run())


def test_giving_up_the_wait_for_a_result_does_not_end_the_run(tmp_path: Path) -> None:
    async def run() -> str:
        async with opened(tmp_path / "work", tmp_path / "home", Scripted(["done"]), Pushing()) as koi:
            handle = koi.begin(Task("Say it", limits=ONCE))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(handle.result(), 0.0)
            return (await handle.result()).text

    assert "done" == asyncio.run(run())
