"""What a judge writes down of a judgement, so that what was saved by sparing it can be computed from the log."""

from dataclasses import KW_ONLY, dataclass

from openkoi_hookspecs import EvaluationMode, Event, Score


@dataclass(frozen=True, slots=True)
class Voted(Event):
    """What each vote scored, by which rubric, and what was odd about it.

    ``carried`` names the dimensions whose scores are those of the judgement before: they are stale. ``asked`` is how
    many characters the judge was given to read, in ``calls`` requests, of these ``aside`` for questions that are no
    vote on the work; ``whole`` is what one full judgement would have taken. ``proof`` is empty, ``sound`` or
    ``dictated``: what came of asking whether the work sways its judge; ``blind`` where the judge would accept half of
    the work as well.
    """

    name = "judge.voted"
    rubric: str
    votes: tuple[tuple[Score, ...], ...]
    _: KW_ONLY
    note: str = ""
    mode: EvaluationMode = EvaluationMode.FULL
    carried: tuple[str, ...] = ()
    calls: int = 0
    asked: int = 0
    whole: int = 0
    aside: int = 0
    proof: str = ""
