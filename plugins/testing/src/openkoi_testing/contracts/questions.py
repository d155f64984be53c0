"""Test what every store of questions promises: a question waits until it is answered, once, from anywhere."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_hookspecs import YES_OR_NO, PendingQuestion, PluginNotFoundError, Question, Questions

PUSH = Question("Push it?\nIt cannot be undone. \u00e4\u732b", choices=YES_OR_NO, digest="d1")
FIRST = PendingQuestion("4f2a", "run-1", "2126-01-01T00:00:00+00:00", PUSH, outermost="run-0", session="s-1")
SECOND = PendingQuestion("77aa", "", "2126-01-02T00:00:00+00:00", Question("What should be done?"))
TIMEOUT_SECONDS = 10.0


class QuestionsContract:
    """Inherit it: ``class TestMine(QuestionsContract): subject = staticmethod(mine)``.

    ``mine`` gets a private folder.
    """

    subject: Callable[[Path], Questions]

    @pytest.fixture
    def questions(self, tmp_path: Path) -> Questions:
        """Return the store under test."""
        return self.subject(tmp_path / "questions")

    def test_nothing_waits_before_anything_is_asked(self, questions: Questions) -> None:
        assert [] == list(asyncio.run(questions.pending()))

    def test_a_question_waits_as_it_was_asked_until_it_is_answered(self, questions: Questions) -> None:
        async def ask_and_answer() -> None:
            assert None is await questions.put(FIRST)
            assert [FIRST] == list(await questions.pending())
            await questions.answer("4f2a", "no: not yet")
            assert [] == list(await questions.pending())
            assert "no: not yet" == await questions.wait("4f2a")

        asyncio.run(ask_and_answer())

    def test_an_answer_reaches_every_waiting_caller(self, questions: Questions) -> None:
        async def wait_and_answer() -> str:
            await questions.put(FIRST)
            await questions.put(SECOND)
            waiting = asyncio.create_task(questions.wait("4f2a"))
            await asyncio.sleep(0)
            await questions.answer("77aa", "nothing")
            await questions.answer("4f2a", "yes")
            return await asyncio.wait_for(waiting, TIMEOUT_SECONDS)

        assert "yes" == asyncio.run(wait_and_answer())

    def test_a_question_that_was_answered_before_it_is_asked_again_has_its_answer(self, questions: Questions) -> None:
        async def ask_twice() -> list[str | None]:
            answers = [await questions.put(FIRST), await questions.put(FIRST)]
            await questions.answer("4f2a", "yes")
            return [*answers, await questions.put(replace(FIRST, at=SECOND.at))]

        assert [None, None, "yes"] == asyncio.run(ask_twice())

    def test_the_first_answer_stays(self, questions: Questions) -> None:
        async def answer_twice() -> str:
            await questions.put(FIRST)
            await questions.answer("4f2a", "yes")
            with pytest.raises(PluginNotFoundError):
                await questions.answer("4f2a", "no")
            return await questions.wait("4f2a")

        assert "yes" == asyncio.run(answer_twice())

    def test_one_that_does_not_wait_cannot_be_answered(self, questions: Questions) -> None:
        async def answer() -> None:
            await questions.put(FIRST)
            with pytest.raises(PluginNotFoundError, match="4f2a"):
                await questions.answer("4f", "yes")

        asyncio.run(answer())

    def test_the_oldest_comes_first(self, questions: Questions) -> None:
        async def ask() -> list[str]:
            await questions.put(SECOND)
            await questions.put(FIRST)
            return [one.id for one in await questions.pending()]

        assert ["4f2a", "77aa"] == asyncio.run(ask())

    def test_what_is_removed_is_forgotten_with_its_answer(self, questions: Questions) -> None:
        async def remove() -> list[object]:
            await questions.put(FIRST)
            await questions.answer("4f2a", "yes")
            await questions.remove("4f2a")
            await questions.remove("4f2a")
            return [*await questions.pending(), await questions.put(FIRST)]

        assert [None] == asyncio.run(remove())

    def test_who_waits_no_longer_leaves_the_question(self, questions: Questions) -> None:
        async def give_up() -> list[PendingQuestion]:
            await questions.put(FIRST)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(questions.wait("4f2a"), 0.01)
            return list(await questions.pending())

        assert [FIRST] == asyncio.run(give_up())
