"""Events that one plugin writes and another reads: judges' votes, what no checkpoint restores. Part of ``events``."""

from dataclasses import KW_ONLY
from enum import StrEnum

from .evaluation import EvaluationMode, Score
from .events_base import Event
from .lazy_dataclass import dataclass


class ControlOutcome(StrEnum):
    """What the control runs of a judge showed.

    SOUND: text in the work that is aimed at the judge had no effect. DICTATED: such text set the score. BLIND: half of
    the work would be accepted as well. In both of these cases the score is discarded. NONE: there was no control run.
    """

    NONE = ""
    SOUND = "sound"
    DICTATED = "dictated"
    BLIND = "blind"


@dataclass(frozen=True, slots=True)
class JudgeVoted(Event):
    """How a judge arrived at its scores: each vote's scores, the rubric, and anything unusual in a ``note``.

    ``carried_over`` names the dimensions whose scores are those of the previous evaluation. The judge read
    ``characters`` in ``calls`` requests, ``control_characters`` of them in control runs, which are not votes; to judge
    all of the work once takes ``full_characters``.
    """

    name = "judge.voted"
    rubric: str
    votes: tuple[tuple[Score, ...], ...]
    _: KW_ONLY
    note: str = ""
    mode: EvaluationMode = EvaluationMode.FULL
    carried_over: tuple[str, ...] = ()
    calls: int = 0
    characters: int = 0
    full_characters: int = 0
    control_characters: int = 0
    control: ControlOutcome = ControlOutcome.NONE

    @property
    def skipped(self) -> bool:
        """Whether the scores are those of the previous evaluation, and no model was called."""
        return self.calls == 0 and self.full_characters > 0

    @property
    def saved_characters(self) -> int:
        """How many characters of the work the judge did not have to read; negative if it read more than all of it.

        A failed vote on all of the work neither saves nor wastes any: it would have been sent in any case.
        """
        read, whole = self.characters - self.control_characters, self.full_characters
        votes = max(1, read // whole) if whole and self.mode is EvaluationMode.FULL else 1
        return votes * whole - read


@dataclass(frozen=True, slots=True)
class GitRefChanged(Event):
    """A call changed a name in a git repository: a branch, a tag, the stash, HEAD, or a file of its settings.

    ``before`` and ``after`` are what the name pointed to, empty if it did not exist. ``current``: HEAD is on it.
    ``repository`` is the path of a repository below the workspace, empty for the repository around the workspace.
    """

    name = "checkpoints.moved"
    ref: str
    before: str
    after: str
    current: bool = False
    repository: str = ""


@dataclass(frozen=True, slots=True)
class OutsideFileWritten(Event):
    """A tool wrote a file outside the workspace, so no checkpoint contains it."""

    name = "checkpoints.wrote_outside"
    path: str


@dataclass(frozen=True, slots=True)
class SkippedFolderChanged(Event):
    """A call changed a folder that checkpoints skip, such as ``node_modules``, so no checkpoint contains it."""

    name = "checkpoints.wrote_passed"
    path: str
