"""Ask a person: here at the terminal, or wherever the question is answered by its id; who answers first is heard.

Knows questions and who is there; knows no tool, plan or file but those that wait.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from openkoi_hookspecs import PendingQuestion, Question

from .questions import Questions

Person = Callable[[Question], Coroutine[Any, Any, str | None]]
LOOKING = 0.2


@dataclass(slots=True)
class Asker:
    """Asks for one house. ``person`` is who sits here; without one, answers are waited for ``patience`` seconds.

    ``redact`` masks secrets in what is shown and kept.
    """

    kept: Questions
    patience: float = 0.0
    person: Person | None = None
    redact: Callable[[str], str] = str
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, question: Question, run: str = "") -> str | None:
        """The answer; None when there is none. What a run asks, and nobody answers now, goes on waiting for its id."""
        id, question = self.prepare(question, run)
        if not run or question.secret:
            return await self.here(question)
        self.kept.put(PendingQuestion(id, run, datetime.now(UTC).isoformat(), question))
        answer = await self.first(question, id)
        if answer is not None:
            self.kept.remove(id)
        return answer

    def prepare(self, question: Question, run: str) -> tuple[str, Question]:
        """Return the id of a question and the question without secrets: the same when a resumed run asks again."""
        masked = replace(question, text=self.redact(question.text))
        return name_of(masked, run), masked

    async def first(self, question: Question, id: str) -> str | None:
        """What is answered first, here or elsewhere."""
        if (known := self.kept.answered(id)) is not None:
            return known
        here = asyncio.create_task(self.here(question) if self.person else asyncio.sleep(self.patience))
        elsewhere = asyncio.create_task(self.elsewhere(id))
        try:
            await asyncio.wait((here, elsewhere), return_when=asyncio.FIRST_COMPLETED)
            return elsewhere.result() if elsewhere.done() else here.result()
        finally:
            for waiting in (here, elsewhere):
                waiting.cancel()
            await asyncio.gather(here, elsewhere, return_exceptions=True)

    async def here(self, question: Question) -> str | None:
        """Ask who sits here, one thing at a time."""
        if self.person is None:
            return None
        async with self.turn:
            return await self.person(question)

    async def elsewhere(self, id: str) -> str:
        """Wait for an answer from another terminal, or another program."""
        while (answer := self.kept.answered(id)) is None:  # noqa: ASYNC110  another process writes it: no event
            await asyncio.sleep(LOOKING)
        return answer


def name_of(question: Question, run: str) -> str:
    """A question's id: the same whenever the same run asks the same."""
    return sha256(f"{run} {question.digest or question.text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
