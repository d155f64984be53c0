"""A model is found where none is configured, and another program's key is used only where a person allows it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_files import Answers
from openkoi_hookspecs import DiscoveredProvider, NoProviderError, Question
from openkoi_models import Discovery, ModelChoice

THEIRS = DiscoveredProvider("acme", "one", "from Claude CLI", key="sk-theirs", consent="Use the login of Claude CLI?")
OURS = DiscoveredProvider("borg", "two", "from BORG_API_KEY")


class Person:
    """Says the same to every question; None when nobody is there."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, question: Question) -> str | None:
        """Answer."""
        self.asked.append(question.text)
        return self.answer


def discovery(
    folder: Path, found: Sequence[DiscoveredProvider], person: Person, lent: list[DiscoveredProvider]
) -> Discovery:
    async def look() -> Sequence[DiscoveredProvider]:
        return found

    return Discovery(look, person, lent.append, Answers(folder / "answers.json"))


def best(folder: Path, found: Sequence[DiscoveredProvider], person: Person) -> ModelChoice:
    return asyncio.run(discovery(folder, found, person, []).find())


@pytest.mark.row("ONB-05")
def test_a_person_is_asked_once_before_another_program_s_key_is_used(tmp_path: Path) -> None:
    person, lent = Person("yes"), list[DiscoveredProvider]()
    for _ in range(2):
        chosen = asyncio.run(discovery(tmp_path, [THEIRS, OURS], person, lent).find())
        assert ModelChoice("acme/one", "from Claude CLI") == chosen

    assert ["Use the login of Claude CLI?"] == person.asked
    assert [THEIRS, THEIRS] == lent


@pytest.mark.parametrize("answer", ["no", "n", " NO "])
def test_a_refusal_falls_through_and_is_remembered(tmp_path: Path, answer: str) -> None:
    person = Person(answer)

    assert ModelChoice("borg/two", "from BORG_API_KEY") == best(tmp_path, [THEIRS, OURS], person)
    assert ModelChoice("borg/two", "from BORG_API_KEY") == best(tmp_path, [THEIRS, OURS], person)
    assert 1 == len(person.asked)


@pytest.mark.parametrize("answer", ["yep", "what?", ""])
def test_an_answer_that_is_neither_is_no_permission_and_asked_again(tmp_path: Path, answer: str) -> None:
    assert "borg/two" == best(tmp_path, [THEIRS, OURS], Person(answer)).name
    assert "acme/one" == best(tmp_path, [THEIRS, OURS], Person("yes")).name


def test_where_nobody_is_there_nothing_is_allowed_and_nothing_remembered(tmp_path: Path) -> None:
    assert "borg/two" == best(tmp_path, [THEIRS, OURS], Person(None)).name
    assert "acme/one" == best(tmp_path, [THEIRS, OURS], Person("yes")).name


def test_where_there_is_nothing_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoProviderError, match="ANTHROPIC_API_KEY or OPENAI_API_KEY"):
        best(tmp_path, [DiscoveredProvider("acme", "", "saved")], Person("yes"))


def test_a_key_is_looked_for_where_one_is_missing(tmp_path: Path) -> None:
    lent: list[DiscoveredProvider] = []
    found = discovery(tmp_path, [OURS, THEIRS], Person("yes"), lent)

    assert asyncio.run(found.key_for("acme"))
    assert not asyncio.run(found.key_for("borg"))
    assert [THEIRS] == lent


def test_a_key_is_never_shown() -> None:
    assert "sk-theirs" not in repr(THEIRS)


def test_an_answer_file_that_is_damaged_only_means_that_one_is_asked_again(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "data" / "answers.json")
    answers.keep("a", "yes")
    (tmp_path / "data" / "answers.json").write_text("{")

    assert answers.get("a") is None
    answers.keep("b", "no")
    assert (None, "no") == (answers.get("a"), answers.get("b"))
    assert 0o600 == (tmp_path / "data" / "answers.json").stat().st_mode & 0o777
