"""Store questions in a folder, one file each, so that every process of the folder's owner can list and answer them."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, NamedTuple

from openkoi_base.files import lock_beside, private_folder, read_small_text, replace_file
from openkoi_hookspecs import DataDir, PendingQuestion, PluginNotFoundError, Question

POLL_SECONDS = 0.2


class Kept(NamedTuple):
    """A question, and its answer if it has one."""

    question: PendingQuestion
    answer: str | None


class FileQuestions:
    """Keeps questions in files. Settings: ``[questions.files]``; ``days`` is how long a question is kept."""

    def __init__(self, *, folder: Annotated[Path, DataDir("questions")], days: int = 30) -> None:
        self.folder = folder
        self.days = days

    async def put(self, question: PendingQuestion) -> str | None:
        """Keep a question, unless it is kept already; return its answer if it has one."""
        private_folder(self.folder)
        with lock_beside(self.folder / "questions"):
            kept = self.read(self.file(question.id))
            if kept is None:
                self.write(Kept(question, None))
        return kept.answer if kept else None

    async def wait(self, id: str) -> str:
        """Poll for the answer."""
        while (kept := self.read(self.file(id))) is None or kept.answer is None:  # noqa: ASYNC110  # another process
            await asyncio.sleep(POLL_SECONDS)
        return kept.answer

    async def pending(self) -> Sequence[PendingQuestion]:
        """Return the questions without an answer, oldest first; remove those that are too old."""
        kept = list(self.kept_long_enough())
        return sorted((one.question for one in kept if one.answer is None), key=lambda question: question.at)

    async def answer(self, id: str, answer: str) -> None:
        """Store the answer to a question; raise PluginNotFoundError if no question with that id is waiting."""
        private_folder(self.folder)
        with lock_beside(self.folder / "questions"):
            kept = self.read(self.file(id))
            if kept is None or kept.answer is not None:
                from openkoi_base.files.short_ids import SHORT_ID_LENGTH

                raise PluginNotFoundError(
                    "question", id, tuple(one.id[:SHORT_ID_LENGTH] for one in await self.pending())
                )
            self.write(Kept(kept.question, answer))

    async def remove(self, id: str) -> None:
        """Forget a question and its answer."""
        with suppress(OSError):
            self.file(id).unlink(missing_ok=True)

    def kept_long_enough(self) -> Iterator[Kept]:
        """Yield the stored questions, and remove those asked too long ago."""
        oldest = datetime.now(UTC) - timedelta(days=self.days)
        for file in self.folder.glob("*.json"):
            kept = self.read(file)
            if kept and asked_at(kept.question) < oldest:
                file.unlink(missing_ok=True)
            elif kept:
                yield kept

    def file(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def write(self, kept: Kept) -> None:
        replace_file(self.file(kept.question.id), json.dumps(kept._asdict() | {"question": asdict(kept.question)}))

    def read(self, file: Path) -> Kept | None:
        """Return the question in a file; None if the file is missing or damaged."""
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            known = json.loads(read_small_text(file))
            asked = known["question"]
            question = Question(**{**asked["question"], "choices": tuple(asked["question"]["choices"])})
            kept = Kept(PendingQuestion(**{**asked, "question": question}), known.get("answer"))
            if is_sound(kept, file.stem):
                return kept
        return None


def is_sound(kept: Kept, id: str) -> bool:
    """Return whether all fields of a stored question have the right type."""
    one, question = kept.question, kept.question.question
    texts = (one.id, one.run, one.at, one.outermost, one.session, question.text, question.digest, *question.choices)
    return one.id == id and all(isinstance(text, str) for text in (*texts, kept.answer or ""))


def asked_at(question: PendingQuestion) -> datetime:
    """Return when a question was asked; the current time if that cannot be read."""
    try:
        at = datetime.fromisoformat(question.at)
    except ValueError:
        return datetime.now(UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
