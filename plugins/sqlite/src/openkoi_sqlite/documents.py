"""What can be found, and on which shelf it stands: a project's own, or everyone's. Knows no database."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Learning, Memo, Passage, Record, Standing
from openkoi_hookspecs.events import LearningSaved

from .stories import Story, text_of
from .words import line_of

EVERYONE = "everyone"
SHOWN = frozenset({Standing.PROBATION, Standing.ACTIVE})


@dataclass(frozen=True, slots=True)
class Document:
    """A memo and where it stands. ``keys`` are the files, tools and names that it is about."""

    memo: Memo
    shelf: str
    moment: str
    keys: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The words it can be found by."""
        return line_of(" ".join((self.memo.text, *self.keys)))


def shelf_of(project: str) -> str:
    """The name of a project's shelf."""
    return f"project:{project}"


def document_of_run(run: str, told: Story) -> Document | None:
    """What of a run can be found: nothing until its result is out."""
    text = text_of(told)
    if told.task is None or not text:
        return None
    passage = Passage(run, text, kind="task", origin=told.task.session)
    return Document(passage, shelf_of(told.task.project), told.ended, tuple(sorted(told.files)))


def document_of_learning(saves: Iterable[Record], projects: dict[str, str]) -> Document | None:
    """What can be found of a learning as it was last saved: nothing once it is put away or superseded."""
    ordered = sorted(saves, key=lambda record: (record.at, record.id))
    learning = learning_in(ordered[-1])
    if learning.standing not in SHOWN or learning.superseded_by:
        return None
    home = first_home(ordered, projects)
    shelf = shelf_of(home) if learning.scope == "project" else EVERYONE
    return Document(learning, shelf, ordered[-1].at, learning.keys)


def learning_in(record: Record) -> Learning:
    """The learning that a record saves."""
    if not isinstance(record.event, LearningSaved):
        raise TypeError(f"{record.id} saves no learning")
    return record.event.learning


def first_home(ordered: Sequence[Record], projects: dict[str, str]) -> str:
    """The project of the first run that saved it and is known."""
    return next((projects[record.run] for record in ordered if record.run in projects), "")
