"""Store questions in memory, for programs that answer in the same process."""

import asyncio
from collections.abc import Sequence
from dataclasses import field

from openkoi_hookspecs import PendingQuestion, PluginNotFoundError
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class KeptQuestion:
    """A question, and its answer once it has one."""

    question: PendingQuestion
    answer: str | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class ProcessQuestions:
    """Keeps questions for as long as the process runs; other processes do not see them. Has no settings."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptQuestion] = {}

    async def put(self, question: PendingQuestion) -> str | None:
        """Keep a question, unless it is kept already; return its answer if it has one."""
        return self.kept.setdefault(question.id, KeptQuestion(question)).answer

    async def wait(self, id: str) -> str:
        """Wait for the answer; forever if the question is removed."""
        kept = self.kept[id]
        while kept.answer is None:
            await kept.answered.wait()
        return kept.answer

    async def pending(self) -> Sequence[PendingQuestion]:
        """Return the questions without an answer, oldest first."""
        return sorted((one.question for one in self.kept.values() if one.answer is None), key=lambda one: one.at)

    async def answer(self, id: str, answer: str) -> None:
        """Store the answer to a question; raise PluginNotFoundError if no question with that id is waiting."""
        kept = self.kept.get(id)
        if kept is None or kept.answer is not None:
            raise PluginNotFoundError("question", id, tuple(one.id for one in await self.pending()))
        kept.answer = answer
        kept.answered.set()

    async def remove(self, id: str) -> None:
        """Forget a question and its answer."""
        self.kept.pop(id, None)
