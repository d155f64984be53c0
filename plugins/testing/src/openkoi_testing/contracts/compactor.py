"""Test what every ``Compactor`` promises, whether it omits turns or summarizes them. Inherit it::

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

from ..scenario import make_run

TASK = "Build a pond."
LATEST = 2
TURN_COUNTS = (0, 1, 2, 3, 4, 7, 12)
MAX_COMPACTIONS = 8


def build_conversation(seed: int) -> list[Message]:
    """Return a conversation as runs have them: a task, and turns with calls, remarks of users, or both."""
    chance, messages = Random(seed), [Message.user(TASK)]
    for number in range(seed):
        messages += build_turn(number, chance.randrange(4), chance.choice(("", f"Remark {number}: mind the frogs.")))
    return messages


def build_turn(number: int, calls: int, remark: str) -> list[Message]:
    """Return the model's calls, and the results."""
    asked = tuple(ToolCall(f"call-{n}", "read_file", {"path": f"{number}.md"}) for n in range(calls))
    results = tuple(ToolResult(f"Water, {number} times over. " * 40, call=call.id) for call in asked)
    remarks = (Text(remark or "Go on."),) if remark or not calls else ()
    return [Message(Role.ASSISTANT, (Text(f"I dig, day {number}."), *asked)), Message.user(*results, *remarks)]


def all_parts(messages: Sequence[Message]) -> list[Part]:
    """Return all parts of both sides."""
    return [part for message in messages for part in message.parts]


def user_texts(messages: Sequence[Message]) -> list[str]:
    """Return the texts of one side."""
    return [part.text for part in all_parts([m for m in messages if m.role is Role.USER]) if isinstance(part, Text)]


def call_ids(message: Message) -> list[str]:
    """Return the ids of the calls that a message makes."""
    return [part.id for part in message.parts if isinstance(part, ToolCall)]


def result_ids(message: Message) -> list[str]:
    """Return the ids of the calls that a message answers."""
    return [part.call for part in message.parts if isinstance(part, ToolResult)]


def is_subsequence(wanted: Sequence[str], there: Sequence[str]) -> bool:
    """Return whether the sequence contains these items, one after another."""
    left = iter(there)
    return all(any(one == other for other in left) for one in wanted)


class CompactorContract:
    """Set ``subject``. A model that it calls returns the lines of ``says`` in turn, then repeats the last."""

    subject: ClassVar[Compactor]
    says: ClassVar[Sequence[str]] = ("The pond is dug.",)

    @pytest.fixture(params=TURN_COUNTS, ids="{} turns".format)
    def conversation(self, request: pytest.FixtureRequest) -> list[Message]:
        """Return a conversation before it is compacted."""
        return build_conversation(request.param)

    def compact(self, conversation: Sequence[Message], workspace: Path, times: int = 1) -> Sequence[Message]:
        """Return the conversation after a number of compactions."""

        async def again() -> Sequence[Message]:
            shorter = conversation
            async with make_run(workspace, task=TASK, says=self.says) as run:
                for _ in range(times):
                    shorter = await self.subject.compact(shorter, run)
            return shorter

        return asyncio.run(again())

    def test_it_is_never_longer(self, conversation: list[Message], tmp_path: Path) -> None:
        """A compacted conversation never has more messages or parts than before."""
        shorter = self.compact(conversation, tmp_path)

        assert len(shorter) <= len(conversation)
        assert len(all_parts(shorter)) <= len(all_parts(conversation))

    def test_the_sides_take_turns(self, conversation: list[Message], tmp_path: Path) -> None:
        """Vendors reject a conversation in which one side speaks twice, or has an empty message."""
        shorter = self.compact(conversation, tmp_path, times=2)

        assert "" == shortening_error(shorter, conversation)
        assert all(message.parts for message in shorter)

    def test_a_call_and_its_result_go_together(self, conversation: list[Message], tmp_path: Path) -> None:
        """Ids may recur in later turns: their position pairs them."""
        shorter = self.compact(conversation, tmp_path, times=2)

        assert not result_ids(shorter[0])
        assert all(call_ids(remarks) == result_ids(answered) for remarks, answered in pairwise(shorter))

    def test_user_messages_stay_word_for_word(self, conversation: list[Message], tmp_path: Path) -> None:
        """The task first; remarks in their order."""
        shorter = self.compact(conversation, tmp_path, times=3)

        assert TASK == user_texts(shorter)[0]
        assert is_subsequence(user_texts(conversation), user_texts(shorter))

    def test_the_latest_turns_stay(self, conversation: list[Message], tmp_path: Path) -> None:
        """The model's current step is preserved."""
        latest = conversation[max(1, len(conversation) - 2 * LATEST) :]
        shorter = list(self.compact(conversation, tmp_path, times=3))

        assert latest == shorter[len(shorter) - len(latest) :]

    def test_it_comes_to_an_end_and_then_changes_nothing(self, conversation: list[Message], tmp_path: Path) -> None:
        """If nothing can be shortened, it returns the conversation unchanged."""
        least = self.compact(conversation, tmp_path, times=MAX_COMPACTIONS)

        assert list(least) == list(self.compact(least, tmp_path))

    def test_what_it_was_given_is_not_changed(self, conversation: list[Message], tmp_path: Path) -> None:
        """The kernel keeps the old conversation until it has checked the new one."""
        before = list(conversation)

        self.compact(conversation, tmp_path)

        assert before == conversation

    def test_a_long_one_becomes_shorter(self, tmp_path: Path) -> None:
        """Otherwise, compaction would be useless."""
        conversation = build_conversation(12)

        assert len(all_parts(conversation)) > len(all_parts(self.compact(conversation, tmp_path)))
