"""A model is found where none is configured, and another program's key is used only where a person allows it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from openkoi_hookspecs import ConsentMissingError, DiscoveredProvider, NoProviderError, Question
from openkoi_models import Discovery, ModelChoice

THEIRS = DiscoveredProvider("acme", "one", "from Claude CLI", key="sk-theirs", consent="Use the login of Claude CLI?")
OURS = DiscoveredProvider("borg", "two", "from BORG_API_KEY")


class User:
    """Says the same to every question; None for no answer."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def __call__(self, question: Question) -> str | None:
        """Answer."""
        self.asked.append(question)
        return self.answer


def discovery(found: Sequence[DiscoveredProvider], user: User, providers: list[DiscoveredProvider]) -> Discovery:
    async def look() -> Sequence[DiscoveredProvider]:
        return found

    return Discovery(look, user, providers.append)


def best(found: Sequence[DiscoveredProvider], user: User) -> ModelChoice:
    return asyncio.run(discovery(found, user, []).find())


@pytest.mark.row("ONB-05")
def test_the_user_is_asked_for_consent_that_is_kept_before_another_program_s_key_is_used() -> None:
    user, providers = User("yes"), list[DiscoveredProvider]()

    assert ModelChoice("acme/one", "from Claude CLI") == asyncio.run(discovery([THEIRS, OURS], user, providers).find())
    [question] = user.asked
    assert ("Use the login of Claude CLI?", True) == (question.text, question.keep)
    assert [THEIRS] == providers


def test_another_origin_or_another_question_is_another_consent() -> None:
    user = User("no")
    others = [THEIRS, replace(THEIRS, origin="from Keychain"), replace(THEIRS, consent="Use it?")]

    assert "borg/two" == best([*others, OURS], user).name
    assert 3 == len({question.digest for question in user.asked})


@pytest.mark.parametrize("answer", ["no", "n", " NO ", "yep", "what?", "", None])
def test_anything_but_a_yes_falls_through(answer: str | None) -> None:
    assert ModelChoice("borg/two", "from BORG_API_KEY") == best([THEIRS, OURS], User(answer))


def test_without_an_answer_and_without_another_way_it_says_what_was_asked() -> None:
    with pytest.raises(ConsentMissingError, match=r"Use the login of Claude CLI\? No answer"):
        best([THEIRS], User(None))
    with pytest.raises(NoProviderError, match="No model is configured") as refused:
        best([THEIRS], User("no"))
    assert not isinstance(refused.value, ConsentMissingError)


def test_where_there_is_nothing_it_says_what_to_do() -> None:
    with pytest.raises(NoProviderError, match="ANTHROPIC_API_KEY or OPENAI_API_KEY"):
        best([DiscoveredProvider("acme", "", "saved")], User("yes"))


def test_a_key_is_looked_for_where_one_is_missing() -> None:
    providers: list[DiscoveredProvider] = []
    found = discovery([OURS, THEIRS], User("yes"), providers)

    assert asyncio.run(found.key_for("acme"))
    assert not asyncio.run(found.key_for("borg"))
    assert [THEIRS] == providers


def test_a_key_is_never_shown() -> None:
    assert "sk-theirs" not in repr(THEIRS)
