"""Questions that wait for a person, each in a file of its own, so that they can be answered from wherever one is.

Knows one folder; asks nobody. Who may read the folder may answer; it is its user's alone.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from openkoi_hookspecs import KoiError, PendingQuestion, PluginNotFoundError, Question

from .private import read_text, replace_file

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Questions:
    """What was asked and not answered yet, and what was answered and not heard yet."""

    folder: Path

    def put(self, waiting: PendingQuestion) -> None:
        """Let a question wait; one that waits already stays as it is."""
        if self.read(self.file(waiting.id)) is None:
            replace_file(self.file(waiting.id), json.dumps({"waiting": asdict(waiting)}, indent=1))

    def pending_questions(self) -> list[PendingQuestion]:
        """What nobody has answered yet, the oldest first."""
        there = (self.read(file) for file in self.folder.glob("*.json"))
        return sorted((one[0] for one in there if one and one[1] is None), key=lambda waiting: waiting.at)

    def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question by its id or the beginning of it.

        Raises PluginNotFoundError, or KoiError for a doubtful one.
        """
        there = self.pending_questions()
        meant = [one for one in there if one.id.startswith(id)]
        if len(meant) > 1:
            raise KoiError(f"Several questions begin with {id!r}: {', '.join(one.id[:SHOWN] for one in meant)}.")
        if not meant:
            raise PluginNotFoundError("question", id, tuple(one.id[:SHOWN] for one in there))
        replace_file(self.file(meant[0].id), json.dumps({"waiting": asdict(meant[0]), "answer": answer}, indent=1))
        return meant[0]

    def answered(self, id: str) -> str | None:
        """What was answered, if it was."""
        found = self.read(self.file(id))
        return found[1] if found else None

    def remove(self, id: str) -> None:
        """The answer was heard, or nobody wants one any more."""
        with suppress(OSError):
            self.file(id).unlink(missing_ok=True)

    def file(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def read(self, file: Path) -> tuple[PendingQuestion, str | None] | None:
        """A question and its answer; a file that cannot be read holds none."""
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            known = json.loads(read_text(file))
            asked = known["waiting"]
            question = Question(**{**asked["question"], "choices": tuple(asked["question"]["choices"])})
            waiting, answer = PendingQuestion(**{**asked, "question": question}), known.get("answer")
            texts = (waiting.id, waiting.run, waiting.at, question.text, question.digest, *question.choices)
            if all(isinstance(text, str) for text in (*texts, answer or "")) and waiting.id == file.stem:
                return waiting, answer
        return None
