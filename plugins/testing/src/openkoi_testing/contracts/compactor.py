"""What every `Compactor` promises, whether it leaves turns out or has them summed up. Inherit it::

class TestContract(CompactorContract):
    subject = RollingWindow()
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from openkoi_hookspecs import Compactor, Message, Part, Role, Text, ToolCall, ToolResult
from openkoi_prompt.conversation import shortening_error

from ..rehearsing import lend

TASK = "Build a pond."
LATEST = 2
STORIES = (0, 1, 2, 3, 4, 7, 12)
SETTLED = 8


def story(seed: int) -> list[Message]:
    """A conversation as runs have them: a task, and turns with calls, remarks of people, or both."""
    chance, told = Random(seed), [Message.user(TASK)]
    for number in range(seed):
        told += turn(number, chance.randrange(4), chance.choice(("", f"Remark {number}: mind the frogs.")))
    return told


def turn(number: int, calls: int, remark: str) -> list[Message]:
    """What the model asks for, and what it is answered."""
    asked = tuple(ToolCall(f"call-{n}", "read_file", {"path": f"{number}.md"}) for n in range(calls))
    results = tuple(ToolResult(f"Water, {number} times over. " * 40, call=call.id) for call in asked)
    said = (Text(remark or "Go on."),) if remark or not calls else ()
    return [Message(Role.ASSISTANT, (Text(f"I dig, day {number}."), *asked)), Message.user(*results, *said)]


def parts_of(messages: Sequence[Message]) -> list[Part]:
    """All that is said, by either side."""
    return [part for message in messages for part in message.parts]


def people_said(messages: Sequence[Message]) -> list[str]:
    """The texts of one side."""
    return [part.text for part in parts_of([m for m in messages if m.role is Role.USER]) if isinstance(part, Text)]


def calls_in(message: Message) -> list[str]:
    """The calls that a message makes."""
    return [part.id for part in message.parts if isinstance(part, ToolCall)]


def results_in(message: Message) -> list[str]:
    """The calls that a message answers."""
    return [part.call for part in message.parts if isinstance(part, ToolResult)]


def in_order(wanted: Sequence[str], there: Sequence[str]) -> bool:
    """Whether all of these are there, one after another."""
    left = iter(there)
    return all(any(one == other for other in left) for one in wanted)


class CompactorContract:
    """Set ``subject``. A model that is asked to sum up says these lines in turn, and the last one again and again."""

    subject: ClassVar[Compactor]
    says: ClassVar[Sequence[str]] = ("The pond is dug.",)

    @pytest.fixture(params=STORIES, ids="{} turns".format)
    def whole(self, request: pytest.FixtureRequest) -> list[Message]:
        """A conversation before it is made shorter."""
        return story(request.param)

    def compacted(self, whole: Sequence[Message], workspace: Path, times: int = 1) -> Sequence[Message]:
        """The conversation after so many times."""

        async def again() -> Sequence[Message]:
            shorter = whole
            async with lend(workspace, task=TASK, says=self.says) as run:
                for _ in range(times):
                    shorter = await self.subject.compact(shorter, run)
            return shorter

        return asyncio.run(again())

    def test_it_is_never_longer(self, whole: list[Message], tmp_path: Path) -> None:
        """More messages or parts than before would be the opposite of what was asked for."""
        shorter = self.compacted(whole, tmp_path)

        assert len(shorter) <= len(whole)
        assert len(parts_of(shorter)) <= len(parts_of(whole))

    def test_the_sides_take_turns(self, whole: list[Message], tmp_path: Path) -> None:
        """No vendor takes a conversation in which one side speaks twice, or says nothing."""
        shorter = self.compacted(whole, tmp_path, times=2)

        assert "" == shortening_error(shorter, whole)
        assert all(message.parts for message in shorter)

    def test_a_call_and_its_result_go_together(self, whole: list[Message], tmp_path: Path) -> None:
        """Ids may come again in later turns: what pairs them is where they stand."""
        shorter = self.compacted(whole, tmp_path, times=2)

        assert not results_in(shorter[0])
        assert all(calls_in(said) == results_in(answered) for said, answered in pairwise(shorter))

    def test_what_people_said_stays_word_for_word(self, whole: list[Message], tmp_path: Path) -> None:
        """The task first; remarks in their order."""
        shorter = self.compacted(whole, tmp_path, times=3)

        assert TASK == people_said(shorter)[0]
        assert in_order(people_said(whole), people_said(shorter))

    def test_the_latest_turns_stay(self, whole: list[Message], tmp_path: Path) -> None:
        """What the model is doing just now it must not forget."""
        latest = whole[max(1, len(whole) - 2 * LATEST) :]
        shorter = list(self.compacted(whole, tmp_path, times=3))

        assert latest == shorter[len(shorter) - len(latest) :]

    def test_it_comes_to_an_end_and_then_changes_nothing(self, whole: list[Message], tmp_path: Path) -> None:
        """The very same again: whoever asked can see that it cannot be made shorter."""
        least = self.compacted(whole, tmp_path, times=SETTLED)

        assert list(least) == list(self.compacted(least, tmp_path))

    def test_what_it_was_given_is_not_changed(self, whole: list[Message], tmp_path: Path) -> None:
        """The kernel keeps it for as long as the new one has not been looked at."""
        before = list(whole)

        self.compacted(whole, tmp_path)

        assert before == whole

    def test_a_long_one_becomes_shorter(self, tmp_path: Path) -> None:
        """Otherwise it would be of no use."""
        whole = story(12)

        assert len(parts_of(whole)) > len(parts_of(self.compacted(whole, tmp_path)))
