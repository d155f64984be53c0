"""Questions are put to all who attend and to the store; the first answer counts, and nothing is asked of nobody."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openkoi.app import App
from openkoi_base.files import lock_run
from openkoi_hookspecs import (
    Ask,
    Cost,
    Decision,
    KoiError,
    Limits,
    NextAction,
    PendingQuestion,
    PluginNotFoundError,
    Question,
    Run,
    RunStoppedError,
    Task,
    ToolCall,
    events,
    hookimpl,
)
from openkoi_local import FileQuestions
from openkoi_testing import Scenario

PUSH = Question("Push it?", choices=("yes", "no"))
ASKS = ToolCall("a", "ask_user", {"question": "Which colour?"})
WRITES = ToolCall("w", "write_file", {"path": "a.txt", "content": "a"})
SLOW = 30.0
User = Callable[[Question], Awaitable[str | None]]


class Gate:
    """Ask before each tool call."""

    @hookimpl
    def before_tool(self, run: Run) -> Ask:
        return Ask("It writes.")


def opened(home: Path, *, wait: float = 0.0, **fields: object) -> App:
    settings = {"approvals.wait_seconds": wait, "use.checkpoints": "none"}
    return Scenario(settings=settings, **fields).build_app(home, home / "home")  # type: ignore[arg-type]  # a test's own


def says(answer: str | None, *, after: float = 0.0, heard: list[str] | None = None) -> User:
    """A frontend that answers so after a while, and notes what it was asked and whether it was called off."""

    async def user(question: Question) -> str | None:
        heard_by = [] if heard is None else heard
        heard_by.append(question.text)
        try:
            await asyncio.sleep(after)
        except asyncio.CancelledError:
            heard_by.append("called off")
            raise
        return answer

    return user


def ask(home: Path, *users: User, wait: float = 0.0) -> str | None:
    async def run() -> str | None:
        async with opened(home, wait=wait) as koi:
            for user in users:
                koi.attend(user)
            return await asyncio.wait_for(koi.ask(PUSH), 20)

    return asyncio.run(run())


def test_of_several_who_attend_the_first_answer_counts(tmp_path: Path) -> None:
    slow: list[str] = []

    assert "quick" == ask(tmp_path, says("slow", after=SLOW, heard=slow), says(None), says("quick", after=0.05))
    assert ["Push it?", "called off"] == slow


def test_when_all_who_attend_have_no_answer_there_is_none(tmp_path: Path) -> None:
    assert None is ask(tmp_path, says(None), says(None, after=0.05), wait=SLOW)


def test_one_that_fails_is_reported_and_counts_as_no_answer(tmp_path: Path) -> None:
    async def broken(question: Question) -> str | None:
        raise ValueError("no socket")

    async def run() -> tuple[str | None, Sequence[str]]:
        async with opened(tmp_path) as koi:
            koi.attend(broken)
            koi.attend(says("yes", after=0.05))
            return await koi.ask(PUSH), list(koi.services.warnings.texts)

    answer, warned = asyncio.run(run())
    assert "yes" == answer
    assert ["A frontend that answers questions failed: ValueError: no socket."] == warned


def test_a_frontend_that_does_not_wait_may_be_a_plain_function(tmp_path: Path) -> None:
    async def run() -> str | None:
        async with opened(tmp_path) as koi:
            koi.attend(lambda question: "yes" if "yes" in question.choices else None)
            return await koi.ask(PUSH)

    assert "yes" == asyncio.run(run())


def test_an_answer_that_is_not_a_text_is_reported_and_none(tmp_path: Path) -> None:
    async def run() -> tuple[str | None, Sequence[str]]:
        async with opened(tmp_path) as koi:
            koi.attend(lambda question: True)  # type: ignore[arg-type,return-value]  # as authors do by mistake
            return await koi.ask(PUSH), koi.warnings()

    answer, [warned] = asyncio.run(run())
    assert None is answer
    assert warned.endswith("ArgumentError: its answer is not a string or None: bool is not str or None.")


def test_a_run_that_is_begun_without_an_event_loop_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="No event loop is running"):
        opened(tmp_path).begin(Task("Write"))


def test_a_frontend_is_waited_for_no_longer_than_it_wants(tmp_path: Path) -> None:
    texts: list[str] = []

    async def run() -> str | None:
        async with opened(tmp_path) as koi:
            koi.attend(says("late", after=SLOW, heard=texts), timeout=0.05)
            return await koi.ask(PUSH)

    assert None is asyncio.run(run())
    assert ["Push it?", "called off"] == texts


def test_one_frontend_is_asked_one_question_at_a_time(tmp_path: Path) -> None:
    now = most = 0

    async def user(question: Question) -> str:
        nonlocal now, most
        now += 1
        most = max(now, most)
        await asyncio.sleep(0.02)
        now -= 1
        return question.text

    async def run() -> list[str | None]:
        async with opened(tmp_path) as koi:
            koi.attend(user)
            return await asyncio.gather(*(koi.ask(Question(f"Number {n}?")) for n in range(5)))

    assert [f"Number {n}?" for n in range(5)] == asyncio.run(run())
    assert 1 == most


def test_who_comes_later_is_asked_what_still_waits_and_who_goes_is_not(tmp_path: Path) -> None:
    gone: list[str] = []

    async def run() -> str | None:
        async with opened(tmp_path, wait=SLOW) as koi:
            end = koi.attend(says("never", after=SLOW, heard=gone))
            asking = asyncio.create_task(koi.ask(PUSH))
            await asyncio.sleep(0.05)
            end()
            end()
            await asyncio.sleep(0.05)
            koi.attend(says("yes"))
            return await asyncio.wait_for(asking, 10)

    assert "yes" == asyncio.run(run())
    assert ["Push it?", "called off"] == gone


def test_outside_runs_without_a_frontend_there_is_no_answer_and_nothing_is_kept(tmp_path: Path) -> None:
    assert None is ask(tmp_path)
    assert not (tmp_path / "home" / "data" / "questions").exists()


def test_outside_runs_a_question_waits_as_configured_and_is_answered_from_another_process(tmp_path: Path) -> None:
    async def run() -> tuple[str | None, list[object]]:
        async with opened(tmp_path, wait=SLOW) as koi, opened(tmp_path) as other:
            asking = asyncio.create_task(koi.ask(PUSH))
            while not (there := await other.pending_questions()):  # noqa: ASYNC110  # another process asks
                await asyncio.sleep(0.02)
            await other.answer_question(there[0].id[:6], "yes")
            answer = await asyncio.wait_for(asking, 10)
            kinds = (events.QuestionAsked, events.QuestionAnswered)
            reply = [(one.run, one.event) for one in koi.records(koi.session) if isinstance(one.event, kinds)]
            return answer, [there[0].run, there[0].alive, reply, await koi.pending_questions()]

    answer, [asking_run, alive, reply, left] = asyncio.run(run())
    assert ("yes", "", True, []) == (answer, asking_run, alive, left)
    assert [("", "Push it?"), ("", "yes")] == [(run, getattr(one, "text", None) or one.answer) for run, one in reply]  # type: ignore[attr-defined]  # they are events


def test_a_question_of_a_program_that_is_gone_is_gone(tmp_path: Path) -> None:
    async def run() -> Sequence[PendingQuestion]:
        async with opened(tmp_path) as koi:
            await FileQuestions(folder=tmp_path / "home" / "data" / "questions").put(
                PendingQuestion("4f2a", "", datetime.now(UTC).isoformat(), PUSH)
            )
            return await koi.pending_questions()

    assert [] == asyncio.run(run())


def test_a_secret_is_asked_here_alone_and_not_logged(tmp_path: Path) -> None:
    secret = replace(PUSH, secret=True)

    async def run() -> tuple[str | None, list[str]]:
        async with opened(tmp_path, wait=SLOW) as koi:
            koi.attend(says("sk-1", after=0.05))
            asking = asyncio.create_task(koi.ask(secret))
            await asyncio.sleep(0.02)
            waiting = await koi.pending_questions()
            return await asking, [*(one.id for one in waiting), *(one.event.name for one in koi.records(koi.session))]

    assert ("sk-1", []) == asyncio.run(run())


def test_a_run_s_question_is_alive_while_it_is_under_way(tmp_path: Path) -> None:
    async def run() -> list[bool]:
        async with opened(tmp_path) as koi:
            at = datetime.now(UTC).isoformat()
            questions = FileQuestions(folder=tmp_path / "home" / "data" / "questions")
            await questions.put(PendingQuestion("4f2a", "part", at, PUSH, outermost="whole", session="s-1"))
            with lock_run(koi.services.running, "whole"):
                alive = [one.alive for one in await koi.pending_questions()]
            return [*alive, *(one.alive for one in await koi.pending_questions())]

    assert [True, False] == asyncio.run(run())


@pytest.mark.parametrize(("ended", "kept"), [(None, True), (NextAction.ESCALATE, True), (NextAction.ACCEPT, False)])
def test_a_question_of_a_run_that_came_to_its_end_is_gone(tmp_path: Path, ended: NextAction | None, kept: bool) -> None:
    async def run() -> Sequence[PendingQuestion]:
        async with opened(tmp_path) as koi:
            at = datetime.now(UTC).isoformat()
            store = FileQuestions(folder=tmp_path / "home" / "data" / "questions")
            await store.put(PendingQuestion("4f2a", "part", at, PUSH, outermost="whole", session=koi.session))
            koi.services.publish("whole", [events.TaskStarted(Task("Write"))])
            koi.services.publish("part", [events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost())])
            if ended:
                koi.services.publish("whole", [events.RunCompleted(Decision(ended, "so"), Cost())])
            return await koi.pending_questions()

    assert kept == bool(asyncio.run(run()))


def test_what_a_run_asked_in_vain_is_forgotten_when_the_run_ends_without_it(tmp_path: Path) -> None:
    async def run() -> tuple[str, list[Path]]:
        async with opened(tmp_path, says=[ASKS, "Blue."]) as koi:
            result = await koi.solve(Task("Paint", limits=Limits(iterations=0)))
            return result.text, list((tmp_path / "home" / "data" / "questions").glob("*.json"))

    assert ("Blue.", []) == asyncio.run(run())


def test_what_a_run_asks_twice_is_on_offer_until_nobody_waits_for_it(tmp_path: Path) -> None:
    seen: list[int] = []

    class Twice:
        @hookimpl
        async def before_plan(self, run: Run) -> None:
            patient = asyncio.create_task(run.ask(PUSH))
            with suppress(TimeoutError):
                await asyncio.wait_for(run.ask(PUSH), 0.05)
            seen.append(len(await run.koi.pending_questions()))
            patient.cancel()
            await asyncio.gather(patient, return_exceptions=True)
            seen.append(len(await run.koi.pending_questions()))

    async def run() -> None:
        async with opened(tmp_path, wait=SLOW, says=["done"], plugins={"twice": Twice()}) as koi:
            await koi.solve(Task("First", limits=Limits(iterations=0)))

    asyncio.run(run())
    assert [1, 0] == seen


def test_a_question_of_a_run_that_is_stopped_while_the_user_is_asked_stays_for_its_resume(tmp_path: Path) -> None:
    gate = {"gate": Gate()}

    async def run() -> tuple[bool, list[str]]:
        async with opened(tmp_path, wait=SLOW, says=[WRITES, "Written."], plugins=gate) as koi:
            handle = koi.begin(Task("Write", limits=Limits(iterations=0)))
            while not await koi.pending_questions():  # noqa: ASYNC110  # as another process would
                await asyncio.sleep(0.02)
            handle.stop()
            with pytest.raises(RunStoppedError):
                await handle.result()
            [question] = await koi.pending_questions()
            await koi.answer_question(question.id, "yes")
            resumed = await koi.resume(handle.id).result()
            return question.alive, [resumed.text, *(one.id for one in await koi.pending_questions())]

    assert (False, ["Written."]) == asyncio.run(run())


def test_what_a_program_no_longer_waits_for_is_withdrawn(tmp_path: Path) -> None:
    async def run() -> tuple[int, list[str | None]]:
        async with opened(tmp_path, wait=SLOW) as koi:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(koi.ask(PUSH), 0.05)
            reply = [one.event for one in koi.records(koi.session)]
            answers = [one.answer for one in reply if isinstance(one, events.QuestionAnswered)]
            return len(await koi.pending_questions()), answers

    assert (0, [None]) == asyncio.run(run())


def test_several_that_begin_alike_and_none_cannot_be_answered(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(tmp_path) as koi:
            store = FileQuestions(folder=tmp_path / "home" / "data" / "questions")
            for id in ("4f2a", "4f77"):
                at = datetime.now(UTC).isoformat()
                await store.put(PendingQuestion(id, "r", at, PUSH, outermost="r", session="s-1"))
            with pytest.raises(KoiError, match="Several questions start with '4f': 4f2a, 4f77"):
                await koi.answer_question("4f", "yes")
            with pytest.raises(PluginNotFoundError, match="4f2a, 4f77"):
                await koi.answer_question("77", "yes")

    asyncio.run(run())


def test_a_store_that_fails_leaves_the_question_to_who_attends(tmp_path: Path) -> None:
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "home" / "data" / "questions").write_text("a file where a folder should be")

    async def run() -> tuple[str | None, str]:
        async with opened(tmp_path) as koi:
            koi.attend(says("yes"))
            return await koi.ask(PUSH), " ".join(koi.services.warnings.texts)

    answer, warned = asyncio.run(run())
    assert ("yes", True) == (answer, "Questions cannot be answered from another process" in warned)


def trusting(digest: str) -> Question:
    return Question("Trust it?", choices=("yes", "no"), keep=True, digest=digest)


def test_consent_is_asked_for_once_in_runs_and_outside_and_again_when_the_content_changes(tmp_path: Path) -> None:
    texts: list[str] = []

    class Wary:
        @hookimpl
        async def before_plan(self, task: Task, run: Run) -> None:
            texts.append(f"{task.text}: {await run.ask(trusting('one'))}")

    async def run() -> list[str | None]:
        async with opened(tmp_path, says=["done"], plugins={"wary": Wary()}) as koi:
            koi.attend(says("yes", heard=texts))
            await koi.solve(Task("First", limits=Limits(iterations=0)))
        async with opened(tmp_path, says=["done"], plugins={"wary": Wary()}) as koi:
            await koi.solve(Task("Second", limits=Limits(iterations=0)))
            return [await koi.ask(trusting(digest)) for digest in ("one", "two")]

    assert ["yes", None] == asyncio.run(run())
    assert ["Trust it?", "First: yes", "Second: yes"] == texts


def test_consent_that_is_revoked_is_asked_for_again(tmp_path: Path) -> None:
    async def run() -> list[object]:
        async with opened(tmp_path) as koi:
            koi.keep_consent(trusting("one"), "yes")
            reply: list[object] = [await koi.ask(trusting("one")), koi.consent("one")]
            [consent] = koi.consents()
            koi.revoke_consent(consent.id[:6])
            return [*reply, koi.consent("one"), await koi.ask(trusting("one")), list(koi.consents())]

    assert ["yes", "yes", None, None, []] == asyncio.run(run())


def test_an_answer_that_cannot_be_kept_holds_this_time_and_that_is_said(tmp_path: Path) -> None:
    async def run() -> tuple[str | None, str]:
        async with opened(tmp_path) as koi:
            (tmp_path / "home" / "data" / "consents.json" / "full").mkdir(parents=True)
            koi.attend(says("yes"))
            return await koi.ask(trusting("one")), " ".join(koi.services.warnings.texts)

    answer, warned = asyncio.run(run())
    assert ("yes", True) == (answer, "so you will be asked again: " in warned)


def test_a_secret_in_a_question_is_kept_masked(tmp_path: Path) -> None:
    async def run() -> str:
        async with opened(tmp_path) as koi:
            koi.conceal("hunter2hunter2")
            koi.attend(says("yes"))
            await koi.ask(replace(trusting("one"), text="Send hunter2hunter2?"))
            return (tmp_path / "home" / "data" / "consents.json").read_text()

    assert "hunter2" not in asyncio.run(run())
